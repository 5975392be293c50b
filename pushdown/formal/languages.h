#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/formal/grammar.h"
#include "pushdown/formal/language.h"

namespace pushdown {

// The languages of the paper, and of DuSell and Chiang 2020, by name.

struct LanguageParameter {
  std::string name;
  std::string default_text;  // as ParseProbability reads it
  std::string meaning;
};

struct LanguageInfo {
  std::string name;
  std::string definition;  // in one line
  bool context_free = false;
  int default_symbols = 0;  // 0: the number of symbol types cannot be chosen
  std::vector<LanguageParameter> parameters = {};
};

// All languages, in the order of the paper.
std::span<const LanguageInfo> KnownLanguages();
// Their names.
std::vector<std::string> LanguageNames();
// Throws Error, which lists the known languages, if there is none of this name.
const LanguageInfo& FindLanguage(std::string_view name);

struct LanguageOptions {
  int symbols = 0;  // symbol or bracket types; 0: the language's default
  std::map<std::string, double> parameters = {};  // the ones that do not have their defaults
};

// The options with every default filled in. Throws Error for options that the language does not
// have, and for values out of range.
LanguageOptions ResolvedOptions(const LanguageInfo& info, const LanguageOptions& options);

// The PCFG of a context-free language.
Grammar LanguageGrammar(const LanguageInfo& info, const LanguageOptions& options = {});

std::unique_ptr<Language> MakeLanguage(const LanguageInfo& info, const LanguageOptions& options,
                                       int max_length,
                                       const std::function<void(double)>& progress = {});

}  // namespace pushdown
