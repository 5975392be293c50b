#pragma once

#include <span>
#include <vector>

#include "pushdown/formal/language.h"
#include "pushdown/random.h"

namespace pushdown {

struct LengthRange {
  int min = 40;
  int max = 80;
};

// p_L of the paper's section 4: a length, uniformly from those in a range that the language has,
// and then a string of the language of this length.
class StringDistribution {
 public:
  // The language must outlive this. Throws Error if it has no string in the range.
  StringDistribution(const Language& language, LengthRange range);

  const Language& language() const { return language_; }
  LengthRange range() const { return range_; }
  // Ascending, never empty.
  const std::vector<int>& lengths() const { return lengths_; }

  int SampleLength(Random& random) const;
  // The same for all of lengths().
  double LogProbabilityOfLength() const;
  // -infinity if the string is not in the language or its length not in the range.
  double LogProbability(std::span<const int> string) const;

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
  // As if the log-probability of each string were so much greater.
  void Shift(double log_factor) { log_probability_ += static_cast<double>(strings_) * log_factor; }

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
