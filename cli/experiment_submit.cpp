#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/counted.h"
#include "cli/errors.h"
#include "cli/experiment_commands.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "cli/simd_target.h"
#include "pushdown/experiment/slurm.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/output_file.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(Submits the runs that are not done, and not in the queue, to Slurm as a job array. A task of the
array trains several cheap runs, or one that takes longer than an hour; --array-size N makes about N
tasks of equal work. What follows -- goes to sbatch as it is, and takes precedence over the lines of
the script. The same command, given again, submits what is not done and not in the queue any more.

A task that nears its time limit or is preempted saves, and goes back into the queue; so does that
of a node which has died, if the cluster requeues jobs. Results are those of `pushdown experiment
run`, bit for bit on CPUs of one kind. DIR must be on a file system that all nodes see, with locks
(flock, fcntl), so that no two nodes ever train the same run.

Slurm's limits (MaxArraySize, MaxJobCount, the number of jobs of a user) are respected: there may be
several arrays, and the command says how many runs are left for the next call.

--dry-run prints the batch script, and submits nothing; it does not ask Slurm which runs are in the
queue, nor for its limits. Runs that have failed are tried again only with --retry-failed. For
--only, --restarts and --set, see `pushdown experiment run --help`.

Examples:
  pushdown experiment submit experiments/capacity.toml --out runs/capacity -- --time=4:00:00
  pushdown experiment submit experiments/capacity.toml --out runs/capacity --array-size 50 \
    -- --partition=cpu --mem-per-cpu=2G
  pushdown experiment submit experiments/quick.toml --out runs/quick --dry-run

Exit code: 0 if everything is submitted or done; 1 if Slurm fails; 2 if the file or the command line
is wrong; 75 if Slurm did not take all runs.)";

constexpr const char* kTaskFooter =
    R"(The batch script of `pushdown experiment submit` calls this command.

Examples:
  pushdown experiment task runs/quick 001 0

Exit code: that of `pushdown experiment run`. 75 says that there is more to do, and that the task is
to be queued again.)";

struct SubmitCommand {
  ExperimentChoice choice;
  SlurmOptions options;
  bool retry_failed = false;
  bool dry_run = false;
};

std::string OwnPath() {
  std::error_code error;
  const std::string path = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) throw RunError("the place of this program cannot be found: " + error.message());
  return path;
}

void Submit(SubmitCommand& command) {
  CheckSimdTarget();
  if (command.choice.out.empty()) throw UsageError("no directory is given; give --out DIR");
  command.options.program = OwnPath();
  command.options.check = ThrowIfInterrupted;
  ExperimentPlan plan = PlanOf(command.choice);
  const std::vector<RunId> runs = ChosenRuns(command.choice, plan);
  plan.restarts = std::max(plan.restarts, command.choice.restarts);
  OutputFile out("-");
  if (command.dry_run) {
    const Experiment preview = Experiment::Preview(command.choice.out, plan);
    std::vector<RunId> missing = runs;
    std::erase_if(missing, [&](const RunId& run) {
      const RunState state = preview.Record(run).state;
      return state == RunState::kFinished || (state == RunState::kFailed && !command.retry_failed);
    });
    const std::size_t tasks = DivideIntoTasks(plan, missing, command.options.array_size).size();
    out.Write(tasks == 0 ? "nothing to submit: all runs have ended\n"
                         : BatchScript(command.choice.out, plan, "001", tasks, command.options));
    out.Commit();
    return;
  }
  const Experiment experiment = Experiment::CreateOrOpen(command.choice.out, std::move(plan));
  const SubmitOutcome outcome =
      pushdown::Submit(experiment, runs, command.options, command.retry_failed);
  for (const SubmittedArray& array : outcome.arrays) {
    out.Write(fmt::format("job {}: {} in {}, script and logs in {}/slurm/{}\n", array.job,
                          Counted(array.runs, "run"), Counted(array.tasks, "task"),
                          experiment.path(), array.submission));
  }
  if (outcome.arrays.empty() && outcome.left == 0) {
    out.Write(
        fmt::format("nothing to submit: {} done, {} in the queue\n", outcome.done, outcome.queued));
  }
  out.Commit();
  if (outcome.left > 0) {
    throw Interrupted{.message = fmt::format("{} not submitted: {}; give the same command again "
                                             "when there is room",
                                             Counted(outcome.left, "run"), outcome.refusal),
                      .resumable = true};
  }
}

struct TaskCommand {
  std::string directory;
  std::string submission;
  int task = 0;
  ExperimentExecution execution = {.jobs = 1, .threads = 1};
};

void RunTask(const TaskCommand& command) try {
  CheckSimdTarget();
  InitializeBlas();  // while there is one thread
  const Experiment experiment = Experiment::Open(command.directory);
  const TaskRuns runs =
      ReadTask(experiment, command.submission, static_cast<std::size_t>(command.task));
  TrainAndShow(experiment, runs, command.execution, "the task is to be queued again");
} catch (Interrupted& interrupted) {
  interrupted.resumable = true;
  throw;
}

}  // namespace

void AddExperimentSubmitCommand(Command experiment) {
  const Command submit = experiment.AddCommand("submit", "Train the runs on a Slurm cluster");
  submit.Footer(kFooter);
  auto command = std::make_shared<SubmitCommand>();
  AddExperimentChoiceOptions(submit, command->choice);
  AddIntegerOption(submit, "--array-size", command->options.array_size,
                   "Tasks (default: as many as take an hour each)", 1, 1000000)
      .Default("");
  submit.AddFlag("--retry-failed", command->retry_failed, "Try runs again that have failed");
  submit.AddFlag("--dry-run", command->dry_run, "Print the batch script");
  submit.AddArguments("sbatch", command->options.sbatch, "After --: options of sbatch")
      .TypeName("");
  submit.Callback([command] { Submit(*command); });
}

void AddExperimentTaskCommand(Command experiment) {
  const Command task = experiment.AddCommand("task", "Train the runs of one task of an array");
  task.Footer(kTaskFooter);
  auto command = std::make_shared<TaskCommand>();
  // Long enough for the lock of a node that has died to end.
  command->execution.wait_seconds = 120;
  task.AddOption("dir", command->directory, "The directory of the experiment")
      .TypeName("DIR")
      .Required();
  task.AddOption("submission", command->submission, "The name of the submission, such as 001")
      .TypeName("NAME")
      .Required();
  AddIntegerOption(task, "task", command->task, "The number of the task", 0, 1 << 30)
      .Default("")
      .Required();
  AddIntegerOption(task, "--threads", command->execution.threads, "Threads of each run", 1,
                   kMaxBlasCallers);
  task.Callback([command] { RunTask(*command); });
}

}  // namespace pushdown::cli
