#pragma once

#include <functional>
#include <optional>
#include <string>

#include "pushdown/json.h"
#include "pushdown/run/run.h"
#include "pushdown/run/run_data.h"
#include "pushdown/run/training_watch.h"

namespace pushdown {

// One training in its directory: a run with a single restart, or one of several restarts. This
// header is not installed; Run is the public interface.
struct TrainingRun {
  std::string path;
  bool resume = false;                 // continue the run that is there, or create a new one
  RunSettings settings;                // of one restart
  const Language* language = nullptr;  // may be null, see MakeRunData
  Parallelism parallelism;
  double checkpoint_seconds = 300;
  std::string start = {};  // the bytes of the model file of --start-from; empty if there is none
};

// TrainingWatch for one restart.
struct RestartWatch {
  std::function<void(const RunStart&)> on_start;
  std::function<void(const RunProgress&)> on_batch;
  std::function<void(const EpochReport&)> on_epoch;
  Warn on_warning;
  std::function<bool()> stop;
  StageProgress progress;
};

// Creates a directory and trains in it, or continues the run in it from its newest checkpoint.
// Throws Error, and what a callback throws; the run on the disk can then be resumed.
RunResult Train(const TrainingRun& run, const RestartWatch& watch);

// The summary.json of one training.
Json SummaryJson(const RunSettings& settings, const RunResult& result);
// The summary.json of several restarts.
Json SummaryJson(const RunSettings& settings, const std::vector<RestartOutcome>& outcomes);

}  // namespace pushdown
