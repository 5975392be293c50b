// Any text goes through the reader of files with settings.
//   build/fuzz/fuzz/settings_fuzzer -dict=fuzz/settings.dict NEW_CORPUS fuzz/corpus/settings

#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/settings_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pushdown::CheckSettings(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
