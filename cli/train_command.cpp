#include "cli/train_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/errors.h"
#include "cli/interrupt.h"
#include "cli/perplexity_text.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "cli/text_table.h"
#include "cli/training_display.h"
#include "pushdown/json.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/memory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/process.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/run_data.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/run/settings_format.h"
#include "pushdown/run/training_run.h"

namespace pushdown::cli {
namespace {

// The settings of the file, and then those of the command line, which take precedence.
void Give(const TrainCommand& command, SettingsDraft& draft) {
  if (!command.config.empty()) {
    ApplySettingsFile(command.config, TrainCommandName(command.kind), draft);
  }
  command.given.GiveTo(draft);
}

std::string Table(const RunSettings& settings, const std::vector<RestartOutcome>& outcomes) {
  const bool text = settings.kind == DataKind::kText;
  const std::vector<TableColumn> columns = {
      {.heading = "run", .left = true},     {.heading = "epochs", .rank = 3},
      {.heading = "best", .rank = 4},       {.heading = "1st rate", .rank = 6},
      {.heading = "validation", .rank = 1}, {.heading = text ? "perplexity" : "difference"},
      {.heading = "seconds", .rank = 5},    {.heading = "stopped by", .rank = 2, .left = true}};
  std::vector<std::vector<std::string>> rows;
  const std::optional<std::size_t> best = BestRestart(outcomes);
  for (std::size_t n = 0; n < outcomes.size(); ++n) {
    const std::string name =
        fmt::format("{}{}", n + 1, best == n && outcomes.size() > 1 ? " *" : "");
    const std::optional<RunResult>& result = outcomes[n].result;
    if (!result) {
      rows.push_back(
          {name, "", "", "", "", "", "", outcomes[n].failure.empty() ? "not begun" : "failure"});
      continue;
    }
    const bool any = result->best_epoch > 0;
    std::string last;
    if (text && any) last = PerplexityText(result->validation_cross_entropy);
    if (result->difference) last = fmt::format("{:+.6f}", *result->difference);
    rows.push_back({name, std::to_string(result->epochs),
                    any ? std::to_string(result->best_epoch) : "",
                    fmt::format("{:.2e}", result->learning_rate),
                    any ? fmt::format("{:.6f}", result->validation_cross_entropy) : "", last,
                    fmt::format("{:.1f}", result->seconds),
                    result->failure.empty() ? StopText(result->reason) : "failure"});
  }
  return TableText(columns, rows);
}

void Print(const TrainCommand& command, const Run& run,
           const std::vector<RestartOutcome>& outcomes) {
  OutputFile out("-");
  out.Write(command.json ? IndentedJson(SummaryJson(run.settings(), outcomes))
                         : Table(run.settings(), outcomes));
  out.Commit();
}

// Ends the command if not all is well.
void ThrowIfIncomplete(const Run& run, const std::vector<RestartOutcome>& outcomes) {
  std::vector<std::string> failures;
  bool stopped = false;
  for (const RestartOutcome& outcome : outcomes) {
    if (!outcome.failure.empty()) failures.push_back(outcome.failure);
    stopped = stopped || (outcome.failure.empty() && !(outcome.result && outcome.result->finished));
  }
  if (stopped) {
    const int signal = InterruptSignal();
    if (!HoldsRun(run.path())) {
      throw Interrupted{.signal = signal,
                        .message = "interrupted before the training began; run it again",
                        .resumable = true};
    }
    std::string message =
        fmt::format("stopped by {}, and saved; go on with: {} --resume --out {}",
                    signal == 0 ? "the time limit" : SignalName(signal),
                    TrainCommandName(run.settings().kind), ShellQuoted(run.path()));
    throw Interrupted{.signal = signal, .message = std::move(message), .resumable = true};
  }
  if (failures.empty()) return;
  throw RunError(failures.size() == 1 && outcomes.size() == 1
                     ? failures.front()
                     : fmt::format("{} of {} restarts failed, the first with: {}", failures.size(),
                                   outcomes.size(), failures.front()));
}

// --dry-run: all settings, and what a training would take.
void PrintPlan(const TrainCommand& command, const RunSettings& settings,
               const Execution& execution) {
  TrainingWatch watch;
  watch.progress = StageBar();
  watch.stop = [] {
    ThrowIfInterrupted();
    return false;
  };
  const TrainingEstimate estimate = EstimateTraining(settings, execution, watch);
  const Json all = SettingsJson(settings);
  OutputFile out("-");
  if (command.json) {
    Json plan = {{"settings", all},
                 {"parameters", estimate.parameters},
                 {"training_items", estimate.training_items},
                 {"batches_per_epoch", estimate.batches},
                 {"lower_bound", nullptr},
                 {"jobs", estimate.parallelism.jobs},
                 {"threads", estimate.parallelism.threads},
                 {"memory_bytes", estimate.bytes},
                 {"seconds_per_epoch", estimate.seconds_per_epoch},
                 {"longest_seconds", estimate.longest_seconds}};
    if (estimate.lower_bound) plan["lower_bound"] = *estimate.lower_bound;
    out.Write(IndentedJson(plan));
  } else {
    std::string text;
    for (const auto& [key, value] : all.items()) {
      const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
      text += fmt::format("{:<20} {}\n", key, Printable(shown, 200));
    }
    text += fmt::format(
        "\n{}: {} parameters, {} {} in {} batches an epoch\n"
        "memory   at most {}\n"
        "time     about {} an epoch, measured on this machine with {} thread{};\n"
        "         {} if {} may have all {} epochs\n",
        ModelName(estimate.spec), estimate.parameters, estimate.training_items,
        ItemName(settings.kind), estimate.batches, Gigabytes(estimate.bytes),
        DurationText(estimate.seconds_per_epoch), estimate.parallelism.threads,
        estimate.parallelism.threads == 1 ? "" : "s", DurationText(estimate.longest_seconds),
        settings.restarts == 1 ? "it" : fmt::format("all {} restarts", settings.restarts),
        settings.training.max_epochs);
    out.Write(text);
  }
  out.Commit();
}

void Train(const TrainCommand& command, Run& run, const Execution& execution) {
  TrainingDisplay display(run.settings(), ParallelismOf(execution, run.settings()));
  const StageBar stages;
  const TrainingWatch watch = {
      .on_start =
          [&](int restart, const RunStart& start) {
            stages.Hide();
            display.Start(restart, start);
          },
      .on_batch = [&](int restart, const RunProgress& done) { display.Batch(restart, done); },
      .on_epoch = [&](int restart, const EpochReport& report) { display.Epoch(restart, report); },
      .on_end = [&](int restart) { display.End(restart); },
      .on_failure = [&](const std::string& failure) { display.Print("pushdown: " + failure); },
      .on_warning = [&](const std::string& text) { display.Print("pushdown: warning: " + text); },
      .stop = [] { return InterruptSignal() != 0; },
      .progress = stages};
  const std::vector<RestartOutcome> outcomes = run.Train(execution, watch);
  try {
    Print(command, run, outcomes);
  } catch (const Error&) {
    // The terminal is gone, say. That the training can be resumed is more important.
    ThrowIfIncomplete(run, outcomes);
    throw;
  }
  ThrowIfIncomplete(run, outcomes);
}

}  // namespace

void AddTrainCommandOptions(Command command, TrainCommand& train) {
  for (const SettingField& field : SettingFields(train.kind)) {
    train.given.AddOption(command, train.kind, field);
  }
  command.AddOption("--config", train.config, "Options in TOML, or the config.json of another run")
      .TypeName("FILE");
  command.AddFlag("--resume", train.resume, "Go on with the run in --out");
  command.AddFlag("--dry-run", train.dry_run,
                  "Print all settings, and the time and memory that it will take");
  command.AddFlag("--json", train.json, "Print a JSON object instead of a table");
}

void RunTrainCommand(const TrainCommand& command) try {
  CheckSimdTarget();
  InitializeBlas();  // while there is one thread
  SettingsDraft draft(command.kind);
  Give(command, draft);
  const Execution& execution = draft.execution;
  if (execution.out.empty() && !command.dry_run) {
    throw UsageError("no directory is given; give --out DIR");
  }
  if (command.resume) {
    Run run = OpenToResume(
        execution.out, command.kind, [&](SettingsDraft& all) { Give(command, all); }, PrintWarning);
    if (command.dry_run) {
      PrintPlan(command, run.settings(), execution);
    } else {
      Train(command, run, execution);
    }
  } else if (command.dry_run) {
    PrintPlan(command, ResolveSettings(draft, PrintWarning), execution);
  } else {
    Run::CheckNew(execution.out);
    Run run = Run::Create(execution.out, ResolveSettings(draft, PrintWarning));
    Train(command, run, execution);
  }
} catch (Interrupted& interrupted) {
  // Before the training began there is nothing to save, and the same command begins again.
  interrupted.resumable = true;
  throw;
} catch (const Error& error) {
  // A signal also ends the reading of a file.
  if (error.kind() != ErrorKind::kInput || InterruptSignal() == 0) throw;
  throw Interrupted{.signal = InterruptSignal(), .resumable = true};
}

}  // namespace pushdown::cli
