#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/counted.h"
#include "cli/drawing.h"
#include "cli/errors.h"
#include "cli/experiment_commands.h"
#include "cli/experiment_display.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/result_table_text.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "pushdown/experiment/cost.h"
#include "pushdown/experiment/experiment_file.h"
#include "pushdown/experiment/result_table.h"
#include "pushdown/json.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/run_directory.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(Trains the runs of an experiment, several side by side. Each run has a directory of its own,
DIR/CELL/restart-N, with the files of `pushdown train`; `pushdown evaluate`, `generate` and the
others work on it. Its seeds follow from the experiment's seed, the name of its cell and its number,
so that its result does not depend on the other runs, their order or the number of jobs; `pushdown
train --config DIR/CELL/restart-N/config.json --out ELSEWHERE` repeats it alone.

The first restart of every cell comes before the second of any, and cheap cells come first. After
Ctrl-C, a kill or a power cut, the same command goes on, with the same results bit for bit. Several
of these commands may work on one experiment, also on machines that share DIR; each waits for all
chosen runs to end. A run that fails is recorded with its reason, and does not stop the others. FILE
may be left out if DIR holds an experiment; it may have more cells, more restarts and higher limits
of epochs than when the experiment began.

Shown: a line for each run that ends, and on a terminal a bar with the time left. Printed at the
end: the table of `pushdown experiment table`.

--only chooses cells: task=dyck,symbols=2 those that have both, model=lstm|rns-3-3 those that have
either. --set gives a setting to all cells, such as --set max-epochs=5 or --set data=DIR.
--dry-run says how many runs there are to do, and how long they take at most, from training steps
that it measures.

Examples:
  pushdown experiment run experiments/quick.toml --out runs/quick
  pushdown experiment run experiments/capacity.toml --out runs/capacity --dry-run
  pushdown experiment run experiments/capacity.toml --out runs/capacity --only task=dyck,symbols=2 \
    --restarts 3 --time-limit 8h
  pushdown experiment run experiments/penn-treebank.toml --out runs/ptb --set data=corpora/ptb

Exit code: 0 if all chosen runs are finished; 1 if one has failed; 2 if the file or the command line
is wrong; 75 if --time-limit, SIGUSR1 or SIGUSR2 stopped it; 128 + N if signal N (SIGINT, SIGTERM,
SIGHUP) did. The same command goes on.)";

struct RunCommand {
  ExperimentChoice choice;
  ExperimentExecution execution;
  bool dry_run = false;
  bool json = false;
};

// Those of the runs that would be trained.
std::vector<RunId> RunsToDo(const RunCommand& command, const ExperimentPlan& plan,
                            std::vector<RunId> runs) {
  if (command.choice.out.empty()) return runs;
  const Experiment experiment = Experiment::Preview(command.choice.out, plan);
  std::erase_if(runs, [&](const RunId& run) {
    const RunState state = experiment.Record(run).state;
    return state == RunState::kFinished ||
           (state == RunState::kFailed && !command.execution.retry_failed);
  });
  return runs;
}

// The time that runs take, if each is begun as soon as one of the jobs is free.
double ScheduledSeconds(const std::vector<double>& seconds, int jobs) {
  std::vector<double> free(static_cast<std::size_t>(jobs));
  for (const double each : seconds) *std::min_element(free.begin(), free.end()) += each;
  return *std::max_element(free.begin(), free.end());
}

