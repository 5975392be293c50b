#include "pushdown/run/language_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/formal/grammar_language.h"
#include "pushdown/input_file.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::ChooseLanguage", message);
}

std::map<std::string, double> ReadParameters(const std::vector<std::string>& texts) {
  std::map<std::string, double> parameters;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) Refuse("--param: expected NAME=VALUE, found " + Quoted(text));
    const std::optional<double> value = ParseProbability(text.substr(equals + 1));
    if (!value) {
      Refuse("--param: expected a probability such as 0.25 or 1/4 after =, found " + Quoted(text));
    }
    if (!parameters.emplace(text.substr(0, equals), *value).second) {
      Refuse(Quoted(text.substr(0, equals)) + " is given twice with --param");
    }
  }
  return parameters;
}

}  // namespace

Grammar ReadGrammarFile(const std::string& file, GrammarUse use, const Warn& warn) {
  constexpr double kMaxBytes = 64e6;
  const std::string text = ReadFile(file, kMaxBytes);
  ParsedGrammar parsed =
      ParseGrammar(text, file == "-" ? "standard input" : Printable(file, 200), use);
  constexpr std::size_t kMostWarnings = 10;
  if (warn) {
    for (std::size_t n = 0; n < std::min(parsed.warnings.size(), kMostWarnings); ++n) {
      warn(Printable(parsed.warnings[n], 400));
    }
    if (parsed.warnings.size() > kMostWarnings) {
      warn(fmt::format("and {} more", parsed.warnings.size() - kMostWarnings));
    }
  }
  return std::move(parsed.grammar);
}

ChosenLanguage ChooseTask(const std::string& name, const LanguageOptions& options) {
  ChosenLanguage chosen;
  chosen.info = &FindLanguage(name);
  chosen.options = ResolvedOptions(*chosen.info, options);
  if (chosen.info->context_free) chosen.grammar = LanguageGrammar(*chosen.info, chosen.options);
  return chosen;
}

ChosenLanguage ChooseLanguage(const LanguageArguments& arguments, const Warn& warn) {
  if (arguments.task.empty() == arguments.grammar.empty()) {
    Refuse(
        std::string(arguments.task.empty() ? "no language is given" : "two languages are given") +
        "; give either --task NAME, one that `pushdown tasks` lists, or --grammar FILE");
  }
  if (!arguments.grammar.empty()) {
    if (arguments.symbols != 0 || !arguments.parameters.empty()) {
      Refuse("--symbols and --param are for --task; a grammar has its own numbers");
    }
    ChosenLanguage chosen;
    chosen.grammar = ReadGrammarFile(arguments.grammar, GrammarUse::kDistribution, warn);
    return chosen;
  }
  const LanguageOptions given = {.symbols = arguments.symbols,
                                 .parameters = ReadParameters(arguments.parameters)};
  try {
    FindLanguage(arguments.task);
  } catch (const Error& error) {
    Refuse(fmt::format("{}: {}", arguments.task_name, error.message()));
  }
  return ChooseTask(arguments.task, given);
}

std::unique_ptr<Language> MakeLanguage(const ChosenLanguage& chosen, int max_length,
                                       const StageProgress& progress) {
  const auto update = [&progress](double done) {
    if (progress) progress("preparing the language", done);
  };
  if (chosen.grammar) {
    return std::make_unique<GrammarLanguage>(*chosen.grammar, max_length, update);
  }
  return MakeLanguage(*chosen.info, chosen.options, max_length, update);
}

StringDistribution DistributionOf(const Language& language, LengthRange range,
                                  const std::string& option) {
  try {
    return {language, range};
  } catch (const Error& error) {
    std::string message = option + ": " + error.message();
    int shorter = range.min;
    while (shorter > 0 && !language.HasLength(shorter)) --shorter;
    if (language.HasLength(shorter)) message += fmt::format("; it has some of length {}", shorter);
    throw Error(error.kind(), "pushdown::DistributionOf", message);
  }
}

}  // namespace pushdown
