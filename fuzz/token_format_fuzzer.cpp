// Any text goes through the readers of a data directory's files.
//   build/fuzz/fuzz/token_format_fuzzer -dict=fuzz/token_format.dict NEW_CORPUS
//   fuzz/corpus/token_format

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/token_format_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pushdown::CheckTokenFormat({reinterpret_cast<const char*>(data), size});
  return 0;
}
