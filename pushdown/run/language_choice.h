#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/data/string_distribution.h"
#include "pushdown/formal/grammar.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/language.h"
#include "pushdown/formal/languages.h"

namespace pushdown {

// Called with a warning for the user, one line.
using Warn = std::function<void(const std::string&)>;
// Called with the name of a stage of the work, such as "sampling", and the fraction of the stage
// that is done. If it throws, the work ends.
using StageProgress = std::function<void(const std::string& stage, double fraction)>;

// A language that FindLanguage knows, with all its options, or a grammar.
struct ChosenLanguage {
  const LanguageInfo* info = nullptr;  // null for a grammar
  LanguageOptions options;
  std::optional<Grammar> grammar;  // nothing for languages that are not context-free
};

// Throws Error.
ChosenLanguage ChooseTask(const std::string& name, const LanguageOptions& options = {});

// The options that choose a language, as they were given.
struct LanguageArguments {
  std::string task = {};
  const char* task_name = "--task";  // the name of the argument with the task, for messages
  std::string grammar = {};          // a file
  int symbols = 0;
  std::vector<std::string> parameters = {};  // NAME=VALUE

  bool any() const {
    return !task.empty() || !grammar.empty() || symbols != 0 || !parameters.empty();
  }
};

// Reads the grammar file, if there is one. Throws Error.
ChosenLanguage ChooseLanguage(const LanguageArguments& arguments, const Warn& warn = {});

// Reads a grammar file. Throws Error.
Grammar ReadGrammarFile(const std::string& file, GrammarUse use, const Warn& warn = {});

// The language, for strings of up to max_length symbols. Throws Error.
std::unique_ptr<Language> MakeLanguage(const ChosenLanguage& chosen, int max_length,
                                       const StageProgress& progress = {});

// p_L over a range of lengths. Throws Error if the language has no string of these lengths; the
// message names `option`, which gave the range.
StringDistribution DistributionOf(const Language& language, LengthRange range,
                                  const std::string& option);

}  // namespace pushdown
