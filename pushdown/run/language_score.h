#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pushdown/data/string_distribution.h"
#include "pushdown/formal/language.h"
#include "pushdown/run/trained_model.h"

namespace pushdown {

// What a language says of a string, to stand beside what a model says. Logarithms are -infinity if
// the string is not in the language, and NaN if they are not known.
struct LanguageScore {
  static constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

  std::size_t length = 0;
  // Whether the string is in the language, whatever its length. Nothing if the string is longer
  // than the strings that the language was made for; longer strings are not parsed.
  std::optional<bool> member = {};
  double log_p = kMinusInfinity;               // p_L(w), over the lengths of the scorer
  double log_p_given_length = kMinusInfinity;  // p(w | length)
  double log_p_grammar = kMinusInfinity;       // the weight of the grammar
  // Why the string is not in the language, or p_L(w) is zero; one line. Empty if p_L(w) is not.
  std::string objection = {};
};

class LanguageScorer {
 public:
  // p_L is that over `lengths`; without them, log_p is NaN. The language must outlive this. Throws
  // Error if the language has no string of these lengths.
  LanguageScorer(const Language& language, std::optional<LengthRange> lengths);

  // A line with the names of symbols, of any length and with any bytes but "\n".
  LanguageScore Score(std::string_view line) const;
  LanguageScore Score(std::span<const int> string) const;

  // p_L, if there are lengths.
  const std::optional<StringDistribution>& distribution() const { return distribution_; }

 private:
  const Language& language_;
  std::optional<StringDistribution> distribution_;
};

// Why a string is not in the language, "position N: reason"; empty if it is in it.
std::string ObjectionText(const Language& language, std::span<const int> string);

// The language of a model, for strings of up to max_length symbols, or null if it is not known.
// Throws Error if the symbols of the model are not those of the language.
std::unique_ptr<Language> LanguageOf(const TrainedModel& model, int max_length,
                                     const StageProgress& progress = {});

// The lengths of the strings that a model was trained on, if they were sampled from a language that
// is known and the model is in its run.
std::optional<LengthRange> TrainingLengthsOf(const TrainedModel& model);

}  // namespace pushdown
