#include "cli/train_settings.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cli/command_line.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/language_json.h"
#include "cli/option_values.h"
#include "cli/parsed_file.h"
#include "pushdown/data/data_directory.h"
#include "pushdown/json_text.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"
#include "pushdown/random.h"
#include "pushdown/utf8.h"

namespace pushdown::cli {
namespace {

namespace fs = std::filesystem;

// The longest task.json and configuration files that are read.
constexpr double kMaxSettingsBytes = 64e6;

constexpr const char* kProcedure = "Procedure";  // a group of options

constexpr std::array kLanguageOptions = {"--task", "--grammar", "--symbols", "--param"};
constexpr std::array kSamplingOptions = {"--lengths",         "--test-lengths", "--training-size",
                                         "--validation-size", "--test-size",    "--test-seed",
                                         "--data-seed"};

// TOML has signed integers.
constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::int64_t>::max();

void AddSeedOption(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& value,
                   const std::string& description) {
  AddOptionalInteger(command, name, value, description, 0, kLargestSeed)->group("Seeds");
}

// Sets an option as if the command line had it, unless it has.
void SetOption(CLI::Option& option, const std::vector<std::string>& values) {
  if (option.count() > 0) return;
  for (const std::string& value : values) option.add_result(value);
  option.run_callback();
}

LengthRange ReadRange(const nlohmann::json& splits, const char* split) {
  const auto range = splits.at(split).at("lengths").get<std::array<double, 2>>();
  const bool good = 0 <= range[0] && range[0] <= range[1] && range[1] <= Language::kMaxLength;
  if (!good) throw UsageError(fmt::format("splits.{}.lengths is not a range of lengths", split));
  return {static_cast<int>(range[0]), static_cast<int>(range[1])};
}

// The language that the strings of a data directory are of, if it says so.
void ReadTaskFile(TrainSettings& settings) {
  const fs::path path = fs::path(settings.data) / kTaskFile;
  std::error_code error;
  if (!fs::exists(path, error)) return;
  ParseFile(path.string(), kMaxSettingsBytes, [&settings](const std::string& text) {
    const nlohmann::json task = ReadJson(text);
    settings.language = ReadLanguageJson(task);
    settings.dataset.lengths = ReadRange(task.at("splits"), "validation");
    settings.dataset.test_lengths = ReadRange(task.at("splits"), "test");
  });
}

std::string TomlText(const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* integer = value.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* real = value.as_floating_point()) return fmt::format("{}", real->get());
  throw UsageError("expected a string or a number");
}

// Options that describe the sets of strings.
void AddStringsOptions(CLI::App& command, TrainSettings& settings) {
  AddLanguageOptions(command, settings.language_arguments);
  command.add_option("--data", settings.data, "A directory as `pushdown data` makes it")
      ->type_name("DIR");
  FormalDatasetOptions& dataset = settings.dataset;
  AddLengthsOption(command, "--lengths", dataset.lengths, "Lengths of training and validation");
  AddLengthsOption(command, "--test-lengths", dataset.test_lengths,
                   "Lengths of the test set (default: up to a quarter longer)");
  AddIntegerOption(command, "--training-size", dataset.training_size, "Strings for training", 1);
  AddIntegerOption(command, "--validation-size", dataset.validation_size, "Strings for validation",
                   1);
  AddIntegerOption(command, "--test-size", dataset.test_size_per_length,
                   "Strings of each length for the test", 1);
}

void AddScheduleOptions(CLI::App& command, TrainingOptions& training) {
  PlateauOptions& plateau = training.plateau;
  AddRealOption(command, "--decay-factor", plateau.factor,
                "The rate is multiplied by it on a plateau", kPositiveFraction)
      ->group(kProcedure);
  AddIntegerOption(command, "--decay-patience", plateau.patience,
                   "Epochs in a row without improvement before that")
      ->group(kProcedure);
  AddRealOption(command, "--decay-threshold", plateau.threshold,
                "Relative decrease of the perplexity that is an improvement for that", kFraction)
      ->group(kProcedure);
  AddRealOption(command, "--decay-minimum", plateau.min_decrease,
                "Smaller changes of the rate are not made",
                {.min = 0, .max = std::numeric_limits<double>::infinity(), .min_included = true})
      ->group(kProcedure);
  AddIntegerOption(command, "--patience", training.patience,
                   "Stop after so many epochs in a row without any improvement", 1)
      ->group(kProcedure);
  AddIntegerOption(command, "--max-epochs", training.max_epochs, "Stop after so many epochs", 1)
      ->group(kProcedure);
}

void CheckOrder(double min, double max, const std::string& name) {
  if (min > max) throw UsageError(fmt::format("--min-{0} is greater than --max-{0}", name));
}

// The name of the directory of --data, which must be one.
void ResolveDirectory(std::string& data) {
  const std::string fault = DirectoryFault(data);
  if (!fault.empty()) throw UsageError("--data: " + Quoted(data) + " " + fault);
  std::error_code error;
  const fs::path absolute = fs::weakly_canonical(data, error);
  if (error) throw UsageError("--data: " + Quoted(data) + " cannot be read: " + error.message());
  data = absolute.string();
  // It is kept in files that are.
  if (!IsUtf8(data)) throw UsageError("--data: the name " + Quoted(data) + " is not UTF-8");
}

void ResolveLanguage(const CLI::App& command, TrainSettings& settings) {
  if (IsGiven(command, "--lengths") && !IsGiven(command, "--test-lengths")) {
    settings.dataset.test_lengths = TestLengthsFor(settings.dataset.lengths);
  }
  if (settings.data.empty()) {
    const LanguageArguments& arguments = settings.language_arguments;
    if (arguments.task.empty() && arguments.grammar.empty()) {
      throw UsageError(
          "nothing to train on is given; give --task NAME, one that `pushdown tasks` lists, "
          "--grammar FILE or --data DIR");
    }
    settings.language = ChooseLanguage(arguments);
    return;
  }
  const auto refuse = [&command](const std::string& option) {
    if (IsGiven(command, option)) {
      throw UsageError(option + " and --data do not go together: the directory has its own sets");
    }
  };
  std::for_each(kLanguageOptions.begin(), kLanguageOptions.end(), refuse);
  std::for_each(kSamplingOptions.begin(), kSamplingOptions.end(), refuse);
  ResolveDirectory(settings.data);
  ReadTaskFile(settings);
}

// What the sets of strings follow from.
void AddStringsJson(const TrainSettings& settings, Json& value) {
  value["language"] = settings.language ? LanguageJson(*settings.language) : Json();
  if (!settings.data.empty()) value["data"] = settings.data;
  const FormalDatasetOptions& dataset = settings.dataset;
  if (settings.language) {
    value["lengths"] = RangeText(dataset.lengths);
    value["test-lengths"] = RangeText(dataset.test_lengths);
  }
  if (settings.data.empty()) {
    value["training-size"] = dataset.training_size;
    value["validation-size"] = dataset.validation_size;
    value["test-size"] = dataset.test_size_per_length;
  }
}

}  // namespace

