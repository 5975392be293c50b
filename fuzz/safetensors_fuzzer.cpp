// Any bytes go through the reader of model files, and what it reads through the writer.
//   build/fuzz/fuzz/safetensors_fuzzer -dict=fuzz/safetensors.dict NEW_CORPUS \
//     fuzz/corpus/safetensors

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/safetensors_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pushdown::CheckSafetensorsText({reinterpret_cast<const char*>(data), size});
  return 0;
}
