#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

namespace pushdown::testing_oracle {

// Pearson's test that outcomes were drawn with these probabilities, which must sum to one. An
// outcome that has no probability fails at once. Outcomes expected less than five times are counted
// together. Rejects at z = 4 of the Wilson-Hilferty transformation, that is about one seed in
// 30000; the seeds are fixed, so a test that passed once passes always.
template <typename Outcome>
testing::AssertionResult HasProbabilities(const std::vector<Outcome>& outcomes,
                                          const std::map<Outcome, double>& probabilities) {
  std::map<Outcome, long> counts;
  for (const Outcome& outcome : outcomes) ++counts[outcome];
  for (const auto& [outcome, count] : counts) {
    if (!probabilities.contains(outcome)) {
      return testing::AssertionFailure()
             << "impossible outcome " << testing::PrintToString(outcome);
    }
  }
  const double draws = static_cast<double>(outcomes.size());
  double statistic = 0;
  double total = 0;
  double rare_expected = 0;
  double rare_count = 0;
  int bins = 0;
  const auto add_bin = [&](double count, double expected) {
    statistic += (count - expected) * (count - expected) / expected;
    ++bins;
  };
  for (const auto& [outcome, probability] : probabilities) {
    const double expected = draws * probability;
    const double count = static_cast<double>(counts[outcome]);
    total += probability;
    if (expected >= 5) {
      add_bin(count, expected);
    } else {
      rare_expected += expected;
      rare_count += count;
    }
  }
  if (std::abs(total - 1) > 1e-9) {
    return testing::AssertionFailure() << "the probabilities sum to " << total;
  }
  if (rare_expected >= 5) add_bin(rare_count, rare_expected);
  if (bins < 2) return testing::AssertionFailure() << "nothing to compare, " << bins << " bins";
  const double freedom = bins - 1;
  const double spread = 2 / (9 * freedom);
  const double z = (std::cbrt(statistic / freedom) - (1 - spread)) / std::sqrt(spread);
  if (z < 4) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "chi-squared " << statistic << " with " << freedom << " degrees of freedom, z = " << z;
}

}  // namespace pushdown::testing_oracle
