#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/progress.h"
#include "pushdown/run/run.h"
#include "pushdown/run/run_data.h"

namespace pushdown::cli {

// What a training shows on standard error: a line an epoch, and on a terminal a progress bar.
// Runs may go side by side.
class TrainingDisplay {
 public:
  TrainingDisplay(const RunSettings& settings, const Parallelism& parallelism);

  // Restarts are numbered from 1.
  void Start(int restart, const RunStart& start);
  void Batch(int restart, const RunProgress& progress);
  void Epoch(int restart, const EpochReport& report);
  void End(int restart);
  // A line of its own.
  void Print(const std::string& line);

 private:
  struct Shown {
    long long training_items = 0;
    double epochs = 0;  // done, and the fraction of the one that is under way
    bool ended = false;
  };

  Shown& run(int restart) { return runs_[static_cast<std::size_t>(restart - 1)]; }
  std::string Label(int restart) const;
  void PrintLine(const std::string& line);
  std::string BarLabel(int restart, const RunProgress& progress) const;

  std::mutex mutex_;
  DataKind kind_;
  int max_epochs_;
  int threads_;
  bool bar_of_epoch_;  // or of all restarts
  std::vector<Shown> runs_;
  std::unique_ptr<Progress> bar_;
};

}  // namespace pushdown::cli
