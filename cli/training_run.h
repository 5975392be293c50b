#pragma once

#include <functional>
#include <string>

#include "cli/run_data.h"
#include "cli/run_directory.h"
#include "pushdown/train/trainer.h"

namespace pushdown::cli {

// One run in its directory.
struct TrainingRun {
  std::string path;
  bool resume = false;                 // the run that is there; otherwise a new one is made
  TrainSettings settings;              // of one restart
  const Language* language = nullptr;  // may be null, see MakeRunData
  Parallelism parallelism;
  double checkpoint_seconds = 300;
  std::string start = {};  // the bytes of the model file of --start-from; empty if there is none
};

struct RunProgress {
  int epoch = 1;        // that is under way
  double fraction = 0;  // of it
  double items_per_second = 0;
};

struct EpochReport {
  EpochMetrics metrics;
  std::optional<double> difference;  // from the lower bound
  double seconds = 0;                // of the epoch, in this session
  double items_per_second = 0;
};

struct RunStart {
  ModelSpec spec;
  std::size_t parameters = 0;
  long long training_items = 0;
  int batches = 0;
  std::optional<double> lower_bound;  // of the validation set
  int epochs_done = 0;
  int batches_done = 0;
  bool finished = false;  // already
};

// How a run is watched and stopped; called on the thread that runs it.
struct RunWatcher {
  std::function<void(const RunStart&)> on_start;
  std::function<void(const RunProgress&)> on_batch;
  std::function<void(const EpochReport&)> on_epoch;
  std::function<void(const std::string&)> on_warning;
  std::function<bool()> stop;  // asked between batches
};

struct RunResult {
  bool finished = false;  // or stopped, and can be resumed
  StopReason reason = StopReason::kNone;
  std::string failure;  // why it cannot go on: it has diverged
  int epochs = 0;
  int best_epoch = 0;                   // 0: none yet
  double validation_cross_entropy = 0;  // of the best epoch
  std::optional<double> difference;     // from the lower bound
  double learning_rate = 0;             // initial
  double seconds = 0;                   // in all sessions
};

// Makes a directory and trains in it, or goes on with the run in it from its newest checkpoint.
// Throws UsageError, Error and Interrupted; what is on the disk can be resumed then.
RunResult Train(const TrainingRun& run, const RunWatcher& watcher);

// The summary.json of a run.
Json SummaryJson(const TrainSettings& settings, const RunResult& result);

}  // namespace pushdown::cli
