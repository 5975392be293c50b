#include "pushdown/formal/chart_parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/formal/closed_forms.h"
#include "tests/formal/derivations.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/random_grammar.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::BracketString;
using testing_oracle::DyckGrammar;
using testing_oracle::ForEachString;
using testing_oracle::InsideOracle;
using testing_oracle::LogCatalan;
using testing_oracle::LogDyckWeight;
using testing_oracle::MakeGrammar;
using testing_oracle::RandomBrackets;
using testing_oracle::RandomGrammar;
using testing_oracle::RulesText;

TEST(ChartParser, SumsOverAllDerivations) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Grammar grammar = RandomGrammar(seed);
    const NormalGrammar normal(grammar);
    InsideOracle oracle(grammar);
    const int max_length = grammar.terminals.size() == 1 ? 8 : 5;
    for (int length = 0; length <= max_length; ++length) {
      ForEachString(grammar.terminals.size(), length, [&](const std::vector<int>& string) {
        const double expected = oracle(string);
        const Weight weight = StringWeight(normal, string);
        EXPECT_NEAR(weight.ToDouble(), expected, 1e-11 * expected)
            << "seed " << seed << " string " << testing::PrintToString(string) << "\n"
            << RulesText(grammar);
        EXPECT_EQ(weight.IsZero(), expected == 0) << "seed " << seed;
      });
    }
  }
}

TEST(ChartParser, CountsTheTreesOfALongAmbiguousString) {
  const double p = 0.3;
  const NormalGrammar normal(MakeGrammar({{"S", "S S", p}, {"S", "a", 1 - p}}));
  for (int n : {1, 2, 3, 10, 100, 300}) {
    const double expected = LogCatalan(n - 1) + (n - 1) * std::log(p) + n * std::log(1 - p);
    EXPECT_NEAR(StringWeight(normal, std::vector<int>(n, 0)).Log(), expected, 1e-10) << n;
  }
}

TEST(ChartParser, LongStringsOfAnUnambiguousGrammarAreTheProductOfTheirRules) {
  Random random(1);
  for (int types : {1, 2, 10, 200}) {
    const double s = 0.4;
    const double t = 0.8;
    const NormalGrammar normal(DyckGrammar(types, s, t));
    for (int pairs : {1, 2, 50, 250}) {
      const BracketString string = RandomBrackets(pairs, types, random);
      EXPECT_NEAR(StringWeight(normal, string.symbols).Log(),
                  LogDyckWeight(pairs, string.leaves, types, s, t), 1e-10)
          << types << " types, " << pairs << " pairs";
    }
  }
}

TEST(ChartParser, FindsNothingInLongStringsWithOneMistake) {
  Random random(2);
  const NormalGrammar normal(DyckGrammar(3, 0.4, 0.8));
  for (int n = 0; n < 50; ++n) {
    BracketString string = RandomBrackets(100, 3, random);
    // Another type makes a bracket match nothing.
    int& symbol = string.symbols[random.Below(string.symbols.size())];
    symbol = (symbol + 2) % 6;
    EXPECT_TRUE(StringWeight(normal, string.symbols).IsZero()) << n;
  }
}

TEST(ChartParser, TypesThatDoNotOccurChangeNothingButTheirShare) {
  Random random(3);
  const BracketString string = RandomBrackets(200, 2, random);
  const double with_2 = StringWeight(NormalGrammar(DyckGrammar(2, 0.5, 0.9)), string.symbols).Log();
  for (int types : {3, 50, 2000}) {
    const NormalGrammar normal(DyckGrammar(types, 0.5, 0.9));
    // Each of the 200 pairs has the probability 1/types instead of 1/2.
    EXPECT_NEAR(StringWeight(normal, string.symbols).Log(), with_2 - 200 * std::log(types / 2.0),
                1e-9)
        << types;
  }
}

TEST(ChartParser, DeepNestingIsNoDeepRecursion) {
  // One derivation; 2000 brackets in each other, which are 2000 constituents of the same string.
  const int pairs = 2000;
  std::vector<int> string(pairs, 0);
  string.resize(2 * pairs, 1);
  const NormalGrammar normal(DyckGrammar(1, 0.5, 0.75));
  EXPECT_NEAR(StringWeight(normal, string).Log(), LogDyckWeight(pairs, 1, 1, 0.5, 0.75), 1e-8);
}

TEST(ChartParser, LeftAndRightRecursionOfLongStrings) {
  for (const char* right : {"S a", "a S"}) {
    const NormalGrammar normal(MakeGrammar({{"S", right, 0.75}, {"S", "a", 0.25}}));
    const int n = 1000;
    EXPECT_NEAR(StringWeight(normal, std::vector<int>(n, 0)).Log(),
                (n - 1) * std::log(0.75) + std::log(0.25), 1e-9)
        << right;
  }
}

TEST(ChartParser, ProbabilitiesBelowTheRangeOfDouble) {
  const NormalGrammar normal(MakeGrammar({{"S", "S S", 1e-300}, {"S", "a", 1e-250}}));
  const int n = 50;
  const double expected = LogCatalan(n - 1) + (n - 1) * std::log(1e-300) + n * std::log(1e-250);
  EXPECT_NEAR(StringWeight(normal, std::vector<int>(n, 0)).Log(), expected,
              1e-14 * std::abs(expected));
}

TEST(ChartParser, TheEmptyStringHasTheWeightOfEpsilon) {
  EXPECT_EQ(StringWeight(NormalGrammar(MakeGrammar({{"S", "( S ) S", 0.4}, {"S", "", 0.6}})), {}),
            Weight(0.6));
  EXPECT_TRUE(StringWeight(NormalGrammar(MakeGrammar({{"S", "a", 1.0}})), {}).IsZero());
}

TEST(ChartParser, ALanguageWithoutStringsHasNone) {
  const NormalGrammar normal(MakeGrammar({{"S", "a S", 1.0}}));
  EXPECT_TRUE(StringWeight(normal, {}).IsZero());
  EXPECT_TRUE(StringWeight(normal, std::vector<int>{0}).IsZero());
}

TEST(ChartParser, AmbiguityWithinAUnaryCycle) {
  // a: S => a, and S => A => a, after any number of rounds: (1/4 + 1/4 * 1/2) / (1 - 1/4 - 1/8);
  // a a: x = x/4 + A/4 + a^2/4 with A = x/2.
  const Grammar grammar = MakeGrammar({{"S", "S", 0.25},
                                       {"S", "A", 0.25},
                                       {"S", "a", 0.25},
                                       {"S", "S S", 0.25},
                                       {"A", "S", 0.5},
                                       {"A", "a", 0.5}});
  const NormalGrammar normal(grammar);
  const double once = (0.25 + 0.125) / (1 - 0.25 - 0.125);
  EXPECT_NEAR(StringWeight(normal, std::vector<int>{0}).ToDouble(), once, 1e-14);
  EXPECT_NEAR(StringWeight(normal, std::vector<int>{0, 0}).ToDouble(),
              0.25 * once * once / (1 - 0.25 - 0.125), 1e-14);
}

}  // namespace
}  // namespace pushdown
