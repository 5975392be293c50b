#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/json_output.h"
#include "cli/train_settings.h"
#include "pushdown/formal/symbols.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/output_directory.h"

namespace pushdown::cli {

// The files of a run directory.
inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kMetricsFile = "metrics.jsonl";  // the same for the same settings
inline constexpr const char* kTimingFile = "timing.jsonl";    // sessions and seconds
inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kCheckpointFile = "checkpoint.safetensors";
inline constexpr const char* kSummaryFile = "summary.json";
inline constexpr const char* kStartFile = "start.safetensors";  // the model of --start-from
inline constexpr const char* kLockFile = ".lock";
// Of config.json, whose kind tells models of strings and of text, which are trained, from others.
inline constexpr int kConfigFormat = 1;
inline constexpr double kMaxConfigBytes = 256e6;
inline constexpr const char* kRecognizerKind = "recognizer";
// With --restarts, the directory has a directory for each.
std::string RestartName(int restart);  // "restart-1"

std::string PathIn(const std::string& directory, const std::string& name);

bool HoldsRun(const std::string& path);

// The lines of a .jsonl file; none if there is no file. A line that a killed process left half
// written does not count.
std::vector<nlohmann::json> ReadJsonLines(const std::string& path);

// What config.json says.
struct RunConfig {
  TrainSettings settings = {};
  std::vector<std::string> vocabulary = {};
  std::string fingerprint = {};  // of the data; empty if there are restarts
  std::string kernels = {};      // that the run began with, see KernelsText
  bool changed = false;          // whether its checksum is not that of its contents
};

// Throws UsageError if it would be too long to be read again.
std::string ConfigText(const RunConfig& config, const Json& machine);
// Throws UsageError, naming the file.
RunConfig ReadConfig(const std::string& directory);
// What to say of one whose checksum is wrong.
std::string ChangedConfigText(const std::string& directory);
// Writes a new limit into config.json, and leaves the rest as it is.
void WriteMaxEpochs(const std::string& directory, int max_epochs);
// Throws UsageError if the run is of another kind; `instead` says what there is for that one.
void CheckKind(const std::string& directory, const RunConfig& config, DataKind kind,
               const std::string& instead);

// What parameters mean nothing without: the model's settings, and a fingerprint of the vocabulary.
// model.safetensors has it too, so that an edited config.json is noticed.
Json OriginJson(const RunConfig& config);

// Tells the run from other restarts: what differs between them, and the data. model.safetensors has
// it too, so that the model of another restart, which fits as well, is noticed.
std::string RunIdentity(const RunConfig& config);

// What is wrong with settings that should be others: "clipping is 4.0, expected 5.0"; empty if
// nothing is.
std::string FirstDifference(const Json& expected, const Json& found);

// Removes the settings that may change when a run is resumed.
void EraseChangeableSettings(Json& settings);
// The settings without them.
Json FixedSettingsJson(const TrainSettings& settings);

// Whether there is a file that a run has from its first epoch on: one that lacks the others was
// damaged.
bool HasEndedAnEpoch(const std::string& directory);

// The files that a run begins with; `start` is the model that it starts from, or empty.
std::vector<NamedText> RunFiles(std::string config, const std::string& start);

// What rounding depends on: the SIMD target of the stacks, and OpenBLAS's kernels.
std::string KernelsText();

// The epoch's distance to the optimum, or its cross-entropy where there is none: what restarts are
// judged by, each of which may have a validation set of its own.
double ValidationScore(double cross_entropy, std::optional<double> difference);

// Keeps other processes from training in a directory that holds a run, as long as it lives, and
// removes what a process that was killed there has left half written.
class RunLock {
 public:
  // Throws UsageError if there is such a process, or if something that is not a file has the name
  // of one of the run's files.
  explicit RunLock(const std::string& directory);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int file_ = -1;
};

// More than a file with so many arrays of parameters takes.
double MaxFileBytes(const ParameterLayout& layout, int arenas);

// A run, or the best one of several restarts, with the best parameters so far.
struct TrainedRun {
  std::string path;  // the directory that has the model
  TrainSettings settings;
  std::string fingerprint;  // of the sets that it was trained with
  SymbolTable alphabet;
  ModelSpec spec;
  std::vector<float> parameters;
  double score = 0;  // of the best epoch, see ValidationScore
};

// Warns on standard error if the configuration was changed. Throws UsageError if there is no run,
// or none with a model yet, if a file is broken, and as CheckKind does.
TrainedRun OpenTrainedRun(const std::string& path, DataKind kind, const std::string& instead);

}  // namespace pushdown::cli
