#include "pushdown/run/setting_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "pushdown/data/data_directory.h"
#include "pushdown/error.h"
#include "pushdown/formal/languages.h"
#include "pushdown/input_file.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"
#include "pushdown/run/language_json.h"
#include "pushdown/run/setting_values.h"
#include "pushdown/utf8.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelGroup = "Model";
constexpr const char* kProcedureGroup = "Procedure";
constexpr const char* kSeedsGroup = "Seeds";

// TOML has signed integers.
constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::int64_t>::max();

const std::array<std::string, 2> kBottoms = {"fixed", "old"};
const std::array<std::string, 2> kInitialVectors = {"correct", "paper-code"};
const std::array<std::string, 2> kInitializations = {"paper", "paper-code"};

constexpr std::array kLanguageSettings = {"task", "grammar", "symbols", "param"};
constexpr std::array kSamplingSettings = {"lengths",         "test-lengths", "training-size",
                                          "validation-size", "test-size",    "test-seed",
                                          "data-seed"};

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::ResolveSettings", message);
}

// --- Entries of the list.

template <typename T>
SettingValue ValueOf(const T& value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint64_t>(value);
  } else {
    return value;
  }
}
template <typename T>
SettingValue ValueOf(const std::optional<T>& value) {
  return value ? ValueOf(*value) : SettingValue();
}

template <typename T>
struct Unwrapped {
  using Type = T;
};
template <typename T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
};

// `member` is a function from the settings to one of their members, an integer or an optional one.
template <typename Member>
SettingField Integer(std::string name, std::string description, Member member,
                     std::uint64_t min = 0, std::optional<std::uint64_t> max = {}) {
  RunSettings defaults;
  using Value = std::remove_reference_t<decltype(member(defaults))>;
  using Number = typename Unwrapped<Value>::Type;
  const std::uint64_t most = max.value_or(std::numeric_limits<Number>::max());
  SettingField field;
  field.name = std::move(name);
  field.description = std::move(description);
  field.type = "N";
  field.set = [member, min, most](SettingsDraft& draft, const std::string& text) {
    member(draft.settings) = static_cast<Number>(ParseInteger(text, min, most));
  };
  field.get = [member](const RunSettings& settings) {
    return ValueOf(member(const_cast<RunSettings&>(settings)));
  };
  return field;
}

template <typename Member>
SettingField Real(std::string name, std::string description, Member member, RealRange range) {
  SettingField field;
  field.name = std::move(name);
  field.description = std::move(description);
  field.type = "X";
  field.set = [member, range](SettingsDraft& draft, const std::string& text) {
    member(draft.settings) = ParseReal(text, range);
  };
  field.get = [member](const RunSettings& settings) {
    return ValueOf(member(const_cast<RunSettings&>(settings)));
  };
  return field;
}

// Collects the fields of a kind of runs.
class Fields {
 public:
  explicit Fields(DataKind kind)
      : text_(kind == DataKind::kText), defaults_(DefaultSettings(kind)) {
    AddData();
    AddModel();
    AddProcedure();
    AddSeeds();
    AddRestarts();
    AddExecution();
  }

  std::vector<SettingField> Take() { return std::move(fields_); }

