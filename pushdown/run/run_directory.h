#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/json.h"
#include "pushdown/output_directory.h"

namespace pushdown {

// The files of a run directory; Run says what they contain.
inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kMetricsFile = "metrics.jsonl";
inline constexpr const char* kTimingFile = "timing.jsonl";
inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kCheckpointFile = "checkpoint.safetensors";
inline constexpr const char* kSummaryFile = "summary.json";
inline constexpr const char* kStartFile = "start.safetensors";  // the model of --start-from
inline constexpr const char* kTestFile = "test.json";           // of runs of experiments
inline constexpr const char* kLockFile = ".lock";
// The name of the directory of one of several restarts, such as "restart-1".
std::string RestartName(int restart);

std::string PathIn(const std::string& directory, const std::string& name);

bool HoldsRun(const std::string& path);

// The lines of a .jsonl file; none if there is no file. A last line that is incomplete, because the
// process that wrote it was killed, is left out.
std::vector<nlohmann::json> ReadJsonLines(const std::string& path);

// Whether a run has ended its first epoch: whether any of the files exists that are written then.
// If others of these files are missing, the directory was damaged.
bool HasEndedAnEpoch(const std::string& directory);

// The files that a new run begins with. `start` is the model file that it starts from, or empty.
std::vector<NamedText> RunFiles(std::string config, const std::string& start);

// The score that epochs and restarts are compared by, the smaller the better: the difference from
// the optimum, since each restart may have a validation set of its own, or the cross-entropy if the
// optimum is not known.
double ValidationScore(double cross_entropy, std::optional<double> difference);
// The best score in a run's metrics.jsonl, if there is any.
std::optional<double> BestScoreInMetrics(const std::string& directory);

// The index of the best score. A restart that has not ended an epoch has none. Nothing if no
// restart has a score.
std::optional<std::size_t> BestRestart(std::span<const std::optional<double>> scores);

// Another process is training in the directory.
class RunLockedError : public Error {
 public:
  using Error::Error;
};

// As long as it lives, keeps other processes from training in a directory that holds a run. Also
// removes the incomplete files that a killed process has left there.
class RunLock {
 public:
  // Throws RunLockedError if another process is training there, and Error if something that is not
  // a regular file has the name of one of the run's files.
  explicit RunLock(const std::string& directory);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace pushdown