// The time of each cell, if every run uses all its epochs.
void PrintPlan(const RunCommand& command, const ExperimentPlan& plan,
               const std::vector<RunId>& chosen) {
  const std::vector<RunId> runs = RunsToDo(command, plan, chosen);
  const Parallelism parallelism = ParallelismOf(command.execution, plan.kind, runs.size());
  std::map<std::size_t, int> counts;  // of the runs of each cell
  for (const RunId& run : runs) ++counts[run.cell];
  ExperimentPlan measured;
  for (const auto& [cell, count] : counts) measured.cells.push_back(plan.cells[cell]);
  Progress bar("measuring");
  const std::vector<double> epochs = MeasureEpochSeconds(
      measured, parallelism.threads, [&bar](double fraction) { bar.Update(fraction); });
  bar.Hide();
  Json cells = Json::array();
  std::vector<std::vector<std::string>> rows;
  std::map<std::size_t, double> run_seconds;  // of each cell
  for (const auto& [place, count] : counts) {
    const Cell& cell = plan.cells[place];
    const int max_epochs = cell.settings.training.max_epochs;
    const double epoch = epochs[rows.size()];
    run_seconds[place] = epoch * max_epochs;
    cells.push_back({{"name", cell.name},
                     {"runs", count},
                     {"seconds_per_epoch", epoch},
                     {"max_epochs", max_epochs}});
    rows.push_back({cell.name, std::to_string(count), fmt::format("{:.2g} s", epoch),
                    DurationText(epoch * max_epochs)});
  }
  std::vector<double> seconds;
  for (const RunId& run : runs) seconds.push_back(run_seconds[run.cell]);
  const double longest = ScheduledSeconds(seconds, parallelism.jobs);
  const std::size_t finished = chosen.size() - runs.size();
  OutputFile out("-");
  if (command.json) {
    out.Write(IndentedJson({{"runs", runs.size()},
                            {"finished", finished},
                            {"cells", std::move(cells)},
                            {"jobs", parallelism.jobs},
                            {"threads", parallelism.threads},
                            {"longest_seconds", longest}}));
  } else if (runs.empty()) {
    out.Write(fmt::format("0 runs to do: all {} are finished or have failed\n", finished));
  } else {
    out.Write(TableText({{.heading = "cell", .left = true},
                         {.heading = "runs"},
                         {.heading = "an epoch", .rank = 1},
                         {.heading = "a run, at most"}},
                        rows));
    const std::string text = fmt::format(
        "{} in {}{}, {} side by side with {} each: at most {} if all epochs are needed; most runs "
        "stop earlier.",
        Counted(runs.size(), "run"), Counted(counts.size(), "cell"),
        finished > 0 ? fmt::format(" ({} more have ended)", finished) : "", parallelism.jobs,
        Counted(parallelism.threads, "thread"), DurationText(longest));
    out.Write("\n" + Wrapped(text, DrawingWidth(100)) + "\n");
  }
  out.Commit();
}

void PrintTable(const Experiment& experiment, bool json) {
  OutputFile out("-");
  out.Write(
      Format(MakeTable(ReadResults(experiment)), json ? TableFormat::kJson : TableFormat::kText));
  out.Commit();
}

void RunExperiment(const RunCommand& command) try {
  CheckSimdTarget();
  InitializeBlas();  // while there is one thread
  ExperimentPlan plan = PlanOf(command.choice);
  const std::vector<RunId> runs = ChosenRuns(command.choice, plan);
  if (command.dry_run) return PrintPlan(command, plan, runs);
  if (command.choice.out.empty()) throw UsageError("no directory is given; give --out DIR");
  plan.restarts = std::max(plan.restarts, command.choice.restarts);
  const Experiment experiment = Experiment::CreateOrOpen(command.choice.out, std::move(plan));
  std::exception_ptr end;
  try {
    TrainAndShow(experiment, runs, command.execution, "go on with the same command");
  } catch (...) {
    end = std::current_exception();
  }
  try {
    PrintTable(experiment, command.json);
  } catch (const Error&) {
    // The terminal is gone, say. How the training ended is more important.
    if (!end) throw;
  }
  if (end) std::rethrow_exception(end);
} catch (Interrupted& interrupted) {
  interrupted.resumable = true;
  throw;
}

}  // namespace

void AddExperimentChoiceOptions(Command command, ExperimentChoice& choice) {
  command.AddOption("file", choice.file, "The experiment, a TOML file").TypeName("FILE");
  command.AddOption("--out", choice.out, "Directory of the experiment").TypeName("DIR");
  command.AddOption("--only", choice.only, "Only these cells")
      .TypeName("SETTING=VALUE[,...]")
      .Check([](const std::string& text) {
        return text.empty() ? std::string("expected SETTING=VALUE") : std::string();
      });
  AddIntegerOption(command, "--restarts", choice.restarts,
                   "Runs of each cell (default: those of the file; more add to it)", 1,
                   kMostRestarts)
      .Default("");
  command.AddRepeated("--set", choice.set, "A setting of all cells; may be repeated")
      .TypeName("SETTING=VALUE");
}