 private:
  // The default that help shows is that of the settings.
  SettingField& Add(SettingField field, const char* group = "") {
    field.group = group;
    if (field.get && field.default_text.empty()) {
      std::visit(
          [&field](const auto& value) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
              field.default_text = fmt::format("{}", value);
            }
          },
          field.get(defaults_));
    }
    return fields_.emplace_back(std::move(field));
  }

  void AddLanguage() {
    Add({.name = "task",
         .description = "A language of `pushdown tasks`",
         .type = "NAME",
         .suggested = LanguageNames(),
         .set = [](SettingsDraft& draft, const std::string& text) { draft.language.task = text; }});
    Add({.name = "grammar",
         .description = "A grammar; - for standard input",
         .type = "FILE",
         .set = [](SettingsDraft& draft, const std::string& text) {
           draft.language.grammar = text;
         }});
    Add({.name = "symbols",
         .description = "Number of symbol or bracket types (default: the task's)",
         .type = "N",
         .set = [](SettingsDraft& draft, const std::string& text) {
           draft.language.symbols =
               static_cast<int>(ParseInteger(text, 1, std::numeric_limits<int>::max()));
         }});
    Add({.name = "param",
         .description = "A parameter of the task; may be repeated",
         .type = "NAME=VALUE",
         .repeated = true,
         .set = [](SettingsDraft& draft, const std::string& text) {
           draft.language.parameters.push_back(text);
         }});
  }

  void AddLengths(const std::string& name, const std::string& description,
                  LengthRange FormalDatasetOptions::*member) {
    Add({.name = name,
         .description = description,
         .type = "A:B",
         .default_text = RangeText(defaults_.dataset.*member),
         .set =
             [member](SettingsDraft& draft, const std::string& text) {
               draft.settings.dataset.*member = ParseLengths(text);
             },
         .get =
             [member](const RunSettings& settings) {
               // Those of strings in a directory are known if their language is.
               return settings.language ? SettingValue(RangeText(settings.dataset.*member))
                                        : SettingValue();
             }});
  }

  void AddData() {
    if (!text_) AddLanguage();
    const std::string description = text_ ? "A directory with files of text (see below)"
                                          : "A directory as `pushdown data` makes it";
    Add({.name = "data",
         .description = description,
         .type = "DIR",
         .changeable = true,  // its contents have a fingerprint
         .set = [](SettingsDraft& draft, const std::string& text) { draft.settings.data = text; },
         .get =
             [](const RunSettings& settings) {
               return settings.data.empty() ? SettingValue() : SettingValue(settings.data);
             }});
    if (text_) return;
    AddLengths("lengths", "Lengths of training and validation", &FormalDatasetOptions::lengths);
    AddLengths("test-lengths", "Lengths of the test set (default: up to a quarter longer)",
               &FormalDatasetOptions::test_lengths);
    // A directory has its own sets.
    const auto sampled = [](SettingField field) {
      field.get = [get = field.get](const RunSettings& settings) {
        return settings.data.empty() ? get(settings) : SettingValue();
      };
      return field;
    };
    Add(sampled(Integer(
        "training-size", "Strings for training",
        [](RunSettings& s) -> int& { return s.dataset.training_size; }, 1)));
    Add(sampled(Integer(
        "validation-size", "Strings for validation",
        [](RunSettings& s) -> int& { return s.dataset.validation_size; }, 1)));
    Add(sampled(Integer(
        "test-size", "Strings of each length for the test",
        [](RunSettings& s) -> int& { return s.dataset.test_size_per_length; }, 1)));
  }

  void AddModelInteger(const std::string& name, const std::string& description,
                       std::optional<int> ModelArguments::*member,
                       std::function<SettingValue(const RunSettings&)> get,
                       const std::string& default_text) {
    Add({.name = name,
         .description = description,
         .type = "N",
         .default_text = default_text,
         .set =
             [member](SettingsDraft& draft, const std::string& text) {
               draft.model.*member =
                   static_cast<int>(ParseInteger(text, 1, std::numeric_limits<int>::max()));
             },
         .get = std::move(get)},
        kModelGroup);
  }

  void AddModel() {
    Add({.name = "model",
         .description = "lstm[-UNITS], sup-SIZE[-SIZE...], sup-h[-UNITS], rns-STATES-SYMBOLS, "
                        "vrns-STATES-SYMBOLS-SIZE",
         .type = "NAME",
         .default_text = " ",
         .suggested = UsualModels(defaults_.kind),
         .set = [](SettingsDraft& draft, const std::string& text) { draft.model.name = text; },
         .get =
             [](const RunSettings& settings) { return SettingValue(ModelName(settings.model)); }},
        kModelGroup)
        .default_text.clear();
    AddModelInteger(
        "hidden-units", "Units of the LSTM", &ModelArguments::hidden_units,
        [](const RunSettings& settings) { return ValueOf(settings.model.hidden_units); },
        std::to_string(DefaultHiddenUnits(defaults_.kind)));
    Add({.name = "bottom",
         .description = "fixed, or old: as in earlier work (rns, vrns)",
         .type = "NAME",
         .suggested = {kBottoms.begin(), kBottoms.end()},
         .set =
             [](SettingsDraft& draft, const std::string& text) {
               draft.model.bottom = static_cast<Bottom>(ParseChoice(text, kBottoms));
             },
         .get =
             [](const RunSettings& settings) {
               const NondeterministicStackSpec* stack = settings.model.nondeterministic();
               const Bottom bottom = stack == nullptr ? Bottom::kFixed : stack->bottom;
               return SettingValue(kBottoms[static_cast<std::size_t>(bottom)]);
             }},
        kModelGroup);
    Add({.name = "initial-vector",
         .description = "correct, or paper-code: as in the paper's experiments (vrns)",
         .type = "NAME",
         .suggested = {kInitialVectors.begin(), kInitialVectors.end()},
         .set =
             [](SettingsDraft& draft, const std::string& text) {
               draft.model.initial_vector =
                   static_cast<InitialVector>(ParseChoice(text, kInitialVectors));
             },
         .get =
             [](const RunSettings& settings) {
               const NondeterministicStackSpec* stack = settings.model.nondeterministic();
               const InitialVector vector =
                   stack == nullptr ? InitialVector::kCorrect : stack->initial_vector;
               return SettingValue(kInitialVectors[static_cast<std::size_t>(vector)]);
             }},
        kModelGroup);
    if (text_) {
      AddTextModel();
      return;
    }
    Add({.name = "init",
         .description = "paper, or paper-code: how parameters start",
         .type = "NAME",
         .suggested = {kInitializations.begin(), kInitializations.end()},
         .set =
             [](SettingsDraft& draft, const std::string& text) {
               draft.settings.initialization =
                   static_cast<Initialization>(ParseChoice(text, kInitializations));
             },
         .get =
             [](const RunSettings& settings) {
               return SettingValue(
                   kInitializations[static_cast<std::size_t>(settings.initialization)]);
             }},
        kModelGroup);
  }

  void AddTextModel() {
    AddModelInteger(
        "embedding-size", "Elements of a word's embedding (default: as hidden units)",
        &ModelArguments::embedding_size,
        [](const RunSettings& settings) { return ValueOf(settings.model.embedding_size); }, "");
    fields_.back().default_text.clear();
    Add(Real("init-bound", "Parameters start uniform between it and its negative",
             [](RunSettings& s) -> double& { return s.init_bound; },
             {.min = 0, .max = 1000, .max_included = true}),
        kModelGroup);
    AddModelInteger(
        "window", "Steps that a stack of rns or vrns looks back", &ModelArguments::window,
        [](const RunSettings& settings) {
          const NondeterministicStackSpec* stack = settings.model.nondeterministic();
          return stack == nullptr ? SettingValue() : ValueOf(stack->window);
        },
        std::to_string(TextModelOptions().window));
    AddModelInteger(
        "depth-limit", "Elements that a stack of sup can hold", &ModelArguments::depth_limit,
        [](const RunSettings& settings) {
          const SuperpositionStackSpec* stack = settings.model.superposition();
          return stack == nullptr ? SettingValue() : ValueOf(stack->depth_limit);
        },
        std::to_string(TextModelOptions().depth_limit));
  }

  void AddProcedure() {
    const char* const group = kProcedureGroup;
    if (text_) {
      Add(Integer(
              "batch-size", "Rows of text that are read side by side",
              [](RunSettings& s) -> int& { return s.text.rows; }, 1, 1 << 20),
          group);
      Add(Integer(
              "chunk-length", "Steps of a batch, after which gradients are cut",
              [](RunSettings& s) -> int& { return s.text.chunk_length; }, 1, 1 << 20),
          group);
    } else {
      Add(Integer(
              "batch-size", "Strings of equal length in a batch",
              [](RunSettings& s) -> int& { return s.strings.batch_size; }, 1, 1 << 20),
          group);
    }
    Add(Real(
            "learning-rate", "Initial rate (default: log-uniform in the two that follow)",
            [](RunSettings& s) -> std::optional<double>& { return s.learning_rate; }, kPositive),
        group);
    Add(Real(
            "min-learning-rate", "Smallest initial rate",
            [](RunSettings& s) -> double& { return s.min_learning_rate; }, kPositive),
        group);
    Add(Real(
            "max-learning-rate", "Largest initial rate",
            [](RunSettings& s) -> double& { return s.max_learning_rate; }, kPositive),
        group);
    if (text_) {
      Add(Real(
              "clipping",
              "Largest norm of a gradient (default: log-uniform in the two that follow)",
              [](RunSettings& s) -> std::optional<double>& { return s.clipping; }, kPositive),
          group);
      Add(Real(
              "min-clipping", "Smallest of these",
              [](RunSettings& s) -> double& { return s.min_clipping; }, kPositive),
          group);
      Add(Real(
              "max-clipping", "Largest of these",
              [](RunSettings& s) -> double& { return s.max_clipping; }, kPositive),
          group);
    } else {
      Add(Real(
              "clipping", "Largest norm of a gradient",
              [](RunSettings& s) -> double& { return s.training.clipping; }, kPositive),
          group);
      Add(Real(
              "beta1", "Of Adam", [](RunSettings& s) -> double& { return s.training.adam.beta1; },
              kFraction),
          group);
      Add(Real(
              "beta2", "Of Adam", [](RunSettings& s) -> double& { return s.training.adam.beta2; },
              kFraction),
          group);
      Add(Real(
              "epsilon", "Of Adam",
              [](RunSettings& s) -> double& { return s.training.adam.epsilon; }, kPositive),
          group);
    }
    AddSchedule();
  }

  void AddSchedule() {
    const char* const group = kProcedureGroup;
    SettingField factor = Real(
        "decay-factor", "The rate is multiplied by it on a plateau",
        [](RunSettings& s) -> double& { return s.training.plateau.factor; }, kPositiveFraction);
    if (text_) factor.default_text = "2/3";
    Add(std::move(factor), group);
    Add(Integer("decay-patience", "Epochs in a row without improvement before that",
                [](RunSettings& s) -> int& { return s.training.plateau.patience; }),
        group);
    Add(Real(
            "decay-threshold",
            "Relative decrease of the perplexity that is an improvement for that",
            [](RunSettings& s) -> double& { return s.training.plateau.threshold; }, kFraction),
        group);
    Add(Real(
            "decay-minimum", "Smaller changes of the rate are not made",
            [](RunSettings& s) -> double& { return s.training.plateau.min_decrease; },
            kNotNegative),
        group);
    Add(Integer(
            "patience", "Stop after so many epochs in a row without any improvement",
            [](RunSettings& s) -> int& { return s.training.patience; }, 1),
        group);
    Add(Integer(
            "max-epochs", "Stop after so many epochs",
            [](RunSettings& s) -> int& { return s.training.max_epochs; }, 1),
        group)
        .changeable = true;
  }

  void AddSeed(const std::string& name, const std::string& description,
               std::optional<std::uint64_t> Seeds::*member) {
    Add(Integer(
            name, description,
            [member](RunSettings& s) -> std::optional<std::uint64_t>& { return s.seeds.*member; },
            0, kLargestSeed),
        kSeedsGroup);
  }

  void AddSeeds() {
    Add(Integer(
            "seed", "What the other seeds follow from",
            [](RunSettings& s) -> std::uint64_t& { return s.seed; }, 0, kLargestSeed),
        kSeedsGroup);
    if (!text_) {
      AddSeed("data-seed", "Of the sets; if given, the same for all restarts", &Seeds::data);
    }
    AddSeed("parameter-seed", "Of the parameters", &Seeds::parameters);
    if (!text_) AddSeed("shuffle-seed", "Of the order of batches", &Seeds::shuffling);
    AddSeed("hyperparameter-seed", text_ ? "Of learning rate and clipping" : "Of the learning rate",
            &Seeds::hyperparameters);
    if (text_) return;
    Add(Integer(
            "test-seed", "Of the test set",
            [](RunSettings& s) -> std::uint64_t& { return s.dataset.test_seed; }, 0, kLargestSeed),
        kSeedsGroup);
  }

  void AddRestarts() {
    Add(Integer(
        "restarts", "Runs with different seeds", [](RunSettings& s) -> int& { return s.restarts; },
        1, 10000));
    Add({.name = "start-from",
         .description = "Begin with the best parameters of this run, and a new optimiser",
         .type = "RUN",
         .set = [](SettingsDraft& draft,
                   const std::string& text) { draft.settings.start_from = text; },
         .get =
             [](const RunSettings& settings) {
               return settings.start_from.empty() ? SettingValue()
                                                  : SettingValue(settings.start_from);
             }});
  }

  void AddExecutionInteger(const std::string& name, const std::string& description,
                           int Execution::*member) {
    Add({.name = name,
         .description = description,
         .type = "N",
         .execution = true,
         .set = [member](SettingsDraft& draft, const std::string& text) {
           draft.execution.*member = static_cast<int>(ParseInteger(text, 1, kMaxBlasCallers));
         }});
  }
  void AddDuration(const std::string& name, const std::string& description,
                   const std::string& default_text, double Execution::*member) {
    Add({.name = name,
         .description = description,
         .type = "TIME",
         .default_text = default_text,
         .execution = true,
         .set = [member](SettingsDraft& draft, const std::string& text) {
           draft.execution.*member = ParseDuration(text);
         }});
  }

  void AddExecution() {
    Add({.name = "out",
         .description = "Directory of the run",
         .type = "DIR",
         .execution = true,
         .set = [](SettingsDraft& draft, const std::string& text) { draft.execution.out = text; }});
    AddExecutionInteger(
        "jobs",
        text_ ? "Restarts side by side (default: 1)" : "Restarts side by side (default: CPUs)",
        &Execution::jobs);
    AddExecutionInteger("threads", "Threads of each run (default: CPUs / jobs)",
                        &Execution::threads);
    AddDuration("time-limit", "Save and stop after it, such as 90s, 2h or 1d12h", "",
                &Execution::time_limit);
    AddDuration("checkpoint-interval", "Longest time between checkpoints", "5m",
                &Execution::checkpoint_seconds);
  }

  bool text_;
  RunSettings defaults_;
  std::vector<SettingField> fields_;
};

