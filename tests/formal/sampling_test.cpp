// InsideWeights::Sample: strings of a length with their exact probabilities.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pushdown/formal/inside_weights.h"
#include "tests/formal/chi_squared.h"
#include "tests/formal/closed_forms.h"
#include "tests/formal/derivations.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/random_grammar.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::DyckGrammar;
using testing_oracle::ForEachString;
using testing_oracle::HasProbabilities;
using testing_oracle::InsideOracle;
using testing_oracle::MakeGrammar;
using testing_oracle::RandomGrammar;
using testing_oracle::RulesText;

using String = std::vector<int>;

// p(w | |w| = length), by enumeration.
std::map<String, double> Probabilities(const Grammar& grammar, int length) {
  InsideOracle oracle(grammar);
  std::map<String, double> probabilities;
  double total = 0;
  ForEachString(grammar.terminals.size(), length, [&](const String& string) {
    const double weight = oracle(string);
    if (weight == 0) return;
    probabilities[string] = weight;
    total += weight;
  });
  for (auto& [string, probability] : probabilities) probability /= total;
  return probabilities;
}

std::vector<String> Samples(const Grammar& grammar, int length, int count, std::uint64_t seed) {
  const NormalGrammar normal(grammar);
  const InsideWeights inside(normal, length + 2);
  Random random(seed);
  std::vector<String> samples;
  for (int n = 0; n < count; ++n) samples.push_back(inside.Sample(length, random));
  return samples;
}

void ExpectExactSampling(const Grammar& grammar, int length, int count, std::uint64_t seed) {
  EXPECT_TRUE(
      HasProbabilities(Samples(grammar, length, count, seed), Probabilities(grammar, length)))
      << "length " << length << "\n"
      << RulesText(grammar);
}

TEST(Sampling, AmbiguousGrammars) {
  ExpectExactSampling(MakeGrammar({{"S", "S S", 0.3}, {"S", "a", 0.5}, {"S", "b", 0.2}}), 5, 20000,
                      1);
  // a a a by any of three rules, other strings by one or two.
  ExpectExactSampling(MakeGrammar({{"S", "a S", 0.3},
                                   {"S", "S a", 0.2},
                                   {"S", "b S b", 0.3},
                                   {"S", "a", 0.1},
                                   {"S", "b", 0.1}}),
                      5, 20000, 2);
}

TEST(Sampling, EpsilonRulesAndUnaryCycles) {
  ExpectExactSampling(MakeGrammar({{"S", "S S", 0.25},
                                   {"S", "A", 0.25},
                                   {"S", "", 0.25},
                                   {"S", "a", 0.25},
                                   {"A", "S", 0.5},
                                   {"A", "b A", 0.3},
                                   {"A", "b", 0.2}}),
                      4, 20000, 3);
}

TEST(Sampling, Brackets) { ExpectExactSampling(DyckGrammar(2, 0.5, 0.7), 6, 20000, 4); }

TEST(Sampling, RandomGrammars) {
  int tested = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Grammar grammar = RandomGrammar(seed);
    const auto probabilities = Probabilities(grammar, 3);
    if (probabilities.size() < 2) continue;
    // Strings that are hardly ever seen leave nothing to compare.
    double likeliest = 0;
    for (const auto& [string, probability] : probabilities) {
      likeliest = std::max(likeliest, probability);
    }
    if (likeliest > 0.99) continue;
    EXPECT_TRUE(HasProbabilities(Samples(grammar, 3, 3000, seed), probabilities))
        << "seed " << seed << "\n"
        << RulesText(grammar);
    ++tested;
  }
  EXPECT_GT(tested, 20);
}

TEST(Sampling, WeightsBelowTheRangeOfDoubleHaveTheirProportions) {
  // All strings of length 4 have weights around 1e-1000; those with c are out of all proportion.
  const Grammar grammar = MakeGrammar(
      {{"S", "a S", 1e-300}, {"S", "b S", 3e-300}, {"S", "c S", 1e-308}, {"S", "a", 1e-300}});
  std::map<String, double> probabilities;
  ForEachString(2, 3, [&](const String& string) {
    double probability = 1;
    for (int symbol : string) probability *= symbol == 0 ? 0.25 : 0.75;
    String whole = string;
    whole.push_back(0);
    probabilities[whole] = probability;
  });
  EXPECT_TRUE(HasProbabilities(Samples(grammar, 4, 5000, 5), probabilities));
}

TEST(Sampling, TheEmptyString) {
  const Grammar grammar = MakeGrammar({{"S", "( S ) S", 0.4}, {"S", "", 0.6}});
  EXPECT_EQ(Samples(grammar, 0, 3, 6), std::vector<String>(3));
}

TEST(Sampling, LongStringsHaveTheirLengthAndAreMembers) {
  const Grammar grammar = DyckGrammar(200, 0.5, 39.0 / 40);
  for (const String& sample : Samples(grammar, 500, 20, 7)) {
    ASSERT_EQ(sample.size(), 500u);
    std::vector<int> open;
    for (int symbol : sample) {
      if (symbol % 2 == 0) {
        open.push_back(symbol);
      } else {
        ASSERT_FALSE(open.empty());
        ASSERT_EQ(open.back() + 1, symbol);
        open.pop_back();
      }
    }
    EXPECT_TRUE(open.empty());
  }
}

TEST(Sampling, ASeedMakesTheSameStringsAlways) {
  const Grammar grammar = DyckGrammar(3, 0.5, 0.8);
  EXPECT_EQ(Samples(grammar, 20, 10, 8), Samples(grammar, 20, 10, 8));
  EXPECT_NE(Samples(grammar, 20, 10, 8), Samples(grammar, 20, 10, 9));
}

}  // namespace
}  // namespace pushdown
