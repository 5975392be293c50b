#include "python/bindings/languages.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pushdown/data/formal_dataset.h"
#include "pushdown/data/string_distribution.h"
#include "pushdown/error.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/languages.h"
#include "pushdown/random.h"
#include "pushdown/run/language_choice.h"
#include "pushdown/run/setting_values.h"
#include "pushdown/run/task_data.h"
#include "python/bindings/arrays.h"
#include "python/bindings/interrupts.h"

namespace pushdown::python {
namespace {

using String = std::vector<int>;
using Strings = std::vector<String>;
using Range = std::pair<int, int>;  // the shortest and the longest length

LengthRange RangeOf(const Range& range) { return {.min = range.first, .max = range.second}; }

// A language for strings of any length: what depends on the longest length is made when it is
// needed, and again for longer strings.
class AnyLengthLanguage {
 public:
  explicit AnyLengthLanguage(ChosenLanguage chosen) : chosen_(std::move(chosen)) {}

  const ChosenLanguage& chosen() const { return chosen_; }

  // The language for strings of up to max_length symbols or more. May be called by several threads,
  // of which one makes it while others wait.
  std::shared_ptr<const Language> For(int max_length, const Attention& attention) {
    constexpr std::chrono::milliseconds kBetweenChecks(20);
    std::unique_lock lock(mutex_, std::defer_lock);
    while (!lock.try_lock_for(kBetweenChecks)) attention.Check();
    if (language_ && language_->max_length() >= max_length) return language_;
    const auto make = [&](int longest) {
      language_ =
          MakeLanguage(chosen_, longest, [&](const std::string&, double) { attention.Check(); });
    };
    // Longer than needed, so that strings that grow one by one do not make it each time.
    const int half_longer = language_ ? language_->max_length() * 3 / 2 : 0;
    try {
      make(std::max(max_length, std::min(half_longer, Language::kMaxLength)));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kLimit || half_longer <= max_length) throw;
      make(max_length);
    }
    return language_;
  }

