#pragma once

#include <string>

#include "pushdown/data/string_distribution.h"
#include "pushdown/run/language_choice.h"

namespace pushdown::cli {

// `pushdown score` with --task or --grammar: the probabilities of strings in a formal language.
struct LanguageScoreCommand {
  LanguageArguments language;
  LengthRange lengths;
  std::string file = "-";
  bool json = false;
};

void ScoreWithLanguage(const LanguageScoreCommand& command);

}  // namespace pushdown::cli
