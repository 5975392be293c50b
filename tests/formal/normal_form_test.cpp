#include "pushdown/formal/normal_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/chart_parser.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/normal_grammar.h"
#include "tests/formal/derivations.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/random_grammar.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::ForEachString;
using testing_oracle::InsideOracle;
using testing_oracle::MakeGrammar;
using testing_oracle::RandomGrammar;
using testing_oracle::RulesText;
using testing_oracle::WrittenRule;

// The strings up to which length are compared, by the number of terminals: about 100 of them.
constexpr int kLengths[] = {0, 8, 5, 4};

void ExpectSameWeights(const Grammar& before, const Grammar& after, const std::string& message) {
  EXPECT_EQ(after.terminals.names(), before.terminals.names()) << message;
  InsideOracle expected(before);
  InsideOracle actual(after);
  for (int length = 0; length <= kLengths[before.terminals.size()]; ++length) {
    ForEachString(before.terminals.size(), length, [&](const std::vector<int>& string) {
      const double weight = expected(string);
      // Cycles of weight w are summed to 1 / (1 - w), so that a rounding error counts up to
      // 1 / (1 - w) times; the oracle's grammars have w < 0.998.
      EXPECT_NEAR(actual(string), weight, 1e-12 * weight)
          << message << " string " << testing::PrintToString(string) << "\n"
          << RulesText(before) << "became\n"
          << RulesText(after);
      EXPECT_EQ(actual(string) == 0, weight == 0) << message;
    });
  }
}

std::size_t LongestRight(const Grammar& grammar) {
  std::size_t longest = 0;
  for (const Rule& rule : grammar.rules) longest = std::max(longest, rule.right.size());
  return longest;
}

void ExpectOnlyStartDerivesEpsilon(const Grammar& grammar, const std::string& message) {
  int epsilon_rules = 0;
  for (const Rule& rule : grammar.rules) {
    if (!rule.right.empty()) continue;
    EXPECT_EQ(rule.left, grammar.start) << message << "\n" << RulesText(grammar);
    ++epsilon_rules;
  }
  EXPECT_LE(epsilon_rules, 1) << message;
  if (epsilon_rules == 0) return;
  for (const Rule& rule : grammar.rules) {
    for (int symbol : rule.right) EXPECT_NE(symbol, grammar.start) << message;
  }
}

void ExpectNoUnaryRule(const Grammar& grammar, const std::string& message) {
  for (const Rule& rule : grammar.rules) {
    EXPECT_FALSE(rule.right.size() == 1 && !grammar.IsTerminal(rule.right[0]))
        << message << "\n"
        << RulesText(grammar);
  }
}

// Every rule is in a derivation of a string: all its symbols derive strings, and its left side is
// derived from the start symbol. Every nonterminal has a rule, except a start symbol without
// strings.
void ExpectNothingUseless(const Grammar& grammar, const std::string& message) {
  std::vector<bool> productive(static_cast<std::size_t>(grammar.symbols()), false);
  std::vector<bool> reachable = productive;
  for (int symbol = 0; symbol < grammar.terminals.size(); ++symbol) productive[symbol] = true;
  reachable[grammar.start] = true;
  // As many rounds as there are symbols are enough for both.
  for (int round = 0; round < grammar.symbols(); ++round) {
    for (const Rule& rule : grammar.rules) {
      bool all = true;
      for (int symbol : rule.right) all = all && productive[symbol];
      if (all) productive[rule.left] = true;
      for (int symbol : rule.right) {
        if (reachable[rule.left]) reachable[symbol] = true;
      }
    }
  }
  for (int symbol = grammar.terminals.size(); symbol < grammar.symbols(); ++symbol) {
    EXPECT_TRUE(reachable[symbol]) << message << " " << grammar.name(symbol);
    EXPECT_TRUE(productive[symbol] || symbol == grammar.start)
        << message << " " << grammar.name(symbol);
  }
  for (const Rule& rule : grammar.rules) {
    for (int symbol : rule.right) EXPECT_TRUE(productive[symbol]) << message;
  }
}

