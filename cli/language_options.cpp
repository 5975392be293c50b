#include "cli/language_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/standard_error.h"
#include "pushdown/formal/grammar_language.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

std::map<std::string, double> ReadParameters(const std::vector<std::string>& texts) {
  std::map<std::string, double> parameters;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) {
      throw UsageError("--param: expected NAME=VALUE, found " + Quoted(text));
    }
    const std::optional<double> value = ParseProbability(text.substr(equals + 1));
    if (!value) {
      throw UsageError("--param: expected a probability such as 0.25 or 1/4 after =, found " +
                       Quoted(text));
    }
    if (!parameters.emplace(text.substr(0, equals), *value).second) {
      throw UsageError(Quoted(text.substr(0, equals)) + " is given twice with --param");
    }
  }
  return parameters;
}

}  // namespace

void AddParameterOptions(CLI::App& command, LanguageArguments& arguments) {
  AddIntegerOption(command, "--symbols", arguments.symbols,
                   "Number of symbol or bracket types (default: the task's)", 1)
      ->default_str("");
  command.add_option("--param", arguments.parameters, "A parameter of the task; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void AddLanguageOptions(CLI::App& command, LanguageArguments& arguments) {
  command.add_option("--task", arguments.task, "A language of `pushdown tasks`")->type_name("NAME");
  command.add_option("--grammar", arguments.grammar, "A grammar; - for standard input")
      ->type_name("FILE");
  AddParameterOptions(command, arguments);
}

const char* const kLanguageHelp =
    R"help(The language is --task NAME (see `pushdown tasks`) or --grammar FILE:
  # Balanced brackets.
  S -> "(" S ")" S [0.4] | eps [0.6]
Symbols that have rules are nonterminals, the first one is the start symbol, unless a line
"start: S" names another. Others are terminals; they must be in quotes if they begin with an
upper-case letter, if they contain anything but letters, digits, _ - and ', or if they are eps,
which is the empty string (so are epsilon and the Greek letter). A single other character such as
; or ( needs no quotes, but # begins a comment, and | and [ have a meaning. A rule ends with its
line, unless the next line begins with |; a nonterminal may have several. Probabilities are
decimals or fractions, and sum to one for each nonterminal; alternatives without one share what is
left.

A string has the probability p_L(w) = p(length) p(w | length): lengths are uniform over those in
--lengths that the language has, strings of a length as the grammar has them (or uniform, for tasks
that are not context-free).)help";

Grammar ReadGrammarFile(const std::string& file, GrammarUse use) {
  constexpr double kMaxBytes = 64e6;
  const std::string text = ReadText(file, kMaxBytes);
  ParsedGrammar parsed;
  try {
    parsed = ParseGrammar(text, InputName(file), use);
  } catch (const Error& error) {
    throw UsageError(MessageForUser(error));
  }
  constexpr std::size_t kMostWarnings = 10;
  for (std::size_t n = 0; n < std::min(parsed.warnings.size(), kMostWarnings); ++n) {
    PrintWarning(Printable(parsed.warnings[n], 400));
  }
  if (parsed.warnings.size() > kMostWarnings) {
    PrintWarning(fmt::format("and {} more", parsed.warnings.size() - kMostWarnings));
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

ChosenLanguage ChooseLanguage(const LanguageArguments& arguments) {
  if (arguments.task.empty() == arguments.grammar.empty()) {
    throw UsageError(
        std::string(arguments.task.empty() ? "no language is given" : "two languages are given") +
        "; give either --task NAME, one that `pushdown tasks` lists, or --grammar FILE");
  }
  if (!arguments.grammar.empty()) {
    if (arguments.symbols != 0 || !arguments.parameters.empty()) {
      throw UsageError("--symbols and --param are for --task; a grammar has its own numbers");
    }
    ChosenLanguage chosen;
    chosen.grammar = ReadGrammarFile(arguments.grammar, GrammarUse::kDistribution);
    return chosen;
  }
  const LanguageOptions given = {.symbols = arguments.symbols,
                                 .parameters = ReadParameters(arguments.parameters)};
  try {
    FindLanguage(arguments.task);
  } catch (const Error& error) {
    throw UsageError(fmt::format("{}: {}", arguments.task_name, MessageForUser(error)));
  }
  try {
    return ChooseTask(arguments.task, given);
  } catch (const Error& error) {
    throw UsageError(MessageForUser(error));
  }
}

std::unique_ptr<Language> MakeLanguage(const ChosenLanguage& chosen, int max_length) {
  Progress progress("preparing the language");
  const auto update = [&progress](double done) { progress.Update(done); };
  try {
    if (chosen.grammar) {
      return std::make_unique<GrammarLanguage>(*chosen.grammar, max_length, update);
    }
    return pushdown::MakeLanguage(*chosen.info, chosen.options, max_length, update);
  } catch (const Error& error) {
    throw UsageError(MessageForUser(error));
  }
}

StringDistribution DistributionOf(const Language& language, LengthRange range,
                                  const std::string& option) {
  try {
    return {language, range};
  } catch (const Error& error) {
    std::string message = option + ": " + MessageForUser(error);
    int shorter = range.min;
    while (shorter > 0 && !language.HasLength(shorter)) --shorter;
    if (language.HasLength(shorter)) message += fmt::format("; it has some of length {}", shorter);
    throw UsageError(message);
  }
}

std::string AlphabetText(const SymbolTable& alphabet) {
  constexpr std::size_t kAll = 16;
  constexpr std::size_t kFirst = 8;
  constexpr std::size_t kLast = 4;
  const std::vector<std::string>& names = alphabet.names();
  if (names.size() <= kAll) return fmt::format("{}", fmt::join(names, " "));
  return fmt::format("{} ... {}", fmt::join(names.begin(), names.begin() + kFirst, " "),
                     fmt::join(names.end() - kLast, names.end(), " "));
}

}  // namespace pushdown::cli
