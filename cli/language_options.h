#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/data/string_distribution.h"
#include "pushdown/formal/grammar.h"
#include "pushdown/formal/grammar_text.h"
#include "pushdown/formal/language.h"
#include "pushdown/formal/languages.h"

namespace pushdown::cli {

// The options that name a language, as they were given.
struct LanguageArguments {
  std::string task = {};
  const char* task_name = "--task";  // what the argument with the task is called
  std::string grammar = {};          // a file
  int symbols = 0;
  std::vector<std::string> parameters = {};  // NAME=VALUE
};

// --symbols and --param.
void AddParameterOptions(CLI::App& command, LanguageArguments& arguments);
// These and --task and --grammar. `arguments` must live until the command runs.
void AddLanguageOptions(CLI::App& command, LanguageArguments& arguments);

// What is the same in the help of all commands with these options.
extern const char* const kLanguageHelp;

// A language of ours with all its options, or a grammar.
struct ChosenLanguage {
  const LanguageInfo* info = nullptr;  // null for a grammar
  LanguageOptions options;
  std::optional<Grammar> grammar;  // nothing for languages that are not context-free
};

// Reads a grammar file; its warnings go to standard error. Throws UsageError.
Grammar ReadGrammarFile(const std::string& file, GrammarUse use);

// Throws Error.
ChosenLanguage ChooseTask(const std::string& name, const LanguageOptions& options);

// Reads the grammar file; its warnings go to standard error. Throws UsageError.
ChosenLanguage ChooseLanguage(const LanguageArguments& arguments);

// For strings of up to max_length symbols. Shows a progress bar. Throws UsageError.
std::unique_ptr<Language> MakeLanguage(const ChosenLanguage& chosen, int max_length);

// p_L over a range of lengths, which the option of this name gave. Throws UsageError if the
// language has no string in it.
StringDistribution DistributionOf(const Language& language, LengthRange range,
                                  const std::string& option);

// The names of all symbols, or some of them if they are many.
std::string AlphabetText(const SymbolTable& alphabet);

}  // namespace pushdown::cli