// All promises of all transformations.
void ExpectTransformed(const Grammar& grammar, const std::string& message) {
  const Grammar trimmed = Trimmed(grammar);
  ExpectNothingUseless(trimmed, message + " trimmed");
  ExpectSameWeights(grammar, trimmed, message + " trimmed");

  const Grammar binarized = Binarized(grammar);
  EXPECT_LE(LongestRight(binarized), 2u) << message;
  ExpectSameWeights(grammar, binarized, message + " binarized");

  const Grammar without_epsilon = WithoutEpsilon(binarized);
  EXPECT_LE(LongestRight(without_epsilon), 2u) << message;
  ExpectOnlyStartDerivesEpsilon(without_epsilon, message + " without epsilon");
  ExpectSameWeights(grammar, without_epsilon, message + " without epsilon");

  const Grammar without_unary = WithoutUnary(without_epsilon);
  EXPECT_LE(LongestRight(without_unary), 2u) << message;
  ExpectOnlyStartDerivesEpsilon(without_unary, message + " without unary");
  ExpectNoUnaryRule(without_unary, message + " without unary");
  ExpectSameWeights(grammar, without_unary, message + " without unary");

  const Grammar normal = NormalForm(grammar);
  EXPECT_LE(LongestRight(normal), 2u) << message;
  ExpectOnlyStartDerivesEpsilon(normal, message + " normal form");
  ExpectNoUnaryRule(normal, message + " normal form");
  ExpectNothingUseless(normal, message + " normal form");
  ExpectSameWeights(grammar, normal, message + " normal form");
}

TEST(NormalForm, RandomGrammarsKeepTheWeightsOfAllStrings) {
  for (std::uint64_t seed = 1; seed <= 400 && !testing::Test::HasFailure(); ++seed) {
    ExpectTransformed(RandomGrammar(seed), "seed " + std::to_string(seed));
  }
}

TEST(NormalForm, CyclesOfUnaryRules) {
  ExpectTransformed(
      MakeGrammar({{"S", "S", 0.5}, {"S", "A", 0.25}, {"S", "a", 0.25}, {"A", "S", 1}}),
      "two cycles");
  ExpectTransformed(MakeGrammar({{"S", "A", 0.9},
                                 {"S", "a", 0.1},
                                 {"A", "B", 0.9},
                                 {"A", "b", 0.1},
                                 {"B", "S", 0.9},
                                 {"B", "S S", 0.1}}),
                    "a ring");
  // S' strings have two parts in the ring: A and B derive the same, with different weights.
  ExpectTransformed(MakeGrammar({{"S", "A B", 1},
                                 {"A", "B", 0.5},
                                 {"A", "a", 0.5},
                                 {"B", "A", 0.25},
                                 {"B", "B", 0.25},
                                 {"B", "b", 0.5}}),
                    "below the start");
  ExpectTransformed(MakeGrammar({{"S", "S", 0.99}, {"S", "a", 0.01}}), "a long way round");
}

TEST(NormalForm, CyclesThatNeverEndAreNoneOfTheSum) {
  // A and B go round with probability one, a series that has no limit, but derive nothing.
  const Grammar grammar = MakeGrammar(
      {{"S", "A", 0.5}, {"S", "S", 0.25}, {"S", "a", 0.25}, {"A", "B", 1}, {"B", "A", 1}});
  ExpectSameWeights(grammar, WithoutUnary(grammar), "without unary");
  ExpectTransformed(grammar, "all");
}

TEST(NormalForm, CyclesThroughEpsilon) {
  // S => A => eps S eps => S: unary only once epsilons are gone.
  ExpectTransformed(MakeGrammar({{"S", "S", 0.5},
                                 {"S", "A", 0.25},
                                 {"S", "a", 0.25},
                                 {"A", "E S E", 0.5},
                                 {"A", "b", 0.5},
                                 {"E", "", 0.75},
                                 {"E", "a", 0.25}}),
                    "through epsilon on both sides");
  ExpectTransformed(MakeGrammar({{"S", "S S", 0.25}, {"S", "a", 0.25}, {"S", "", 0.5}}),
                    "the start on its own right side");
  ExpectTransformed(MakeGrammar({{"S", "S S S", 0.2}, {"S", "a", 0.4}, {"S", "", 0.4}}), "thrice");
  ExpectTransformed(
      MakeGrammar({{"S", "A A A A", 1}, {"A", "", 0.5}, {"A", "a", 0.25}, {"A", "S", 0.25}}),
      "four at once");
  ExpectTransformed(MakeGrammar({{"S", "", 1}}), "nothing but epsilon");
  ExpectTransformed(MakeGrammar({{"S", "A B", 1}, {"A", "", 1}, {"B", "A A", 1}}), "by a detour");
}

