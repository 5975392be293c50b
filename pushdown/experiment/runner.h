#pragma once

#include <functional>
#include <span>
#include <string>

#include "pushdown/experiment/experiment.h"
#include "pushdown/run/training_watch.h"

namespace pushdown {

// How the runs of an experiment are trained. Results do not depend on any of this.
struct ExperimentExecution {
  int jobs = 0;           // runs side by side; 0: as many as CPUs, or one for models of text
  int threads = 0;        // of each run; 0: the number of CPUs divided by the jobs
  double time_limit = 0;  // in seconds; 0: none
  double checkpoint_seconds = 300;
  bool retry_failed = false;
  // How long to wait for runs that other processes are training, or that a machine which has died
  // still seems to train.
  double wait_seconds = 0;
};

// Callbacks with which an experiment is watched and stopped. Runs are trained on threads of their
// own, and call the functions there. Functions may be empty.
struct ExperimentWatch {
  std::function<void(const RunId&, const RunStart&)> on_start = {};
  std::function<void(const RunId&, const RunProgress&)> on_batch = {};
  std::function<void(const RunId&, const EpochReport&)> on_epoch = {};
  // A run that is finished, has failed or was stopped. `tried` is false for one that had ended
  // before this call, or in another process.
  std::function<void(const RunId&, const RunRecord&, bool tried)> on_end = {};
  Warn on_warning = {};
  std::function<bool()> stop = {};
};

struct ExperimentOutcome {
  int finished = 0;
  int failed = 0;
  int elsewhere = 0;  // other processes are training them
  int left = 0;       // stopped, or not begun
};

// The numbers of runs and threads that an execution will use. Throws Error if there are too many.
Parallelism ParallelismOf(const ExperimentExecution& execution, DataKind kind, std::size_t runs);

// Trains runs of an experiment, in this order, until they are finished, the time limit is reached
// or watch.stop() returns true. Runs that were stopped or killed go on from their checkpoints. The
// failure of a run is recorded and does not keep others from being trained. Several processes may
// do this at the same time, on one machine or on several that share a file system with locks.
// Throws Error only for what keeps all runs from being trained.
ExperimentOutcome TrainExperiment(const Experiment& experiment, std::span<const RunId> runs,
                                  const ExperimentExecution& execution = {},
                                  const ExperimentWatch& watch = {});

}  // namespace pushdown
