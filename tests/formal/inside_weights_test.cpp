#include "pushdown/formal/inside_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "tests/formal/closed_forms.h"
#include "tests/formal/derivations.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/random_grammar.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::DyckGrammar;
using testing_oracle::ForEachString;
using testing_oracle::InsideOracle;
using testing_oracle::LogCatalan;
using testing_oracle::LogDyckWeightOfLength;
using testing_oracle::MakeGrammar;
using testing_oracle::RandomGrammar;
using testing_oracle::RulesText;

TEST(InsideWeights, AreTheSumsOverAllStringsOfALength) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Grammar grammar = RandomGrammar(seed);
    const NormalGrammar normal(grammar);
    const InsideWeights inside(normal, 5);
    InsideOracle oracle(grammar);
    for (int length = 0; length <= 5; ++length) {
      double expected = 0;
      ForEachString(grammar.terminals.size(), length,
                    [&](const std::vector<int>& string) { expected += oracle(string); });
      EXPECT_NEAR(inside.OfLength(length).ToDouble(), expected, 1e-11 * expected)
          << "seed " << seed << " length " << length << "\n"
          << RulesText(grammar);
      EXPECT_EQ(inside.OfLength(length).IsZero(), expected == 0) << "seed " << seed;
    }
  }
}

TEST(InsideWeights, OfBinaryTreesAreCatalanNumbers) {
  const double p = 0.3;
  const NormalGrammar normal(MakeGrammar({{"S", "S S", p}, {"S", "a", 1 - p}}));
  const InsideWeights inside(normal, 500);
  EXPECT_EQ(inside.max_length(), 500);
  EXPECT_TRUE(inside.OfLength(0).IsZero());
  for (int n = 1; n <= 500; ++n) {
    const double expected = LogCatalan(n - 1) + (n - 1) * std::log(p) + n * std::log(1 - p);
    EXPECT_NEAR(inside.OfLength(n).Log(), expected, 1e-11) << n;
  }
}

TEST(InsideWeights, OfBracketsAreNarayanaSums) {
  const double s = 0.5;
  const double t = 39.0 / 40;
  const NormalGrammar normal(DyckGrammar(3, s, t));
  const InsideWeights inside(normal, 60);
  for (int length = 0; length <= 60; ++length) {
    if (length % 2 == 1 || length == 0) {
      EXPECT_TRUE(inside.OfLength(length).IsZero()) << length;
    } else {
      EXPECT_NEAR(inside.OfLength(length).Log(), LogDyckWeightOfLength(length / 2, s, t), 1e-11);
    }
  }
}

TEST(InsideWeights, OfManyBracketTypesAndLongStrings) {
  const NormalGrammar normal(DyckGrammar(200, 0.5, 39.0 / 40));
  const InsideWeights inside(normal, 500);
  for (int pairs : {1, 2, 100, 249, 250}) {
    EXPECT_NEAR(inside.OfLength(2 * pairs).Log(), LogDyckWeightOfLength(pairs, 0.5, 39.0 / 40),
                1e-10)
        << pairs;
  }
  EXPECT_TRUE(inside.OfLength(499).IsZero());
}

TEST(InsideWeights, BelowTheRangeOfDouble) {
  // Linear: one string for each length, a^(n-1) b.
  const NormalGrammar linear(MakeGrammar({{"S", "a S", 1e-200}, {"S", "b", 1e-100}}));
  const InsideWeights inside(linear, 300);
  for (int n : {1, 2, 3, 100, 300}) {
    const double expected = (n - 1) * std::log(1e-200) + std::log(1e-100);
    EXPECT_NEAR(inside.OfLength(n).Log(), expected, 1e-14 * std::abs(expected)) << n;
  }
  // Branching: sums of products of weights that are all below the range.
  const NormalGrammar branching(MakeGrammar({{"S", "S S", 1e-300}, {"S", "a", 1e-250}}));
  const InsideWeights trees(branching, 100);
  for (int n : {2, 5, 50, 100}) {
    const double expected = LogCatalan(n - 1) + (n - 1) * std::log(1e-300) + n * std::log(1e-250);
    EXPECT_NEAR(trees.OfLength(n).Log(), expected, 1e-14 * std::abs(expected)) << n;
  }
}

TEST(InsideWeights, RareAlternativesAreNotLostBesideFrequentOnes) {
  // Odd lengths have only the alternative of 1e-300; its share beside the even ones is far below
  // what a scale for each length in double could hold.
  const NormalGrammar normal(
      MakeGrammar({{"S", "a a S", 0.5}, {"S", "", 0.5}, {"S", "b S", 1e-300}}));
  const InsideWeights inside(normal, 9);
  EXPECT_NEAR(inside.OfLength(8).Log(), 5 * std::log(0.5), 1e-12);
  // One b among n blocks a a, in n + 1 places.
  EXPECT_NEAR(inside.OfLength(9).Log(), std::log(5.0) + 5 * std::log(0.5) + std::log(1e-300), 1e-9);
}

TEST(InsideWeights, TheEmptyStringCounts) {
  const NormalGrammar normal(MakeGrammar({{"S", "( S ) S", 0.4}, {"S", "", 0.6}}));
  const InsideWeights inside(normal, 0);
  EXPECT_EQ(inside.OfLength(0), Weight(0.6));
  const NormalGrammar nothing_else(MakeGrammar({{"S", "", 1.0}}));
  const InsideWeights only_empty(nothing_else, 3);
  EXPECT_EQ(only_empty.OfLength(0), Weight(1.0));
  for (int length = 1; length <= 3; ++length) EXPECT_TRUE(only_empty.OfLength(length).IsZero());
}

TEST(InsideWeights, SumToTheProbabilityThatADerivationEnds) {
  // x = p x^2 + 1 - p: (1-p)/p for p > 1/2, of which lengths up to 400 are nearly all.
  const NormalGrammar normal(MakeGrammar({{"S", "S S", 0.75}, {"S", "a", 0.25}}));
  const InsideWeights inside(normal, 400);
  double total = 0;
  for (int n = 0; n <= 400; ++n) total += inside.OfLength(n).ToDouble();
  EXPECT_NEAR(total, 1.0 / 3, 1e-12);
}

TEST(InsideWeights, ProgressGoesFromLittleToAll) {
  const NormalGrammar normal(DyckGrammar(2, 0.5, 0.5));
  std::vector<double> shares;
  const InsideWeights inside(normal, 200, [&](double share) { shares.push_back(share); });
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GE(shares.front(), 0.0);
  EXPECT_GT(shares.back(), 0.9);
  EXPECT_LE(shares.back(), 1.0);
}

TEST(InsideWeights, WhatIsOutOfReachIsRefused) {
  const NormalGrammar normal(DyckGrammar(2, 0.5, 0.5));
  EXPECT_THROW(InsideWeights(normal, 2000000000), Error);
}

TEST(InsideWeights, SamplingALengthWithoutStringsIsRefused) {
  const NormalGrammar normal(DyckGrammar(2, 0.5, 0.5));
  const InsideWeights inside(normal, 10);
  Random random(1);
  EXPECT_THROW(inside.Sample(3, random), Error);
  EXPECT_THROW(inside.Sample(11, random), Error);
  EXPECT_THROW(inside.Sample(-1, random), Error);
}

}  // namespace
}  // namespace pushdown