TEST(NormalForm, ACriticalPartInABiggerGrammar) {
  // A's epsilon weight e solves e = e^2/2 + 1/2, that is 1; only its limit is known to iteration,
  // so the expected weights are calculated by hand. The rest:
  //   S -> A "b" A [1/2] | A [1/4] | "b" [1/4]
  // The terminal is nowhere below A, so b has 1/2 * 1 * 1 + 1/4 = 3/4, and epsilon 1/4.
  const Grammar grammar = MakeGrammar(
      {{"S", "A b A", 0.5}, {"S", "A", 0.25}, {"S", "b", 0.25}, {"A", "A A", 0.5}, {"A", "", 0.5}});
  const Grammar normal = NormalForm(grammar);
  InsideOracle inside(normal);
  EXPECT_NEAR(inside({0}), 0.75, 1e-11);
  EXPECT_NEAR(inside({}), 0.25, 1e-11);
  EXPECT_EQ(inside({0, 0}), 0.0);
  EXPECT_LT(normal.rules.size(), 10u);
}

TEST(NormalForm, EpsilonAndOtherStringsOfAQuadraticByHand) {
  // e = e^2/2 + 3/8 has e = 1/2; for one a: x = e x + 1/8, x = 1/4; for two: y = e y + x^2/2, 1/16.
  const Grammar grammar = MakeGrammar({{"S", "S S", 0.5}, {"S", "a", 0.125}, {"S", "", 0.375}});
  const Grammar normal = NormalForm(grammar);
  InsideOracle after(normal);
  EXPECT_NEAR(after({}), 0.5, 1e-12);
  EXPECT_NEAR(after({0}), 0.25, 1e-12);
  EXPECT_NEAR(after({0, 0}), 0.0625, 1e-12);
}

TEST(NormalForm, CloseToCriticalAsAccurateAsDoublesAllow) {
  // e = e^2 / 2 + c has e = 1 - r with r = sqrt(1 - 2 c), and x = e x + d has x = d / r. An error
  // of 1e-16 in e moves 1 - e by 1e-16 / r, that is x by a share of 1e-16 / r^2.
  for (double d : {1e-3, 1e-6, 1e-9}) {
    const double c = 0.5 - d;
    const double r = std::sqrt(1 - 2 * c);
    const Grammar normal =
        NormalForm(MakeGrammar({{"S", "S S", 0.5}, {"S", "", c}, {"S", "a", d}}));
    InsideOracle inside(normal);
    EXPECT_NEAR(inside({}), 1 - r, 4e-16 / r) << d;
    EXPECT_NEAR(inside({0}) / (d / r), 1, 4e-16 / (r * r)) << d;
  }
}

TEST(NormalForm, EqualEndsOfRulesShareNonterminals) {
  // a B c and b B c both end in B c: one nonterminal for it, not two.
  const Grammar grammar =
      MakeGrammar({{"S", "a B c", 0.5}, {"S", "b B c", 0.5}, {"B", "c B c", 0.5}, {"B", "c", 0.5}});
  const Grammar binarized = Binarized(grammar);
  EXPECT_EQ(binarized.nonterminals(), grammar.nonterminals() + 1);
  EXPECT_EQ(binarized.rules.size(), grammar.rules.size() + 1);
  ExpectSameWeights(grammar, binarized, "shared ends");
}

TEST(NormalForm, AGrammarOfManyTypesStaysLinear) {
  // Brackets of k types have 3 right sides a type; the normal form must not make pairs of types.
  constexpr int kTypes = 300;
  std::vector<WrittenRule> rules = {{"S", "S T", 0.5}, {"S", "T", 0.5}};
  for (int n = 0; n < kTypes; ++n) {
    const std::string type = std::to_string(n);
    rules.push_back({"T", "(" + type + " S )" + type, 0.5 / kTypes});
    rules.push_back({"T", "(" + type + " )" + type, 0.5 / kTypes});
  }
  EXPECT_LT(NormalForm(MakeGrammar(rules)).rules.size(), 10u * kTypes);
}

TEST(NormalForm, AStartSymbolWithoutStringsHasNoRules) {
  const Grammar normal = NormalForm(MakeGrammar({{"S", "a S", 1}, {"A", "a", 1}}));
  EXPECT_TRUE(normal.rules.empty()) << RulesText(normal);
  EXPECT_EQ(normal.terminals.names(), std::vector<std::string>{"a"});
  EXPECT_GE(normal.start, normal.terminals.size());
  EXPECT_LT(normal.start, normal.symbols());
}

