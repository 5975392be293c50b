#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pushdown/experiment/experiment.h"

namespace pushdown {

// Experiments on a Slurm cluster: job arrays, of which each task trains some runs. Every array is a
// submission, with a directory of its own in that of the experiment:
//   slurm/001/tasks.json   the runs of each task
//   slurm/001/job.sh       the batch script
//   slurm/001/%a.log       what task %a has printed
// A task that was stopped in time saves and is queued again. A run belongs to at most one task that
// Slurm has in its queue.

struct SlurmOptions {
  std::string program = {};  // the absolute path of `pushdown`
  int array_size = 0;        // how many tasks there are to be; 0: of about an hour each
  // Called while others submit, and before each array; ends the call by what it throws.
  std::function<void()> check = {};
  std::vector<std::string> sbatch = {};  // further options of sbatch
};

using TaskRuns = std::vector<RunId>;

// Divides runs into tasks, in their order: cheap runs share a task.
std::vector<TaskRuns> DivideIntoTasks(const ExperimentPlan& plan, std::span<const RunId> runs,
                                      int array_size);

// The batch script of a submission with so many tasks, for the experiment in a directory.
std::string BatchScript(const std::string& directory, const ExperimentPlan& plan,
                        const std::string& submission, std::size_t tasks,
                        const SlurmOptions& options);

struct SubmittedArray {
  std::string submission;  // the name of its directory, such as "001"
  std::string job;         // Slurm's number
  std::size_t tasks = 0;
  std::size_t runs = 0;
};

struct SubmitOutcome {
  std::vector<SubmittedArray> arrays = {};
  std::size_t done = 0;      // runs that are finished, or have failed and are not tried again
  std::size_t queued = 0;    // runs that are in Slurm's queue already
  std::size_t left = 0;      // runs that Slurm did not take
  std::string refusal = {};  // why not
};

// Submits those of the runs that are not done and not in the queue, as one array or, if Slurm's
// limits ask for it, several. What Slurm does not take now can be submitted by another call. Calls
// that come at the same time wait for each other. Throws Error, for example if Slurm cannot be
// reached.
SubmitOutcome Submit(const Experiment& experiment, std::span<const RunId> runs,
                     const SlurmOptions& options, bool retry_failed = false);

// The runs of one task of a submission. Throws Error.
TaskRuns ReadTask(const Experiment& experiment, const std::string& submission, std::size_t task);

}  // namespace pushdown
