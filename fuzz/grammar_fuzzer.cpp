// make fuzz, or by hand:
//   cmake --preset fuzz && cmake --build --preset fuzz --target grammar_fuzzer
//   build/fuzz/fuzz/grammar_fuzzer -dict=fuzz/grammar.dict build/fuzz/corpus/grammar \
//     fuzz/corpus/grammar

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/grammar_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pushdown::CheckGrammarFormat({reinterpret_cast<const char*>(data), size});
  return 0;
}
