#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "pushdown/formal/language.h"
#include "pushdown/random.h"

namespace pushdown {

struct LengthRange {
  int min = 40;
  int max = 80;
};

// p_L of the paper's section 4: first a length is chosen, uniformly from those lengths in a range
// that the language has, and then a string of the language with this length.
class StringDistribution {
 public:
  // The language must outlive this. Throws Error if it has no string in the range.
  StringDistribution(const Language& language, LengthRange range);

  const Language& language() const { return language_; }
  LengthRange range() const { return range_; }
  // The lengths in the range that the language has: ascending, at least one.
  const std::vector<int>& lengths() const { return lengths_; }

  int SampleLength(Random& random) const;
  // It is the same for all of lengths().
  double LogProbabilityOfLength() const;
  // -infinity if the string is not in the language or its length not in the range.
  double LogProbability(std::span<const int> string) const;
  // For t = 0 .. n: log of the probability that a string begins with the first t symbols of this
  // one; -infinity if none does. Differences are log p of each symbol given those before it.
  std::vector<double> LogPrefixProbabilities(std::span<const int> string) const;

 private:
  const Language& language_;
  LengthRange range_;
  std::vector<int> lengths_;
};

// H(S, p) of the paper's section 4, in nats a symbol, where the end of a string is a symbol too.
class CrossEntropy {
 public:
  void Add(double log_probability, int length);
  void Add(const CrossEntropy& other);
  // Adds this much to the log-probability of each string, none of which may become positive. Their
  // sum does not, by rounding, either.
  void Shift(double log_factor) {
    const double shifted = log_probability_ + static_cast<double>(strings_) * log_factor;
    log_probability_ = std::min(shifted, 0.0);
  }

  long long strings() const { return strings_; }
  long long symbols() const { return symbols_; }  // ends included
  double log_probability() const { return log_probability_; }
  // At least one string must have been added.
  double PerSymbol() const { return (0 - log_probability_) / static_cast<double>(symbols_); }

 private:
  long long strings_ = 0;
  long long symbols_ = 0;
  double log_probability_ = 0;
};

}  // namespace pushdown