 private:
  ChosenLanguage chosen_;
  std::timed_mutex mutex_;
  std::shared_ptr<const Language> language_;
};

std::shared_ptr<AnyLengthLanguage> NamedLanguage(const std::string& name, int symbols,
                                                 std::map<std::string, double> parameters) {
  return std::make_shared<AnyLengthLanguage>(
      ChooseTask(name, {.symbols = symbols, .parameters = std::move(parameters)}));
}

// A grammar, and the warnings of its parser.
using Parsed = std::tuple<std::shared_ptr<AnyLengthLanguage>, std::vector<std::string>>;

Parsed ParsedLanguage(const std::string& text, const std::string& name) {
  ParsedGrammar parsed = Interruptible([&](Attention&) { return ParseGrammar(text, name); });
  ChosenLanguage chosen;
  chosen.grammar = std::move(parsed.grammar);
  return {std::make_shared<AnyLengthLanguage>(std::move(chosen)), std::move(parsed.warnings)};
}

Parsed ReadLanguage(const std::string& file) {
  ChosenLanguage chosen;
  std::vector<std::string> warnings;
  chosen.grammar = Interruptible([&](Attention&) {
    return ReadGrammarFile(file, GrammarUse::kDistribution,
                           [&](const std::string& warning) { warnings.push_back(warning); });
  });
  return {std::make_shared<AnyLengthLanguage>(std::move(chosen)), std::move(warnings)};
}

py::list Described() {
  py::list all;
  for (const LanguageInfo& info : KnownLanguages()) {
    py::list parameters;
    for (const LanguageParameter& parameter : info.parameters) {
      parameters.append(py::make_tuple(parameter.name, *ParseProbability(parameter.default_text),
                                       parameter.meaning));
    }
    all.append(py::make_tuple(info.name, info.definition, info.context_free, info.default_symbols,
                              parameters));
  }
  return all;
}

const Grammar& GrammarOf(const AnyLengthLanguage& language) {
  if (!language.chosen().grammar) throw Error("pushdown", "the language is not context-free");
  return *language.chosen().grammar;
}

py::list Rules(const AnyLengthLanguage& language) {
  const Grammar& grammar = GrammarOf(language);
  py::list rules;
  for (const Rule& rule : grammar.rules) {
    py::list right;
    for (const int symbol : rule.right) right.append(grammar.name(symbol));
    rules.append(py::make_tuple(grammar.name(rule.left), py::tuple(right), rule.weight.ToDouble()));
  }
  return rules;
}

int LengthOf(const String& string) {
  if (string.size() > static_cast<std::size_t>(Language::kMaxLength)) {
    throw Error(ErrorKind::kLimit, "pushdown",
                fmt::format("a string has {} symbols, and none may have more than {}",
                            string.size(), Language::kMaxLength));
  }
  return static_cast<int>(string.size());
}

std::vector<std::string> Alphabet(AnyLengthLanguage& language) {
  if (language.chosen().grammar) return language.chosen().grammar->terminals.names();
  return Interruptible(
      [&](const Attention& attention) { return language.For(0, attention)->alphabet().names(); });
}

Strings Sample(AnyLengthLanguage& any, int count, const Range& range, std::uint64_t seed) {
  return Interruptible([&](const Attention& attention) {
    const auto language = any.For(range.second, attention);
    const StringDistribution distribution = DistributionOf(*language, RangeOf(range), "lengths");
    Random random(seed);
    Strings strings;
    for (int n = 0; n < count; ++n) {
      attention.Check();
      strings.push_back(language->Sample(distribution.SampleLength(random), random));
    }
    return strings;
  });
}

std::vector<int> Lengths(AnyLengthLanguage& any, const Range& range) {
  return Interruptible([&](const Attention& attention) {
    const auto language = any.For(range.second, attention);
    std::vector<int> lengths;
    for (int length = range.first; length <= range.second; ++length) {
      if (language->HasLength(length)) lengths.push_back(length);
    }
    return lengths;
  });
}

double LogWeight(AnyLengthLanguage& any, const String& string) {
  LengthOf(string);
  return Interruptible(
      [&](const Attention& attention) { return any.For(0, attention)->LogWeight(string); });
}

double LogProbabilityGivenLength(AnyLengthLanguage& any, const String& string) {
  const int length = LengthOf(string);
  return Interruptible([&](const Attention& attention) {
    return any.For(length, attention)->LogProbabilityGivenLength(string);
  });
}

py::array_t<double> LogProbabilities(AnyLengthLanguage& any, const Strings& strings,
                                     const Range& range) {
  const std::vector<double> logs = Interruptible([&](const Attention& attention) {
    const auto language = any.For(range.second, attention);
    const StringDistribution distribution = DistributionOf(*language, RangeOf(range), "lengths");
    std::vector<double> result;
    for (const String& string : strings) {
      attention.Check();
      result.push_back(distribution.LogProbability(string));
    }
    return result;
  });
  return Copied<double>(logs);
}

py::array_t<double> PrefixLogProbabilities(AnyLengthLanguage& any, const String& string,
                                           const Range& range) {
  const std::vector<double> logs = Interruptible([&](const Attention& attention) {
    const auto language = any.For(range.second, attention);
    return DistributionOf(*language, RangeOf(range), "lengths").LogPrefixProbabilities(string);
  });
  return Copied<double>(logs);
}

std::optional<std::tuple<int, std::string>> FindObjection(AnyLengthLanguage& any,
                                                          const String& string) {
  LengthOf(string);
  const std::optional<Objection> objection = Interruptible(
      [&](const Attention& attention) { return any.For(0, attention)->FindObjection(string); });
  if (!objection) return std::nullopt;
  return std::tuple(objection->position, objection->reason);
}

py::object SplitDict(const FormalSplit& split) {
  if (split.strings.empty()) return py::none();
  py::dict by_length;
  for (const auto& [length, bound] : split.lower_bound_by_length) {
    by_length[py::int_(length)] = bound.PerSymbol();
  }
  py::dict dict;
  dict["strings"] = split.strings;
  dict["symbols"] = split.lower_bound.symbols();
  dict["lengths"] = py::make_tuple(split.range.min, split.range.max);
  dict["valid_lengths"] = split.valid_lengths;
  dict["lower_bound"] = split.lower_bound.PerSymbol();
  dict["lower_bound_by_length"] = by_length;
  return dict;
}

py::dict Dataset(AnyLengthLanguage& any, const Range& lengths,
                 const std::optional<Range>& test_lengths, int training_size, int validation_size,
                 int test_size, int batch_size, std::uint64_t seed, std::uint64_t test_seed) {
  FormalDatasetOptions options = {.lengths = RangeOf(lengths),
                                  .training_size = training_size,
                                  .validation_size = validation_size,
                                  .test_size_per_length = test_size,
                                  .batch_size = batch_size,
                                  .seed = seed,
                                  .test_seed = test_seed};
  options.test_lengths = test_lengths ? RangeOf(*test_lengths) : TestLengthsFor(options.lengths);
  const FormalDataset dataset = Interruptible([&](const Attention& attention) {
    const auto language =
        any.For(std::max(options.lengths.max, options.test_lengths.max), attention);
    DistributionOf(*language, options.lengths, "lengths");
    const StringDistribution test = DistributionOf(*language, options.test_lengths, "test_lengths");
    CheckSetMemory(options, language->alphabet(), test.lengths().size());
    return MakeFormalDataset(*language, options, [&](double) { attention.Check(); });
  });
  py::dict splits;
  splits["training"] = SplitDict(dataset.training);
  splits["validation"] = SplitDict(dataset.validation);
  splits["test"] = SplitDict(dataset.test);
  return splits;
}

}  // namespace

