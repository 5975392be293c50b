// Any text goes through the readers of the files that pages are made of.
//   build/fuzz/fuzz/report_input_fuzzer -dict=fuzz/report_input.dict NEW_CORPUS
//     fuzz/corpus/report_input

#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/report_input_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pushdown::CheckReportInput(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