TEST(NormalForm, TrimmedKeepsTerminalsThatAreNotUsed) {
  const Grammar trimmed =
      Trimmed(MakeGrammar({{"S", "a", 0.5}, {"S", "b A", 0.5}, {"A", "c A", 1}, {"B", "d", 1}}));
  EXPECT_EQ(trimmed.terminals.names(), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(trimmed.nonterminal_names, std::vector<std::string>{"S"});
  ASSERT_EQ(trimmed.rules.size(), 1u);
  EXPECT_EQ(trimmed.rules[0].right, std::vector<int>{0});
  EXPECT_EQ(trimmed.rules[0].weight, Weight(0.5));
}

TEST(NormalForm, TrimmedKnowsThatProductiveComesBeforeReachable) {
  // B is reachable only next to A, which has no string.
  const Grammar trimmed =
      Trimmed(MakeGrammar({{"S", "a", 0.5}, {"S", "A B", 0.5}, {"A", "A a", 1}, {"B", "a", 1}}));
  EXPECT_EQ(trimmed.nonterminal_names, std::vector<std::string>{"S"});
  EXPECT_EQ(trimmed.rules.size(), 1u);
}

TEST(NormalForm, TheSmallestWeightsAreKept) {
  // Products of 1e-200 leave the range of double. One of the three A is a, the others are empty.
  const Grammar grammar =
      MakeGrammar({{"S", "A A A", 1e-200}, {"A", "", 1e-200}, {"A", "a", 1e-150}});
  const Grammar normal = NormalForm(grammar);
  Weight of_a;
  Weight of_nothing;
  for (const Rule& rule : normal.rules) {
    if (rule.left != normal.start) continue;
    if (rule.right.empty()) of_nothing += rule.weight;
    if (rule.right == std::vector<int>{0}) of_a += rule.weight;
  }
  EXPECT_NEAR(of_nothing.Log(), 4 * std::log(1e-200), 1e-9);
  EXPECT_NEAR(of_a.Log(), std::log(3.0) + 3 * std::log(1e-200) + std::log(1e-150), 1e-9);
}

TEST(NormalForm, RightSidesWithTerminals) {
  ExpectTransformed(MakeGrammar({{"S", "a a a a a", 0.5}, {"S", "a", 0.5}}), "terminals only");
  ExpectTransformed(MakeGrammar({{"S", "a S a a", 0.3}, {"S", "a a", 0.3}, {"S", "S b", 0.4}}),
                    "mixed");
  ExpectTransformed(MakeGrammar({{"S", "a", 0.25}, {"S", "a", 0.5}, {"S", "a a", 0.25}}),
                    "the same rule twice");
}

// Few nonterminals of the author's, many that binarization adds.
TEST(NormalForm, LongRulesDoNotCountAsRecursion) {
  constexpr int kNonterminals = 140;
  std::string text;
  for (int n = 0; n < kNonterminals; ++n) {
    const auto name = [&](int k) { return "N" + std::to_string((n + k) % kNonterminals); };
    text += name(0) + " -> " + name(1) + " " + name(2) + " " + name(3) + " " + name(4) + " " +
            name(5) + " [0.1] | eps [0.2] | a\n";
  }
  // By symmetry all are alike: e = 0.1 e^5 + 0.2, and p(a) = 0.7 + 0.1 * 5 e^4 p(a).
  double e = 0;
  for (int n = 0; n < 100; ++n) e = 0.1 * std::pow(e, 5) + 0.2;
  const NormalGrammar grammar(ParseGrammar(text).grammar);
  EXPECT_NEAR(grammar.epsilon_weight().ToDouble(), e, 1e-15);
  EXPECT_NEAR(StringWeight(grammar, std::vector<int>{0}).ToDouble(),
              0.7 / (1 - 0.5 * std::pow(e, 4)), 1e-14);
}

TEST(NormalForm, NearlyCriticalGrammarsAreNotTakenForCritical) {
  // e = e^2 / 2 + 0.5 - d has the solution 1 - sqrt(2 d), and p(a) = d / (1 - e).
  const NormalGrammar grammar(
      ParseGrammar("S -> S S [0.5] | eps [0.499999999999] | a [0.000000000001]").grammar);
  EXPECT_NEAR(StringWeight(grammar, std::vector<int>{0}).ToDouble(), std::sqrt(1e-12 / 2), 1e-10);
}

TEST(NormalForm, GrammarsThatBecomeTooLargeAreRefused) {
  // Every nonterminal of a cycle of unary rules gets the terminals of all others.
  constexpr int kNonterminals = 300;
  std::string text;
  for (int n = 0; n < kNonterminals; ++n) {
    text += "N" + std::to_string(n) + " -> N" + std::to_string((n + 1) % kNonterminals);
    for (int k = 0; k < 60; ++k) text += " | t" + std::to_string(n) + "_" + std::to_string(k);
    text += "\n";
  }
  EXPECT_THROW(NormalForm(ParseGrammar(text).grammar), Error);
}

}  // namespace
}  // namespace pushdown