bool IsGiven(const CLI::App& command, const std::string& option) {
  const CLI::Option* found = command.get_option_no_throw(option);
  return found != nullptr && found->count() > 0;
}

const char* TrainCommandName(DataKind kind) {
  return kind == DataKind::kText ? "pushdown lm train" : "pushdown train";
}

TrainSettings DefaultSettings(DataKind kind) {
  TrainSettings settings;
  settings.model.kind = kind;
  if (kind == DataKind::kStrings) return settings;
  settings.min_learning_rate = 1;
  settings.max_learning_rate = 100;
  TrainingOptions& training = settings.training;
  training.optimizer = Optimizer::kSgd;
  training.plateau = {.factor = 1 / 1.5, .patience = 0, .threshold = 0, .min_decrease = 0};
  training.patience = 2;
  training.max_epochs = 100;
  return settings;
}

void AddTrainOptions(CLI::App& command, TrainSettings& settings) {
  const bool text = settings.kind() == DataKind::kText;
  ModelArguments& model = settings.model;
  TrainingOptions& training = settings.training;
  if (text) {
    command.add_option("--data", settings.data, "A directory with files of text (see below)")
        ->type_name("DIR");
  } else {
    AddStringsOptions(command, settings);
  }
  AddModelOptions(command, model);
  if (text) {
    AddTextModelOptions(command, model);
    AddStackLimitOptions(command, model);
    AddIntegerOption(command, "--batch-size", settings.text.rows,
                     "Rows of text that are read side by side", 1, 1 << 20)
        ->group(kProcedure);
    AddIntegerOption(command, "--chunk-length", settings.text.chunk_length,
                     "Steps of a batch, after which gradients are cut", 1, 1 << 20)
        ->group(kProcedure);
  } else {
    AddInitializationOption(command, model);
    AddIntegerOption(command, "--batch-size", settings.strings.batch_size,
                     "Strings of equal length in a batch", 1, 1 << 20)
        ->group(kProcedure);
  }
  AddOptionalReal(command, "--learning-rate", settings.learning_rate,
                  "Initial rate (default: log-uniform in the two that follow)", kPositive)
      ->group(kProcedure);
  AddRealOption(command, "--min-learning-rate", settings.min_learning_rate, "Smallest initial rate",
                kPositive)
      ->group(kProcedure);
  AddRealOption(command, "--max-learning-rate", settings.max_learning_rate, "Largest initial rate",
                kPositive)
      ->group(kProcedure);
  if (text) {
    AddOptionalReal(command, "--clipping", settings.clipping,
                    "Largest norm of a gradient (default: log-uniform in the two that follow)",
                    kPositive)
        ->group(kProcedure);
    AddRealOption(command, "--min-clipping", settings.min_clipping, "Smallest of these", kPositive)
        ->group(kProcedure);
    AddRealOption(command, "--max-clipping", settings.max_clipping, "Largest of these", kPositive)
        ->group(kProcedure);
  } else {
    AddRealOption(command, "--clipping", training.clipping, "Largest norm of a gradient", kPositive)
        ->group(kProcedure);
    AddRealOption(command, "--beta1", training.adam.beta1, "Of Adam", kFraction)->group(kProcedure);
    AddRealOption(command, "--beta2", training.adam.beta2, "Of Adam", kFraction)->group(kProcedure);
    AddRealOption(command, "--epsilon", training.adam.epsilon, "Of Adam", kPositive)
        ->group(kProcedure);
  }
  AddScheduleOptions(command, training);
  if (text) command.get_option("--decay-factor")->default_str("2/3");

  AddIntegerOption(command, "--seed", settings.seed, "What the other seeds follow from", 0,
                   kLargestSeed)
      ->group("Seeds");
  if (!text) {
    AddSeedOption(command, "--data-seed", settings.seeds.data,
                  "Of the sets; if given, the same for all restarts");
  }
  AddSeedOption(command, "--parameter-seed", settings.seeds.parameters, "Of the parameters");
  if (!text) {
    AddSeedOption(command, "--shuffle-seed", settings.seeds.shuffling, "Of the order of batches");
  }
  AddSeedOption(command, "--hyperparameter-seed", settings.seeds.hyperparameters,
                text ? "Of learning rate and clipping" : "Of the learning rate");
  if (!text) {
    AddIntegerOption(command, "--test-seed", settings.dataset.test_seed, "Of the test set", 0,
                     kLargestSeed)
        ->group("Seeds");
  }
  AddIntegerOption(command, "--restarts", settings.restarts, "Runs with different seeds", 1, 10000);
  command
      .add_option("--start-from", settings.start_from,
                  "Begin with the best parameters of this run, and a new optimiser")
      ->type_name("RUN");
}

