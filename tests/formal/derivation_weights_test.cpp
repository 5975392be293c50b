// DerivationWeights: least solutions of a grammar's equations, against closed forms and iteration.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/derivation_weights.h"
#include "pushdown/formal/grammar.h"
#include "tests/formal/derivations.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/random_grammar.h"

namespace pushdown {
namespace {

using testing_oracle::IteratedDerivationWeights;
using testing_oracle::MakeGrammar;
using testing_oracle::RandomGrammar;
using testing_oracle::RulesText;
using testing_oracle::WrittenRule;

Weight OfStart(const Grammar& grammar, double terminal_weight) {
  return DerivationWeights(grammar, terminal_weight)[grammar.start];
}

TEST(DerivationWeights, TerminalsHaveTheirWeight) {
  const Grammar grammar = MakeGrammar({{"S", "a b", 0.5}, {"S", "a", 0.5}});
  for (double weight : {0.0, 0.25, 1.0}) {
    const std::vector<Weight> weights = DerivationWeights(grammar, weight);
    ASSERT_EQ(weights.size(), 3u);
    EXPECT_EQ(weights[0], Weight(weight));
    EXPECT_EQ(weights[1], Weight(weight));
    EXPECT_DOUBLE_EQ(weights[2].ToDouble(), 0.5 * weight * weight + 0.5 * weight);
  }
}

TEST(DerivationWeights, ABranchingProcessEndsWithTheSmallerRoot) {
  // x = p x^2 + 1 - p has the roots 1 and (1-p)/p.
  for (double p : {0.0001, 0.1, 0.3, 0.45, 0.49, 0.499999, 0.500001, 0.51, 0.6, 0.9, 0.9999}) {
    const Grammar grammar = MakeGrammar({{"S", "S S", p}, {"S", "a", 1 - p}});
    // The roots come together at 1/2, where a change of p by 1e-16 moves them by more than that.
    const double tolerance = 1e-14 + 1e-15 / std::abs(p - 0.5);
    EXPECT_NEAR(OfStart(grammar, 1).ToDouble(), std::min(1.0, (1 - p) / p), tolerance) << p;
    EXPECT_TRUE(OfStart(grammar, 0).IsZero()) << "no epsilon";
  }
}

TEST(DerivationWeights, ACriticalProcessEndsForSure) {
  // A double root: Newton's method gains a bit a step here, plain iteration would need 10^12.
  EXPECT_NEAR(OfStart(MakeGrammar({{"S", "S S", 0.5}, {"S", "a", 0.5}}), 1).ToDouble(), 1.0, 1e-12);
  EXPECT_NEAR(OfStart(MakeGrammar({{"S", "S S", 0.5}, {"S", "", 0.5}}), 0).ToDouble(), 1.0, 1e-12);
  // Through two nonterminals: S = (T + 1) / 2, T = S^2, again x = (x^2 + 1) / 2.
  const Grammar two = MakeGrammar({{"S", "T", 0.5}, {"S", "", 0.5}, {"T", "S S", 1.0}});
  EXPECT_NEAR(OfStart(two, 0).ToDouble(), 1.0, 1e-12);
  // x = (x^3 + 2) / 3 has a double root at 1 as well.
  const Grammar cubic = MakeGrammar({{"S", "S S S", 1.0 / 3}, {"S", "a", 2.0 / 3}});
  EXPECT_NEAR(OfStart(cubic, 1).ToDouble(), 1.0, 1e-7) << "1/3 is not a double: roots 1e-8 apart";
}

TEST(DerivationWeights, WhatIsAboveACriticalPartIsRightToo) {
  // A is critical, B = 1/2 A + 1/4, S = A B b with epsilon 1/2 B.
  const Grammar grammar = MakeGrammar({{"S", "A B b", 0.5},
                                       {"S", "B", 0.5},
                                       {"B", "A", 0.5},
                                       {"B", "", 0.25},
                                       {"B", "b", 0.25},
                                       {"A", "A A", 0.5},
                                       {"A", "", 0.5}});
  const auto weights = DerivationWeights(grammar, 0);
  EXPECT_NEAR(weights[grammar.start].ToDouble(), 0.375, 1e-12);
  EXPECT_NEAR(weights[grammar.start + 1].ToDouble(), 0.75, 1e-12);
}

TEST(DerivationWeights, EpsilonFromQuadratics) {
  // e = e^2 / 4 + 1/2, e = 2 - sqrt(2).
  EXPECT_NEAR(
      OfStart(MakeGrammar({{"S", "S S", 0.25}, {"S", "a", 0.25}, {"S", "", 0.5}}), 0).ToDouble(),
      2 - std::sqrt(2.0), 1e-15);
  // The balanced brackets of the issue have the one empty derivation only.
  EXPECT_DOUBLE_EQ(OfStart(MakeGrammar({{"S", "( S ) S", 0.4}, {"S", "", 0.6}}), 0).ToDouble(),
                   0.6);
  // And end with 0.6 / 0.4 > 1, that is always; the other way round with 2/3.
  EXPECT_NEAR(OfStart(MakeGrammar({{"S", "( S ) S", 0.4}, {"S", "", 0.6}}), 1).ToDouble(), 1,
              1e-14);
  EXPECT_NEAR(OfStart(MakeGrammar({{"S", "( S ) S", 0.6}, {"S", "", 0.4}}), 1).ToDouble(), 2.0 / 3,
              1e-14);
}

TEST(DerivationWeights, TerminalWeightBetweenZeroAndOneIsAGeneratingFunction) {
  // x = p x^2 + (1-p) z: the generating function of the lengths.
  const double p = 0.4;
  const Grammar grammar = MakeGrammar({{"S", "S S", p}, {"S", "a", 1 - p}});
  for (double z : {0.1, 0.5, 0.9}) {
    const double expected = (1 - std::sqrt(1 - 4 * p * (1 - p) * z)) / (2 * p);
    EXPECT_NEAR(OfStart(grammar, z).ToDouble(), expected, 1e-14) << z;
  }
}

TEST(DerivationWeights, VerySmallValuesKeepTheirDigits) {
  // A chain of squares: A_n = A_(n+1)^2, the last one 1e-100. In the end 1e-100 * 2^10.
  std::vector<WrittenRule> rules;
  for (int n = 0; n < 10; ++n) {
    const std::string next = "A" + std::to_string(n + 1);
    rules.push_back({"A" + std::to_string(n), next + " " + next, 1.0});
  }
  rules.push_back({"A10", "", 1e-100});
  EXPECT_NEAR(OfStart(MakeGrammar(rules), 0).Log(), 1024 * std::log(1e-100), 1e-9);

  // In a recursion: x = x^2 / 2 + 1e-30 has the solution 1e-30 (1 + 5e-31 + ...).
  const Weight small = OfStart(MakeGrammar({{"S", "S S", 0.5}, {"S", "", 1e-30}}), 0);
  EXPECT_NEAR((small / 1e-30).ToDouble(), 1.0, 1e-14);
  // Below the range of double, and in a linear recursion: x = x/2 + 1e-200 * 1e-200 / 2.
  const Grammar tiny =
      MakeGrammar({{"S", "S", 0.5}, {"S", "A A", 0.5}, {"A", "", 1e-200}, {"A", "a", 0.5}});
  EXPECT_NEAR(OfStart(tiny, 0).Log(), 2 * std::log(1e-200), 1e-12);
}

TEST(DerivationWeights, NothingComesOfWhatNeverEnds) {
  const Grammar grammar = MakeGrammar({{"S", "A", 0.5},
                                       {"S", "", 0.5},
                                       {"A", "A", 1.0},
                                       {"B", "B C", 0.5},
                                       {"B", "C", 0.5},
                                       {"C", "B", 1.0}});
  const auto weights = DerivationWeights(grammar, 1);
  EXPECT_EQ(weights[grammar.start], Weight(0.5));
  for (int symbol = grammar.start + 1; symbol < grammar.symbols(); ++symbol) {
    EXPECT_TRUE(weights[symbol].IsZero()) << grammar.name(symbol);
  }
}

TEST(DerivationWeights, AgreeWithIterationOnRandomGrammars) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Grammar grammar = RandomGrammar(seed);
    for (double terminal_weight : {0.0, 1.0}) {
      const auto expected = IteratedDerivationWeights(grammar, terminal_weight);
      if (!expected) continue;  // close to critical
      const auto weights = DerivationWeights(grammar, terminal_weight);
      ASSERT_EQ(weights.size(), expected->size());
      for (std::size_t symbol = 0; symbol < weights.size(); ++symbol) {
        const double value = static_cast<double>((*expected)[symbol]);
        EXPECT_NEAR(weights[symbol].ToDouble(), value, 1e-11 * value)
            << "seed " << seed << " symbol " << symbol << "\n"
            << RulesText(grammar);
        EXPECT_EQ(weights[symbol].IsZero(), value == 0) << "seed " << seed;
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 900);
}

// A ring of nonterminals, all of which derive each other.
Grammar Ring(int size) {
  std::vector<WrittenRule> rules;
  for (int n = 0; n < size; ++n) {
    const std::string name = "A" + std::to_string(n);
    rules.push_back({name, "A" + std::to_string((n + 1) % size), 0.5});
    rules.push_back({name, "a", 0.5});
  }
  return MakeGrammar(rules);
}

TEST(DerivationWeights, AsManyAsPromisedMayDeriveEachOther) {
  EXPECT_NEAR(OfStart(Ring(kMaxRecursive), 1).ToDouble(), 1.0, 1e-12);
  EXPECT_THROW(DerivationWeights(Ring(kMaxRecursive + 1), 1), Error);
}

TEST(DerivationWeights, AnyNumberOfNonterminalsThatDoNotDeriveEachOther) {
  // Also deep chains: nothing here may be limited by the call stack.
  std::vector<WrittenRule> rules;
  constexpr int kLinks = 20000;
  for (int n = 0; n < kLinks; ++n) {
    const std::string name = "A" + std::to_string(n);
    rules.push_back({name, "A" + std::to_string(n + 1) + " a", 0.5});
    rules.push_back({name, "", 0.5});
  }
  rules.push_back({"A" + std::to_string(kLinks), "", 1.0});
  EXPECT_NEAR(OfStart(MakeGrammar(rules), 1).ToDouble(), 1.0, 1e-12);
  EXPECT_EQ(OfStart(MakeGrammar(rules), 0), Weight(0.5));
}

}  // namespace
}  // namespace pushdown
