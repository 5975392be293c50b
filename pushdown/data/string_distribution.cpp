#include "pushdown/data/string_distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "pushdown/error.h"

namespace pushdown {

StringDistribution::StringDistribution(const Language& language, LengthRange range)
    : language_(language), range_(range) {
  const std::string text = std::to_string(range.min) + ":" + std::to_string(range.max);
  if (range.min < 0 || range.min > range.max || range.max > language.max_length()) {
    throw Error("pushdown::StringDistribution",
                "the range of lengths " + text +
                    " is empty or goes beyond 0:" + std::to_string(language.max_length()));
  }
  for (int length = range.min; length <= range.max; ++length) {
    if (language.HasLength(length)) lengths_.push_back(length);
  }
  if (lengths_.empty()) {
    throw Error("pushdown::StringDistribution",
                "the language has no string with a length in " + text);
  }
}

int StringDistribution::SampleLength(Random& random) const {
  return lengths_[random.Below(lengths_.size())];
}

double StringDistribution::LogProbabilityOfLength() const {
  return -std::log(static_cast<double>(lengths_.size()));
}

double StringDistribution::LogProbability(std::span<const int> string) const {
  const bool in_range = string.size() <= static_cast<std::size_t>(range_.max) &&
                        string.size() >= static_cast<std::size_t>(range_.min);
  if (!in_range) return -std::numeric_limits<double>::infinity();
  return LogProbabilityOfLength() + language_.LogProbabilityGivenLength(string);
}

void CrossEntropy::Add(double log_probability, int length) {
  ++strings_;
  symbols_ += length + 1;
  log_probability_ += log_probability;
}

void CrossEntropy::Add(const CrossEntropy& other) {
  strings_ += other.strings_;
  symbols_ += other.symbols_;
  log_probability_ += other.log_probability_;
}

}  // namespace pushdown