void ApplyConfigFile(const std::string& path, CLI::App& command, DataKind kind) {
  const std::string name = InputName(path);
  const std::string text = ReadText(path, kMaxSettingsBytes);
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw UsageError(fmt::format("{}:{}: {}", name, error.source().begin.line,
                                 Printable(error.description(), 200)));
  }
  for (const auto& [key, value] : table) {
    const std::string option_name = "--" + std::string(key.str());
    const std::string place =
        fmt::format("{}:{}: {}", name, value.source().begin.line, Printable(key.str()));
    CLI::Option* option = command.get_option_no_throw(option_name);
    const bool refused = option_name == "--config" || option_name == "--resume" ||
                         option_name == "--help" || option_name == "--json";
    if (option == nullptr || refused) {
      throw UsageError(fmt::format("{} is not an option that a file can have{}; see {} --help",
                                   place, DidYouMean(NearestOptions(command, option_name, "")),
                                   TrainCommandName(kind)));
    }
    try {
      std::vector<std::string> values;
      if (const toml::array* array = value.as_array()) {
        for (const toml::node& element : *array) values.push_back(TomlText(element));
      } else {
        values.push_back(TomlText(value));
      }
      if (values.size() != 1 && option_name != "--param") throw UsageError("expected one value");
      SetOption(*option, values);
    } catch (const CLI::ParseError& error) {
      // The option is named already.
      std::string_view message = error.what();
      if (message.starts_with(option_name + ": ")) message.remove_prefix(option_name.size() + 2);
      throw UsageError(fmt::format("{}: {}", place, Printable(message, 200)));
    } catch (const UsageError& error) {
      throw UsageError(place + ": " + error.what());
    }
  }
}