// --- What depends on several settings.

void CheckOrder(double min, double max, const std::string& name) {
  if (min > max) Refuse(fmt::format("--min-{0} is greater than --max-{0}", name));
}

// The name of the directory of --data, which must be one.
void ResolveDirectory(std::string& data) {
  const std::string fault = DirectoryFault(data);
  if (!fault.empty()) Refuse("--data: " + Quoted(data) + " " + fault);
  std::error_code error;
  const fs::path absolute = fs::weakly_canonical(data, error);
  if (error) Refuse("--data: " + Quoted(data) + " cannot be read: " + error.message());
  data = absolute.string();
  // It is kept in files that are.
  if (!IsUtf8(data)) Refuse("--data: the name " + Quoted(data) + " is not UTF-8");
}

void ResolveStart(std::string& start_from) {
  if (start_from.empty()) return;
  std::error_code error;
  const std::string absolute = fs::weakly_canonical(start_from, error).string();
  if (!error) start_from = absolute;
  if (!IsUtf8(start_from)) {
    Refuse("--start-from: the name " + Quoted(start_from) + " is not UTF-8");
  }
}

// The arguments of a task, with those that are not given from a language that has them.
LanguageArguments WithBase(LanguageArguments given, const std::optional<ChosenLanguage>& base) {
  if (!given.task.empty() || !given.grammar.empty() || !base || base->info == nullptr) return given;
  given.task = base->info->name;
  if (given.symbols == 0) given.symbols = base->options.symbols;
  for (const auto& [name, value] : base->options.parameters) {
    const std::string beginning = name + "=";
    const auto names_it = [&](const std::string& text) { return text.starts_with(beginning); };
    if (std::none_of(given.parameters.begin(), given.parameters.end(), names_it)) {
      given.parameters.push_back(fmt::format("{}={}", name, value));
    }
  }
  return given;
}

