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

std::vector<double> StringDistribution::LogPrefixProbabilities(std::span<const int> string) const {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  // Longer prefixes have no probability.
  const std::size_t possible = std::min(string.size(), static_cast<std::size_t>(range_.max));
  const std::vector<std::vector<double>> weights =
      language_.LogPrefixWeights(string.first(possible), range_.max);
  std::vector<double> logs(string.size() + 1, kMinusInfinity);
  for (std::size_t t = 0; t <= possible; ++t) {
    double most = kMinusInfinity;
    std::vector<double> terms;  // log p(prefix | length)
    for (const int length : lengths_) {
      terms.push_back(weights[t][static_cast<std::size_t>(length)] -
                      language_.LogWeightOfLength(length));
      most = std::max(most, terms.back());
    }
    if (most == kMinusInfinity) break;
    double sum = 0;
    for (const double term : terms) sum += std::exp(term - most);
    logs[t] = std::min(0.0, most + std::log(sum) + LogProbabilityOfLength());
  }
  return logs;
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