void BindLanguages(py::module_& module) {
  module.attr("max_length") = Language::kMaxLength;
  module.def("languages", &Described);
  module.def("named_language", &NamedLanguage, py::arg("name"), py::arg("symbols"),
             py::arg("parameters"));
  module.def("parse_grammar", &ParsedLanguage, py::arg("text"), py::arg("name"));
  module.def("read_grammar", &ReadLanguage, py::arg("file"));
  py::class_<AnyLengthLanguage, std::shared_ptr<AnyLengthLanguage>>(module, "Language")
      .def_property_readonly("alphabet", &Alphabet)
      .def_property_readonly(
          "has_grammar",
          [](const AnyLengthLanguage& any) { return any.chosen().grammar.has_value(); })
      .def_property_readonly(
          "symbols", [](const AnyLengthLanguage& any) { return any.chosen().options.symbols; })
      .def_property_readonly(
          "parameters",
          [](const AnyLengthLanguage& any) { return any.chosen().options.parameters; })
      .def_property_readonly("rules", &Rules)
      .def_property_readonly("start",
                             [](const AnyLengthLanguage& any) {
                               const Grammar& grammar = GrammarOf(any);
                               return grammar.name(grammar.start);
                             })
      .def_property_readonly(
          "text", [](const AnyLengthLanguage& any) { return SerializeGrammar(GrammarOf(any)); })
      .def("sample", &Sample, py::arg("count"), py::arg("lengths"), py::arg("seed"))
      .def("lengths", &Lengths, py::arg("lengths"))
      .def("log_weight", &LogWeight, py::arg("string"))
      .def("log_probability_given_length", &LogProbabilityGivenLength, py::arg("string"))
      .def("log_probabilities", &LogProbabilities, py::arg("strings"), py::arg("lengths"))
      .def("prefix_log_probabilities", &PrefixLogProbabilities, py::arg("string"),
           py::arg("lengths"))
      .def("objection", &FindObjection, py::arg("string"))
      .def("dataset", &Dataset, py::arg("lengths"), py::arg("test_lengths"),
           py::arg("training_size"), py::arg("validation_size"), py::arg("test_size"),
           py::arg("batch_size"), py::arg("seed"), py::arg("test_seed"));
}

}  // namespace pushdown::python