void ResolveStrings(const SettingsDraft& draft, const Warn& warn, RunSettings& settings) {
  if (draft.is_given("lengths") && !draft.is_given("test-lengths")) {
    settings.dataset.test_lengths = TestLengthsFor(settings.dataset.lengths);
  }
  const bool data_given = draft.is_given("data");
  if (draft.language.any() && !data_given) {
    settings.data.clear();  // of another run
    settings.language = ChooseLanguage(WithBase(draft.language, settings.language), warn);
    return;
  }
  if (settings.data.empty()) {
    if (settings.language) return;  // of another run
    Refuse(
        "nothing to train on is given; give --task NAME, one that `pushdown tasks` lists, "
        "--grammar FILE or --data DIR");
  }
  const auto refuse = [&draft](const std::string& name) {
    if (!draft.is_given(name)) return;
    Refuse("--" + name + " and --data do not go together: the directory has its own sets");
  };
  std::for_each(kLanguageSettings.begin(), kLanguageSettings.end(), refuse);
  std::for_each(kSamplingSettings.begin(), kSamplingSettings.end(), refuse);
  if (!data_given) return;  // of another run, with what there is to know of it
  ResolveDirectory(settings.data);
  settings.language.reset();
  settings.dataset = {};
  ReadTaskFile(settings.data, settings.language, settings.dataset);
}