ExperimentPlan PlanOf(const ExperimentChoice& choice) {
  if (choice.file.empty()) {
    if (choice.out.empty()) throw UsageError("no experiment is given; give FILE, a TOML file");
    if (!choice.set.empty()) throw UsageError("--set: give FILE, too, whose settings it changes");
    return Experiment::Open(choice.out).plan();
  }
  std::vector<NamedSetting> set;
  for (const std::string& text : choice.set) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0) {
      throw UsageError("--set: expected SETTING=VALUE, found \"" + text + "\"");
    }
    set.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return ReadExperimentFile(choice.file, set, PrintWarning);
}

std::vector<RunId> ChosenRuns(const ExperimentChoice& choice, const ExperimentPlan& plan) {
  CellSelector selector;
  if (!choice.only.empty()) {
    try {
      selector = CellSelector(choice.only);
      selector.Check(plan.cells);
    } catch (const Error& error) {
      throw UsageError("--only: " + MessageForUser(error));
    }
  }
  std::vector<RunId> runs =
      OrderedRuns(plan, choice.restarts > 0 ? choice.restarts : plan.restarts, selector);
  if (runs.empty()) throw UsageError("--only: no cell has all of these settings");
  return runs;
}

void TrainAndShow(const Experiment& experiment, const std::vector<RunId>& runs,
                  const ExperimentExecution& execution, const std::string& again) {
  ExperimentDisplay display(experiment, runs, execution.retry_failed);
  ExperimentWatch watch = display.Watch();
  watch.stop = [] { return InterruptSignal() != 0; };
  const ExperimentOutcome outcome = TrainExperiment(experiment, runs, execution, watch);
  display.End();
  const int signal = InterruptSignal();
  if (outcome.left > 0) {
    throw Interrupted{
        .signal = signal,
        .message = fmt::format("stopped by {}, and saved, with {} to do; {}",
                               signal == 0 ? "the time limit" : SignalName(signal),
                               Counted(outcome.left + outcome.elsewhere, "run"), again),
        .resumable = true};
  }
  if (outcome.elsewhere > 0) {
    throw Interrupted{.signal = signal,
                      .message = fmt::format("other processes are still training {}; all others "
                                             "have ended",
                                             Counted(outcome.elsewhere, "run")),
                      .resumable = true};
  }
  if (outcome.failed > 0) {
    throw RunError(
        fmt::format("{} of {} failed; `pushdown experiment status {}` says why, and "
                    "--retry-failed tries again",
                    outcome.failed, Counted(runs.size(), "run"), experiment.path()));
  }
}

void AddExperimentRunCommand(Command experiment) {
  const Command run = experiment.AddCommand("run", "Train the runs of an experiment");
  run.Footer(kFooter);
  auto command = std::make_shared<RunCommand>();
  AddExperimentChoiceOptions(run, command->choice);
  ExperimentExecution& execution = command->execution;
  execution.wait_seconds = std::numeric_limits<double>::infinity();
  AddIntegerOption(run, "--jobs", execution.jobs,
                   "Runs side by side (default: CPUs, or 1 for models of text)", 1, kMaxBlasCallers)
      .Default("");
  AddIntegerOption(run, "--threads", execution.threads,
                   "Threads of each run (default: CPUs / jobs)", 1, kMaxBlasCallers)
      .Default("");
  run.AddOption(
         "--time-limit",
         [command](const std::string& text) {
           command->execution.time_limit = ParseDuration(text);
         },
         "Save and stop after it, such as 90s, 2h or 1d12h")
      .TypeName("TIME");
  run.AddOption(
         "--checkpoint-interval",
         [command](const std::string& text) {
           command->execution.checkpoint_seconds = ParseDuration(text);
         },
         "Longest time between checkpoints")
      .TypeName("TIME")
      .Default("5m");
  run.AddFlag("--retry-failed", execution.retry_failed, "Try runs again that have failed");
  run.AddFlag("--dry-run", command->dry_run, "Say what would be done, and how long it takes");
  run.AddFlag("--json", command->json, "Print the table or the plan as JSON");
  run.Callback([command] { RunExperiment(*command); });
}

}  // namespace pushdown::cli
