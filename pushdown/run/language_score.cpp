#include "pushdown/run/language_score.h"

#include <fmt/format.h>

#include "pushdown/data/token_format.h"
#include "pushdown/error.h"
#include "pushdown/printable.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/setting_values.h"

namespace pushdown {
namespace {

constexpr double kMinusInfinity = LanguageScore::kMinusInfinity;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

LanguageScorer::LanguageScorer(const Language& language, std::optional<LengthRange> lengths)
    : language_(language) {
  if (lengths) distribution_.emplace(DistributionOf(language, *lengths, "--lengths"));
}

LanguageScore LanguageScorer::Score(std::string_view line) const {
  const TokenLine tokens = ReadTokens(line, language_.alphabet());
  LanguageScore score = {.length = tokens.length};
  if (tokens.length > Language::kMaxLength) {
    score.log_p_grammar = score.log_p_given_length = kUnknown;
    score.objection = fmt::format("has {} symbols, and no string may have more than {}",
                                  tokens.length, Language::kMaxLength);
    return score;
  }
  if (!tokens.unknown.empty()) {
    score.member = false;
    score.objection = fmt::format("position {}: {} is not a symbol of the language; they are: {}",
                                  tokens.string.size() + 1, Quoted(tokens.unknown),
                                  Printable(AlphabetText(language_.alphabet()), 200));
    return score;
  }
  return Score(tokens.string);
}

LanguageScore LanguageScorer::Score(std::span<const int> string) const {
  LanguageScore score = {.length = string.size()};
  const int length = static_cast<int>(string.size());
  // Longer strings have no probability, and are not parsed: that may take the cube of the length.
  if (length > language_.max_length()) {
    score.log_p_grammar = score.log_p_given_length = kUnknown;
  } else {
    try {
      score.log_p_grammar = language_.LogWeight(string);
      // Members need no second look.
      const bool positive = score.log_p_grammar != kMinusInfinity;
      if (!positive) score.objection = ObjectionText(language_, string);
      score.member = positive || score.objection.empty();
    } catch (const Error& error) {
      score.log_p = score.log_p_given_length = score.log_p_grammar = kUnknown;
      score.objection = error.message();
    }
    if (!score.objection.empty()) return score;
    score.log_p_given_length = score.log_p_grammar - language_.LogWeightOfLength(length);
  }
  if (!distribution_) {
    score.log_p = kUnknown;
    return score;
  }
  const LengthRange range = distribution_->range();
  if (range.min <= length && length <= range.max) {
    score.log_p = score.log_p_given_length + distribution_->LogProbabilityOfLength();
  } else {
    score.objection =
        fmt::format("has {} symbols, which is not in --lengths {}", length, RangeText(range));
  }
  return score;
}

std::string ObjectionText(const Language& language, std::span<const int> string) {
  const auto objection = language.FindObjection(string);
  if (!objection) return {};
  return fmt::format("position {}: {}", objection->position, Printable(objection->reason, 300));
}

std::unique_ptr<Language> LanguageOf(const TrainedModel& model, int max_length,
                                     const StageProgress& progress) {
  if (!model.language) return nullptr;
  std::unique_ptr<Language> language = MakeLanguage(*model.language, max_length, progress);
  if (language->alphabet() != model.vocabulary) {
    throw Error(
        "pushdown::LanguageOf",
        fmt::format("{}: the vocabulary is not that of the language", Printable(model.path, 200)));
  }
  return language;
}

std::optional<LengthRange> TrainingLengthsOf(const TrainedModel& model) {
  const std::string directory = model.RunDirectory();
  if (!model.language || directory.empty()) return std::nullopt;
  const RunSettings settings = ReadConfig(directory).settings;
  return settings.language ? std::optional(settings.dataset.lengths) : std::nullopt;
}

}  // namespace pushdown
