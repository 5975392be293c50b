// make fuzz, or by hand:
//   cmake --preset fuzz && cmake --build --preset fuzz --target automaton_fuzzer
//   build/fuzz/fuzz/automaton_fuzzer -dict=fuzz/automaton.dict build/fuzz/corpus/automaton \
//     fuzz/corpus/automaton

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/automaton_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pushdown::CheckAutomatonFormat({reinterpret_cast<const char*>(data), size});
  return 0;
}