void ResolveStart(TrainSettings& settings) {
  if (settings.start_from.empty()) return;
  std::error_code error;
  const std::string absolute = fs::weakly_canonical(settings.start_from, error).string();
  if (!error) settings.start_from = absolute;
  if (!IsUtf8(settings.start_from)) {
    throw UsageError("--start-from: the name " + Quoted(settings.start_from) + " is not UTF-8");
  }
}

void ResolveData(const CLI::App& command, TrainSettings& settings) {
  CheckOrder(settings.min_learning_rate, settings.max_learning_rate, "learning-rate");
  CheckOrder(settings.min_clipping, settings.max_clipping, "clipping");
  if (settings.kind() == DataKind::kStrings) {
    ResolveLanguage(command, settings);
    return;
  }
  if (settings.data.empty()) throw UsageError("no text to train on is given; give --data DIR");
  ResolveDirectory(settings.data);
}

TrainSettings SettingsOfRestart(const TrainSettings& settings, int restart) {
  enum Purpose : std::uint64_t { kData, kParameters, kShuffling, kHyperparameters, kPurposes };
  const auto derived = [&](Purpose purpose) {
    const std::uint64_t stream = static_cast<std::uint64_t>(restart) * kPurposes + purpose;
    return Random(settings.seed, stream).Next() >> 32;  // short enough to be typed
  };
  TrainSettings result = settings;
  result.restarts = 1;
  Seeds& seeds = result.seeds;
  if (!seeds.data) seeds.data = derived(kData);
  if (!seeds.parameters) seeds.parameters = derived(kParameters);
  if (!seeds.shuffling) seeds.shuffling = derived(kShuffling);
  if (!seeds.hyperparameters) seeds.hyperparameters = derived(kHyperparameters);
  Random random(*seeds.hyperparameters);
  const auto log_uniform = [&random](double min, double max) {
    return std::exp(random.Uniform(std::log(min), std::log(max)));
  };
  // Drawn even if they are given, so that giving one does not change the other.
  const double rate = log_uniform(settings.min_learning_rate, settings.max_learning_rate);
  const double clipping = log_uniform(settings.min_clipping, settings.max_clipping);
  if (!result.learning_rate) result.learning_rate = rate;
  result.training.learning_rate = *result.learning_rate;
  if (settings.kind() == DataKind::kText) {
    if (!result.clipping) result.clipping = clipping;
    result.training.clipping = *result.clipping;
  } else {
    result.dataset.seed = *seeds.data;
    result.dataset.batch_size = result.strings.batch_size;
    result.strings.shuffle_seed = *seeds.shuffling;
  }
  return result;
}

