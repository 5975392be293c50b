#include "cli/train_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/errors.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "cli/simd_target.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/output_directory.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

// The settings of the run to be resumed, which the options must not contradict.
TrainSettings ResumedSettings(const CLI::App& app, TrainCommand& command) {
  TrainSettings& given = command.settings;
  const RunConfig config = ReadConfig(command.restarts.out);
  CheckKind(command.restarts.out, config, given.kind(),
            fmt::format("use `{} --resume`", TrainCommandName(config.settings.kind())));
  const LanguageArguments& language = given.language_arguments;
  const bool names_task = !language.task.empty() || !language.grammar.empty() ||
                          language.symbols != 0 || !language.parameters.empty();
  if (names_task || !given.data.empty()) ResolveData(app, given);
  ResolveStart(given);
  CheckSameSettings(app, given, config.settings);
  TrainSettings settings = config.settings;
  if (IsGiven(app, "--max-epochs")) settings.training.max_epochs = given.training.max_epochs;
  return settings;
}

// Those of a new run.
TrainSettings NewSettings(const CLI::App& app, TrainCommand& command) {
  const std::string& out = command.restarts.out;
  if (HoldsRun(out)) {
    throw UsageError(fmt::format(
        "--out: {} already holds a run; --resume goes on with it, and another name keeps it",
        Printable(out, 300)));
  }
  try {
    CheckOutputDirectory(out);  // first, so that nothing is computed in vain
  } catch (const Error& error) {
    throw UsageError("--out: " + MessageForUser(error));
  }
  ResolveData(app, command.settings);
  ResolveStart(command.settings);
  TrainSettings settings = command.settings;
  settings.model = ResolvedModel(settings.model);
  return settings;
}

}  // namespace

void AddTrainCommandOptions(CLI::App& app, TrainCommand& command) {
  const bool text = command.settings.kind() == DataKind::kText;
  RestartsOptions& restarts = command.restarts;
  AddTrainOptions(app, command.settings);
  app.add_option("--out", restarts.out, "Directory of the run")->type_name("DIR");
  app.add_option("--config", command.config, "Options in TOML")->type_name("FILE");
  AddIntegerOption(
      app, "--jobs", restarts.jobs,
      text ? "Restarts side by side (default: 1)" : "Restarts side by side (default: CPUs)", 1,
      kMaxBlasCallers)
      ->default_str("");
  AddIntegerOption(app, "--threads", restarts.threads, "Threads of each run (default: CPUs / jobs)",
                   1, kMaxBlasCallers)
      ->default_str("");
  const auto add_duration = [&app](const std::string& name, double& value,
                                   const std::string& description) {
    return app
        .add_option_function<std::string>(
            name, [name, &value](const std::string& given) { value = ParseDuration(name, given); },
            description)
        ->type_name("TIME");
  };
  add_duration("--time-limit", restarts.time_limit,
               "Save and stop after it, such as 90s, 2h or 1d12h");
  add_duration("--checkpoint-interval", restarts.checkpoint_seconds,
               "Longest time between checkpoints")
      ->default_str("5m");
  app.add_flag("--resume", restarts.resume, "Go on with the run in --out");
  app.add_flag("--json", restarts.json, "Print a JSON object instead of a table");
}

void RunTrainCommand(CLI::App& app, TrainCommand& command) try {
  CheckSimdTarget();
  InitializeBlas();  // while there is one thread
  if (!command.config.empty()) ApplyConfigFile(command.config, app, command.settings.kind());
  if (command.restarts.out.empty()) throw UsageError("no directory is given; give --out DIR");
  const TrainSettings settings =
      command.restarts.resume ? ResumedSettings(app, command) : NewSettings(app, command);
  Restarts restarts(command.restarts, settings);
  restarts.Run();
  try {
    restarts.Print();
  } catch (const Error&) {
    // The terminal is gone, say. That the training can be resumed is more important.
    restarts.ThrowIfIncomplete();
    throw;
  }
  restarts.ThrowIfIncomplete();
} catch (Interrupted& interrupted) {
  // Before the training began there is nothing to save, and the same command begins again.
  interrupted.resumable = true;
  throw;
}

}  // namespace pushdown::cli
