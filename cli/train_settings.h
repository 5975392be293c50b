#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/json_output.h"
#include "cli/language_options.h"
#include "cli/model_options.h"
#include "pushdown/data/formal_dataset.h"
#include "pushdown/train/strings_objective.h"
#include "pushdown/train/text_objective.h"
#include "pushdown/train/trainer.h"

namespace pushdown::cli {

// "pushdown train" or "pushdown lm train".
const char* TrainCommandName(DataKind kind);

// Seeds that are not given follow from --seed and the number of the restart.
struct Seeds {
  std::optional<std::uint64_t> data = {};
  std::optional<std::uint64_t> parameters = {};
  std::optional<std::uint64_t> shuffling = {};
  std::optional<std::uint64_t> hyperparameters = {};
};

// Everything that determines the result of `pushdown train` or `pushdown lm train`.
struct TrainSettings {
  LanguageArguments language_arguments;    // as given; strings only, like the next one
  std::optional<ChosenLanguage> language;  // nothing if it is not known, with --data
  std::string data;                        // a directory, absolute; or empty
  ModelArguments model;
  FormalDatasetOptions dataset;  // but for its seed and batch size; strings only
  StringsReading strings;        // but for its seed
  TextReading text;
  TrainingOptions training;  // but for what follows
  std::optional<double> learning_rate;
  double min_learning_rate = 5e-4;  // if there is no learning_rate, log-uniform
  double max_learning_rate = 1e-2;
  std::optional<double> clipping;  // text only: strings have a default
  double min_clipping = 0.0112;    // as above
  double max_clipping = 1.12;
  std::uint64_t seed = 1;
  Seeds seeds;
  int restarts = 1;
  std::string start_from;  // a run, absolute; or empty: parameters are drawn

  DataKind kind() const { return model.kind; }
};

// With the paper's numbers: appendix D for strings, H for text.
TrainSettings DefaultSettings(DataKind kind);

// All options of settings of their kind.
void AddTrainOptions(CLI::App& command, TrainSettings& settings);

// Whether the command line, or the file that was applied to it, has an option.
bool IsGiven(const CLI::App& command, const std::string& option);

// Reads a TOML file whose keys are names of options, and sets those that the command line has not.
// Throws UsageError.
void ApplyConfigFile(const std::string& path, CLI::App& command, DataKind kind);

// Finds what is trained on and checks what goes together: chooses the language, reads the grammar,
// or the task.json of a data directory. Throws UsageError.
void ResolveData(const CLI::App& command, TrainSettings& settings);

// Makes the name of the run that --start-from names absolute. Throws UsageError.
void ResolveStart(TrainSettings& settings);

// The settings of one restart, 1 .. settings.restarts: with all seeds and numbers that are drawn.
TrainSettings SettingsOfRestart(const TrainSettings& settings, int restart);

// The "settings" of config.json.
Json SettingsJson(const TrainSettings& settings);
// The same back. Throws UsageError.
TrainSettings ReadSettingsJson(const nlohmann::json& value, DataKind kind);
// Throws UsageError if options that were given to `command` contradict those of a run; the limit of
// epochs may be another one.
void CheckSameSettings(const CLI::App& command, const TrainSettings& given,
                       const TrainSettings& of_run);

}  // namespace pushdown::cli