// Keys are the names of options, but for the language. They and their order must stay: a checkpoint
// has them too, and goes on with no others.
Json SettingsJson(const TrainSettings& settings) {
  const bool text = settings.kind() == DataKind::kText;
  Json value = Json::object();
  const auto set_if = [&value](const char* key, const auto& optional) {
    if (optional) value[key] = *optional;
  };
  if (text) {
    value["data"] = settings.data;
  } else {
    AddStringsJson(settings, value);
  }
  const ModelArguments& model = settings.model;
  value["model"] = model.name;
  set_if("hidden-units", model.hidden_units);
  value["bottom"] = model.bottom;
  value["initial-vector"] = model.initial_vector;
  if (text) {
    set_if("embedding-size", model.embedding_size);
    set_if("window", model.window);
    set_if("depth-limit", model.depth_limit);
    value["init-bound"] = model.init_bound;
  } else {
    value["init"] = model.initialization;
  }
  const TrainingOptions& training = settings.training;
  value["batch-size"] = text ? settings.text.rows : settings.strings.batch_size;
  if (text) value["chunk-length"] = settings.text.chunk_length;
  set_if("learning-rate", settings.learning_rate);
  value["min-learning-rate"] = settings.min_learning_rate;
  value["max-learning-rate"] = settings.max_learning_rate;
  if (text) {
    set_if("clipping", settings.clipping);
    value["min-clipping"] = settings.min_clipping;
    value["max-clipping"] = settings.max_clipping;
  } else {
    value["clipping"] = training.clipping;
    value["beta1"] = training.adam.beta1;
    value["beta2"] = training.adam.beta2;
    value["epsilon"] = training.adam.epsilon;
  }
  value["decay-factor"] = training.plateau.factor;
  value["decay-patience"] = training.plateau.patience;
  value["decay-threshold"] = training.plateau.threshold;
  value["decay-minimum"] = training.plateau.min_decrease;
  value["patience"] = training.patience;
  value["max-epochs"] = training.max_epochs;
  value["seed"] = settings.seed;
  const Seeds& seeds = settings.seeds;
  if (!text) {
    value["test-seed"] = settings.dataset.test_seed;
    set_if("data-seed", seeds.data);
  }
  set_if("parameter-seed", seeds.parameters);
  if (!text) set_if("shuffle-seed", seeds.shuffling);
  set_if("hyperparameter-seed", seeds.hyperparameters);
  value["restarts"] = settings.restarts;
  if (!settings.start_from.empty()) value["start-from"] = settings.start_from;
  return value;
}

TrainSettings ReadSettingsJson(const nlohmann::json& value, DataKind kind) {
  TrainSettings settings = DefaultSettings(kind);
  // The options of the command check the values here as they do there.
  CLI::App options;
  AddTrainOptions(options, settings);
  if (!value.is_object()) throw UsageError("the settings are not an object");
  for (const auto& [key, setting] : value.items()) {
    if (key == "language" && kind == DataKind::kStrings) {
      if (!setting.is_null()) settings.language = ReadLanguageJson(setting);
      continue;
    }
    CLI::Option* option = options.get_option_no_throw("--" + key);
    if (option == nullptr || !(setting.is_string() || setting.is_number())) {
      throw UsageError("the setting " + Quoted(key) + " is not one of this version");
    }
    try {
      SetOption(*option, {setting.is_string() ? setting.get<std::string>() : setting.dump()});
    } catch (const CLI::ParseError& error) {
      throw UsageError("the setting " + Printable(error.what(), 200));
    }
  }
  if (settings.data.empty() && !settings.language) {
    throw UsageError("the settings have neither a language nor data");
  }
  // Everything that follows from others. Seeds that are there stay.
  if (settings.restarts == 1) settings = SettingsOfRestart(settings, 1);
  const Json known = SettingsJson(settings);
  for (const auto& [key, setting] : value.items()) {
    if (!known.contains(key)) {
      throw UsageError("the setting " + Quoted(key) + " is not one of this version");
    }
  }
  return settings;
}

void CheckSameSettings(const CLI::App& command, const TrainSettings& given,
                       const TrainSettings& of_run) {
  const Json wanted = SettingsJson(given);
  const Json found = SettingsJson(of_run);
  for (const auto& [key, value] : wanted.items()) {
    if (key == "max-epochs") continue;  // it may be raised and lowered
    bool is_given = IsGiven(command, "--" + key);
    if (key == "language") {
      for (const char* option : kLanguageOptions) is_given = is_given || IsGiven(command, option);
    }
    const Json of_run_value = found.contains(key) ? found[key] : Json();
    if (!is_given || value == of_run_value) continue;
    const std::string what = key == "language" ? "the language" : "--" + key;
    throw UsageError(fmt::format(
        "{} is {}, but the run has {}; leave it out to resume the run, or choose another --out",
        what, Printable(value.dump(), 100), Printable(of_run_value.dump(), 100)));
  }
}

}  // namespace pushdown::cli
