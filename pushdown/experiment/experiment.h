#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pushdown/experiment/plan.h"
#include "pushdown/experiment/run_record.h"

namespace pushdown {

// Whether a claim of a run (see RunClaims) is that of a process which trains it, or of the caller.
enum class ClaimedBy { kOthers, kCaller };

// An experiment in its directory:
//   experiment.json         the plan, with the settings of all cells
//   experiment.toml         the file that it was made from
//   CELL/restart-1          a run, as `pushdown train` makes it, with test.json, the result on its
//                           test set
//   CELL/.restart-1.failed  why the run failed
//   slurm/                  what was submitted to Slurm
class Experiment {
 public:
  // Creates the directory of a new experiment, or opens that of an existing one whose plan can be
  // continued, see DifferenceFrom. Throws Error.
  static Experiment CreateOrOpen(const std::string& directory, ExperimentPlan plan);
  // The same without writing anything: what is known of the runs that the experiment would have.
  static Experiment Preview(const std::string& directory, ExperimentPlan plan);
  // The experiment in a directory. Throws Error, naming the file.
  static Experiment Open(const std::string& directory);

  const std::string& path() const { return path_; }
  const ExperimentPlan& plan() const { return plan_; }
  Measure measure() const;  // that its runs are compared by

  std::string RunPath(const RunId& run) const;
  // What is known of a run now. A run with a broken file counts as failed.
  RunRecord Record(const RunId& run, ClaimedBy claimed_by = ClaimedBy::kOthers) const;
  // Whether it is finished, and was evaluated if it is to be.
  bool IsDone(const RunId& run) const;

  void RecordFailure(const RunId& run, const std::string& failure) const;  // throws Error
  // Also forgets the result on the test set.
  void ForgetFailure(const RunId& run) const;

 private:
  Experiment(std::string path, ExperimentPlan plan);

  std::string FailurePath(const RunId& run) const;
  std::optional<std::string> Failure(const RunId& run) const;

  std::string path_;
  ExperimentPlan plan_;
};

bool HoldsExperiment(const std::string& directory);

// Whether a training has ended, and would not go on with these settings, whose limit of epochs may
// be higher than before.
bool IsTrained(const RunRecord& record, const RunSettings& settings);

// What runs with these settings are compared by.
Measure MeasureOf(const RunSettings& settings);

}  // namespace pushdown
