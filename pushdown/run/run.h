#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/run/setting_fields.h"
#include "pushdown/run/settings.h"
#include "pushdown/run/trained_model.h"
#include "pushdown/run/training_watch.h"

namespace pushdown {

// The outcome of one restart.
struct RestartOutcome {
  std::optional<RunResult> result = {};  // nothing: it has not begun, or could not be resumed
  std::string failure = {};              // why the restart failed; empty if it did not
  ErrorKind kind = ErrorKind::kNumeric;  // of the failure
};

// A training run: its settings and its directory. A run may consist of several restarts; each
// restart then has a directory of its own inside the directory of the run. The files of a restart
// are:
//   config.json             all settings, seeds, the vocabulary and the machine
//   metrics.jsonl           a line for each epoch; does not depend on how often the run was stopped
//   timing.jsonl            sessions and seconds
//   model.safetensors       the model of the best epoch, see OpenModel
//   checkpoint.safetensors  what a training is continued from
//   summary.json            the result, once the training is finished
class Run {
 public:
  // A new run. The directory must not exist, or must be empty; it is created when the training
  // begins. Throws Error.
  static Run Create(std::string directory, RunSettings settings);
  // Throws Error if a new run cannot be created in a directory. For callers who want to know that
  // before they compute anything.
  static void CheckNew(const std::string& directory);
  // The existing run in a directory. Throws Error, naming the file, if there is no run or its
  // configuration is broken.
  static Run Open(std::string directory, const Warn& warn = {});

  const std::string& path() const { return path_; }
  const RunSettings& settings() const { return settings_; }
  // Changes settings of an existing run before it is continued. Only the limit of epochs may
  // change, and the directory of its data, if they were moved. Throws Error if any other setting
  // differs.
  void Change(const RunSettings& settings);

  // Trains, or continues from the newest checkpoints, until the training is finished, the time
  // limit is reached, or watch.stop() returns true. On one kind of CPU, the result is the same bit
  // for bit, however often the training was stopped, and for any number of threads. The failure of
  // one restart is part of its outcome; throws Error for what ends all restarts.
  std::vector<RestartOutcome> Train(const Execution& execution = {},
                                    const TrainingWatch& watch = {});

  // The metrics of all epochs of a restart that have ended.
  std::vector<EpochMetrics> Metrics(int restart = 1) const;
  // The best model so far, of the best restart.
  TrainedModel BestModel(const Warn& warn = {}) const { return OpenModel(path_, warn); }

 private:
  Run(std::string path, RunSettings settings, bool exists);

  friend class RestartsInParallel;

  std::string path_;
  RunSettings settings_;
  bool exists_;
};

// The run in a directory, to be continued with the settings that `give` gives. Throws Error if the
// run is not of this kind, or if a setting that may not change differs from that of the run.
Run OpenToResume(const std::string& directory, DataKind kind,
                 const std::function<void(SettingsDraft&)>& give, const Warn& warn = {});

// The index of the best restart, or nothing if no restart has ended an epoch.
std::optional<std::size_t> BestRestart(const std::vector<RestartOutcome>& outcomes);

// The numbers of runs and threads that an execution will use. Throws Error if there are too many.
Parallelism ParallelismOf(const Execution& execution, const RunSettings& settings);

// What a training will take, measured by training on some batches of its first restart.
struct TrainingEstimate {
  ModelSpec spec;
  std::size_t parameters = 0;
  long long training_items = 0;
  int batches = 0;  // in an epoch
  std::optional<double> lower_bound;
  Parallelism parallelism;
  double bytes = 0;              // an upper bound of the memory of all jobs together
  double seconds_per_epoch = 0;  // of one restart
  double longest_seconds = 0;    // the whole time, if every restart uses all its epochs
};
// `seconds` is how long the measurement takes at least.
TrainingEstimate EstimateTraining(const RunSettings& settings, const Execution& execution,
                                  const TrainingWatch& watch = {}, double seconds = 2);

}  // namespace pushdown
