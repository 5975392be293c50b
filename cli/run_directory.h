#pragma once

#include <string>
#include <vector>

#include "cli/json_output.h"
#include "cli/train_settings.h"
#include "pushdown/formal/symbols.h"
#include "pushdown/model/model_spec.h"

namespace pushdown::cli {

// The files of a run directory.
inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kMetricsFile = "metrics.jsonl";  // the same for the same settings
inline constexpr const char* kTimingFile = "timing.jsonl";    // sessions and seconds
inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kCheckpointFile = "checkpoint.safetensors";
inline constexpr const char* kSummaryFile = "summary.json";
// With --restarts, the directory has a directory for each.
std::string RestartName(int restart);  // "restart-1"

std::string PathIn(const std::string& directory, const std::string& name);

bool HoldsRun(const std::string& path);

// What config.json says.
struct RunConfig {
  TrainSettings settings = {};
  std::vector<std::string> vocabulary = {};
  std::string fingerprint = {};  // of the strings; empty if there are restarts
  std::string simd_target = {};  // that the run began on
};

std::string ConfigText(const RunConfig& config, const Json& machine);
// Throws UsageError, naming the file.
RunConfig ReadConfig(const std::string& directory);

// Keeps other processes from training in a directory that holds a run, as long as it lives, and
// removes what a process that was killed there has left half written.
class RunLock {
 public:
  // Throws UsageError if there is such a process.
  explicit RunLock(const std::string& directory);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int file_;
};

// A run, or the best one of several restarts, with the best parameters so far.
struct TrainedRun {
  std::string path;  // the directory that has the model
  TrainSettings settings;
  std::string fingerprint;  // of the sets that it was trained with
  SymbolTable alphabet;
  ModelSpec spec;
  std::vector<float> parameters;
};

// Throws UsageError if there is no run, or none with a model yet, and if a file is broken.
TrainedRun OpenTrainedRun(const std::string& path);

}  // namespace pushdown::cli
