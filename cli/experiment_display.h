#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/progress.h"
#include "pushdown/experiment/experiment.h"
#include "pushdown/experiment/runner.h"

namespace pushdown::cli {

// What the training of an experiment shows on standard error: a line for each run that ends, with
// the best of its cell so far, and on a terminal a bar with the time left.
class ExperimentDisplay {
 public:
  ExperimentDisplay(const Experiment& experiment, const std::vector<RunId>& runs,
                    bool retry_failed);

  // Callbacks that show what happens, without stop().
  ExperimentWatch Watch();
  // Removes the bar.
  void End();

 private:
  struct CellProgress {
    double epoch_seconds = 0;  // roughly, or as measured
    int max_epochs = 1;
    int ended = 0;
    double ended_epochs = 0;
    std::optional<double> best = {};
  };
  struct RunProgressed {
    RunId id;
    double epochs = 0;  // done, and the fraction of the one that is under way
    bool running = false;
    bool ended = false;
  };

  RunProgressed& run(const RunId& id);
  // Counts a run that has ended or was stopped.
  void Count(RunProgressed& progress, const RunRecord& record);
  void OnEnd(const RunId& id, const RunRecord& record, bool tried);
  void Print(const std::string& line);
  void ShowBar();

  const Experiment& experiment_;
  Measure measure_;
  std::mutex mutex_;
  std::vector<CellProgress> cells_;
  std::vector<RunProgressed> runs_;
  std::vector<std::vector<std::size_t>> places_;  // of a run in `runs_`, by cell and restart
  int finished_ = 0;
  int failed_ = 0;
  std::unique_ptr<Progress> bar_;
};

}  // namespace pushdown::cli