// A new seed is of little use if everything that was drawn stays.
void ForgetDrawn(const SettingsDraft& draft, RunSettings& settings) {
  if (!draft.base || settings.seed == draft.base->seed) return;
  RunSettings drawn = *draft.base;
  drawn.learning_rate.reset();
  drawn.clipping.reset();
  drawn = SettingsOfRestart(drawn, 1);
  const auto forget = [&](const char* name, auto& value) {
    if (!draft.is_given(name)) value.reset();
  };
  if (settings.learning_rate == drawn.learning_rate) {
    forget("learning-rate", settings.learning_rate);
  }
  if (settings.clipping == drawn.clipping) forget("clipping", settings.clipping);
  forget("data-seed", settings.seeds.data);
  forget("parameter-seed", settings.seeds.parameters);
  forget("shuffle-seed", settings.seeds.shuffling);
  forget("hyperparameter-seed", settings.seeds.hyperparameters);
}

}  // namespace

const std::vector<SettingField>& SettingFields(DataKind kind) {
  static const std::vector<SettingField> strings = Fields(DataKind::kStrings).Take();
  static const std::vector<SettingField> text = Fields(DataKind::kText).Take();
  return kind == DataKind::kText ? text : strings;
}

const SettingField* FindSetting(DataKind kind, std::string_view name) {
  const std::vector<SettingField>& fields = SettingFields(kind);
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [name](const SettingField& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

void GiveSetting(SettingsDraft& draft, const std::string& name, const std::string& text) {
  const SettingField* field = FindSetting(draft.settings.kind, name);
  if (field == nullptr) {
    std::vector<std::string> names;
    for (const SettingField& known : SettingFields(draft.settings.kind)) {
      names.push_back(known.name);
    }
    throw Error("pushdown::GiveSetting",
                "there is no setting " + Quoted(name) + Suggestion(name, names));
  }
  try {
    field->set(draft, text);
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(), name + ": " + error.message());
  }
  draft.given.insert(name);
}

void BaseOn(const RunSettings& base, SettingsDraft& draft) {
  if (base.kind != draft.settings.kind) {
    throw Error("pushdown::BaseOn", base.kind == DataKind::kText
                                        ? "the settings are those of a model of text"
                                        : "the settings are those of a model of strings");
  }
  draft.settings = base;
  draft.base = base;
}

RunSettings ResolveSettings(const SettingsDraft& draft, const Warn& warn) {
  RunSettings settings = draft.settings;
  CheckOrder(settings.min_learning_rate, settings.max_learning_rate, "learning-rate");
  CheckOrder(settings.min_clipping, settings.max_clipping, "clipping");
  if (settings.kind == DataKind::kStrings) {
    ResolveStrings(draft, warn, settings);
  } else {
    if (settings.data.empty()) Refuse("no text to train on is given; give --data DIR");
    if (draft.is_given("data")) ResolveDirectory(settings.data);
  }
  settings.model =
      ChooseModel(settings.kind, draft.model, draft.base ? &draft.base->model : nullptr);
  if (draft.is_given("start-from")) ResolveStart(settings.start_from);
  ForgetDrawn(draft, settings);
  return settings;
}

RunSettings MakeSettings(DataKind kind, const std::vector<NamedSetting>& settings,
                         const Warn& warn) {
  SettingsDraft draft(kind);
  for (const auto& [name, value] : settings) GiveSetting(draft, name, value);
  return ResolveSettings(draft, warn);
}

}  // namespace pushdown
