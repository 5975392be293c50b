#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/json_output.h"
#include "cli/language_options.h"
#include "pushdown/data/formal_dataset.h"
#include "pushdown/model/parameters.h"
#include "pushdown/train/trainer.h"

namespace pushdown::cli {

// The options that describe a model, as they were given.
struct ModelArguments {
  std::string name = {};
  int hidden_units = 20;
  std::string bottom = "fixed";
  std::string initial_vector = "correct";
  std::string initialization = "paper";
};

// --model, --hidden-units, --bottom, --initial-vector and --init.
void AddModelOptions(CLI::App& command, ModelArguments& arguments);
// Throws UsageError.
ModelSpec MakeModelSpec(const ModelArguments& arguments, int symbols);
Initialization MakeInitialization(const ModelArguments& arguments);

// Seeds that are not given follow from --seed and the number of the restart.
struct Seeds {
  std::optional<std::uint64_t> data = {};
  std::optional<std::uint64_t> parameters = {};
  std::optional<std::uint64_t> shuffling = {};
  std::optional<std::uint64_t> hyperparameters = {};
};

// Everything that determines the result of `pushdown train`.
struct TrainSettings {
  LanguageArguments language_arguments;    // as given
  std::optional<ChosenLanguage> language;  // nothing if it is not known, with --data
  std::string data;                        // a directory, absolute; or empty
  ModelArguments model;
  FormalDatasetOptions dataset;  // but for its seed and batch size
  TrainingOptions training;      // but for what follows
  std::optional<double> learning_rate;
  double min_learning_rate = 5e-4;  // if there is no learning_rate, log-uniform
  double max_learning_rate = 1e-2;
  std::uint64_t seed = 1;
  Seeds seeds;
  int restarts = 1;
};

// All options of TrainSettings.
void AddTrainOptions(CLI::App& command, TrainSettings& settings);

// Reads a TOML file whose keys are names of options, and sets those that the command line has not.
// Throws UsageError.
void ApplyConfigFile(const std::string& path, CLI::App& command);

// Chooses the language and checks what goes together; reads the grammar, or the task.json of a data
// directory. Throws UsageError.
void ResolveLanguage(const CLI::App& command, TrainSettings& settings);

// The settings of one restart, 1 .. settings.restarts: with all seeds and the learning rate.
TrainSettings SettingsOfRestart(const TrainSettings& settings, int restart);

// The "settings" of config.json.
Json SettingsJson(const TrainSettings& settings);
// The same back. Throws UsageError.
TrainSettings ReadSettingsJson(const nlohmann::json& value);
// Throws UsageError if options that were given to `command` contradict those of a run.
void CheckSameSettings(const CLI::App& command, const TrainSettings& given,
                       const TrainSettings& of_run);

}  // namespace pushdown::cli
