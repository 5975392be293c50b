// Any text goes through the reader of files of experiments.
//   build/fuzz/fuzz/experiment_fuzzer -dict=fuzz/experiment.dict NEW_CORPUS fuzz/corpus/experiment

#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/experiment_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pushdown::CheckExperiment(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
