#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/json_output.h"
#include "cli/training_display.h"
#include "cli/training_run.h"

namespace pushdown::cli {

// How runs are carried out, on which their results do not depend.
struct RestartsOptions {
  std::string out;
  int jobs = 0;     // 0: as many as there are CPUs, or one if a run can use them all
  int threads = 0;  // 0: so that jobs use all CPUs
  double time_limit = 0;
  double checkpoint_seconds = 300;
  bool resume = false;
  bool json = false;
};

// All restarts of a command, or its only run, `jobs` at a time.
class Restarts {
 public:
  // Both must outlive this. Throws UsageError.
  Restarts(const RestartsOptions& options, const TrainSettings& settings);

  // Throws what prevents all of them.
  void Run();
  // The results, on standard output.
  void Print() const;
  // Ends the command if not all is well.
  void ThrowIfIncomplete() const;

 private:
  using Clock = std::chrono::steady_clock;

  // What became of one restart.
  struct Outcome {
    std::optional<RunResult> result = {};  // nothing: it was not begun, or could not be resumed
    std::string failure = {};
  };

  const Outcome& outcome(int restart) const {
    return outcomes_[static_cast<std::size_t>(restart - 1)];
  }
  bool ShouldStop() const;
  void RunRestart(int restart);
  // Ends the command with the exception that is being handled.
  void EndAll();
  // The number of the best restart, or 0.
  int Best() const;
  Json Summary() const;
  std::string Table() const;

  // The model that runs begin with, as bytes; empty if there is none.
  std::string ReadStart() const;

  const RestartsOptions& options_;
  const TrainSettings& settings_;
  Parallelism parallelism_;
  std::unique_ptr<Language> language_;
  std::string start_;  // see ReadStart
  std::vector<Outcome> outcomes_;
  TrainingDisplay display_;
  std::optional<Clock::time_point> deadline_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr fatal_;
};

}  // namespace pushdown::cli
