// The oracles of the grammar tests, against hand calculations and each other.

#include "tests/formal/derivations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/formal/chi_squared.h"
#include "tests/formal/language_definitions.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/random_grammar.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::EnumerateDerivations;
using testing_oracle::EnumeratedWeight;
using testing_oracle::ForEachString;
using testing_oracle::HardestCflMembers;
using testing_oracle::HasProbabilities;
using testing_oracle::InHardestCfl;
using testing_oracle::InsideOracle;
using testing_oracle::IteratedDerivationWeights;
using testing_oracle::MakeGrammar;
using testing_oracle::RandomGrammar;
using testing_oracle::RulesText;

TEST(Oracles, CatalanNumbersOfDerivations) {
  // a^n has Catalan(n - 1) binary trees, each of weight p^(n-1) (1-p)^n.
  const Grammar grammar = MakeGrammar({{"S", "S S", 0.25}, {"S", "a", 0.75}});
  const double catalan[] = {1, 1, 2, 5, 14, 42};
  InsideOracle inside(grammar);
  for (int n = 1; n <= 6; ++n) {
    const std::vector<int> string(n, 0);
    const double expected = catalan[n - 1] * std::pow(0.25, n - 1) * std::pow(0.75, n);
    const EnumeratedWeight enumerated = EnumerateDerivations(grammar, string, 100, 0);
    EXPECT_NEAR(enumerated.weight, expected, 1e-15);
    EXPECT_LT(enumerated.left_out, 1e-40);
    EXPECT_NEAR(inside(string), expected, 1e-15);
  }
  EXPECT_EQ(inside({}), 0);
}

TEST(Oracles, AUnaryCycleIsAGeometricSeries) {
  // S => A => S => ... : a is derived with 1/4 / (1 - 1/4 - 1/8) = 0.4, from S and S or S and A.
  const Grammar grammar = MakeGrammar({{"S", "S", 0.25},
                                       {"S", "A", 0.25},
                                       {"S", "a", 0.25},
                                       {"S", "b", 0.25},
                                       {"A", "S", 0.5},
                                       {"A", "b", 0.5}});
  InsideOracle inside(grammar);
  EXPECT_NEAR(inside({0}), 0.25 / (1 - 0.25 - 0.125), 1e-15);
  EXPECT_NEAR(inside({1}), (0.25 + 0.125) / (1 - 0.25 - 0.125), 1e-15);
  const EnumeratedWeight enumerated = EnumerateDerivations(grammar, {0}, 200, 0);
  EXPECT_NEAR(enumerated.weight, 0.4, 1e-15);
  EXPECT_LT(enumerated.left_out, 1e-15);
}

TEST(Oracles, EpsilonFromAQuadraticEquation) {
  // e = e^2 / 4 + 1/2, so e = 2 - sqrt(2); for a: x = 2 e x / 4 + 1/4, so x = 1 / (4 - 2 e).
  const Grammar grammar = MakeGrammar({{"S", "S S", 0.25}, {"S", "a", 0.25}, {"S", "", 0.5}});
  const double e = 2 - std::sqrt(2.0);
  InsideOracle inside(grammar);
  EXPECT_NEAR(inside({}), e, 1e-15);
  EXPECT_NEAR(inside({0}), 1 / (4 - 2 * e), 1e-15);
  const auto total = IteratedDerivationWeights(grammar, 1);
  ASSERT_TRUE(total);
  EXPECT_NEAR(static_cast<double>((*total)[grammar.start]), 1, 1e-15);
}

TEST(Oracles, EnumerationAndInsideEquationsAgreeOnRandomGrammars) {
  int strings = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Grammar grammar = RandomGrammar(seed);
    InsideOracle inside(grammar);
    for (int length = 0; length <= 2; ++length) {
      ForEachString(grammar.terminals.size(), length, [&](const std::vector<int>& string) {
        const EnumeratedWeight enumerated = EnumerateDerivations(grammar, string, 40, 1e-5);
        const double slack = 1e-15;
        EXPECT_GE(inside(string), enumerated.weight - slack) << RulesText(grammar);
        EXPECT_LE(inside(string), enumerated.weight + enumerated.left_out + slack)
            << RulesText(grammar);
        // Only where the bounds are close have the two been compared.
        strings += inside(string) > 0 && enumerated.left_out < 1e-2 * enumerated.weight ? 1 : 0;
      });
    }
  }
  EXPECT_GT(strings, 100);
}

// Of the nonterminals of a grammar, by symbol, those that derive each other by unary rules alone.
bool HasUnaryCycle(const Grammar& grammar) {
  std::vector<std::vector<bool>> derives(grammar.symbols(),
                                         std::vector<bool>(grammar.symbols(), false));
  for (const Rule& rule : grammar.rules) {
    if (rule.right.size() == 1) derives[rule.left][rule.right[0]] = true;
  }
  for (int middle = 0; middle < grammar.symbols(); ++middle) {
    for (int a = 0; a < grammar.symbols(); ++a) {
      for (int b = 0; b < grammar.symbols(); ++b) {
        if (derives[a][middle] && derives[middle][b]) derives[a][b] = true;
      }
    }
  }
  for (int a = 0; a < grammar.symbols(); ++a) {
    if (derives[a][a]) return true;
  }
  return false;
}

TEST(Oracles, RandomGrammarsHaveWhatTheyAreFor) {
  int with_epsilon = 0;
  int with_cycle = 0;
  int with_long_rule = 0;
  int with_strings = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Grammar grammar = RandomGrammar(seed);
    InsideOracle inside(grammar);
    std::vector<double> totals(static_cast<std::size_t>(grammar.symbols()), 0.0);
    bool long_rule = false;
    for (const Rule& rule : grammar.rules) {
      totals[rule.left] += rule.weight.ToDouble();
      long_rule = long_rule || rule.right.size() > 2;
    }
    for (int left = grammar.terminals.size(); left < grammar.symbols(); ++left) {
      EXPECT_NEAR(totals[left], 1.0, 1e-14) << RulesText(grammar);
    }
    int strings = 0;
    for (int length = 1; length <= 4; ++length) {
      ForEachString(grammar.terminals.size(), length,
                    [&](const std::vector<int>& string) { strings += inside(string) > 0 ? 1 : 0; });
    }
    with_epsilon += inside({}) > 0 ? 1 : 0;
    with_cycle += HasUnaryCycle(grammar) ? 1 : 0;
    with_long_rule += long_rule ? 1 : 0;
    with_strings += strings >= 5 ? 1 : 0;
  }
  EXPECT_GT(with_epsilon, 75);
  EXPECT_GT(with_cycle, 75);
  EXPECT_GT(with_long_rule, 75);
  EXPECT_GT(with_strings, 75);
}

TEST(Oracles, HardestCflMembersAreThoseOfItsDefinition) {
  EXPECT_EQ(HardestCflMembers(5), std::set<std::string>());
  EXPECT_EQ(HardestCflMembers(6), (std::set<std::string>{",$(),;", ",$[],;"}));
  // With one more symbol of W, before the first or after the last comma: 2 * 2 * 5.
  EXPECT_EQ(HardestCflMembers(7).size(), 20u);
  for (int length = 8; length <= 10; ++length) {
    for (const std::string& member : HardestCflMembers(length)) {
      EXPECT_TRUE(InHardestCfl(member)) << member;
    }
  }
}

TEST(Oracles, HardestCflByHand) {
  // $ and () are in pieces of three blocks; other pieces are anything.
  EXPECT_TRUE(InHardestCfl(",$,;,(,;,),;"));
  EXPECT_TRUE(InHardestCfl("]],$,((,$;,[,(,;)$,[],),(;"));
  EXPECT_FALSE(InHardestCfl(",$,;,(,;,),")) << "unfinished";
  EXPECT_FALSE(InHardestCfl(",$(),,;")) << "an empty piece inside";
  EXPECT_FALSE(InHardestCfl("$(),;")) << "the first piece cannot be chosen";
  EXPECT_FALSE(InHardestCfl(",$();")) << "nor the last";
  EXPECT_FALSE(InHardestCfl(",$,;")) << "no brackets";
  EXPECT_FALSE(InHardestCfl(",(),;")) << "no $";
  EXPECT_FALSE(InHardestCfl(",$(),;;")) << "a block without pieces";
  EXPECT_FALSE(InHardestCfl(",$(),;,,;")) << "a block without a piece to choose";
  EXPECT_TRUE(InHardestCfl(",$(),;,[],;"));
  EXPECT_FALSE(InHardestCfl(",$(],;"));
  EXPECT_FALSE(InHardestCfl(",$$(),;"));
  EXPECT_FALSE(InHardestCfl(""));
  EXPECT_FALSE(InHardestCfl(";"));
}

TEST(Oracles, ChiSquaredTellsGoodFromBad) {
  const std::vector<int> even(1000, 0);
  EXPECT_FALSE(HasProbabilities(even, {{0, 0.5}, {1, 0.5}}));
  EXPECT_FALSE(HasProbabilities(even, {{1, 0.5}, {2, 0.5}})) << "impossible outcomes";
  EXPECT_FALSE(HasProbabilities(even, {{0, 0.5}, {1, 0.4}})) << "no distribution";
  std::vector<int> mixed(540, 0);
  mixed.resize(1000, 1);
  EXPECT_TRUE(HasProbabilities(mixed, {{0, 0.5}, {1, 0.5}})) << "2.5 standard deviations";
  mixed.assign(580, 0);
  mixed.resize(1000, 1);
  EXPECT_FALSE(HasProbabilities(mixed, {{0, 0.5}, {1, 0.5}})) << "5 standard deviations";
}

}  // namespace
}  // namespace pushdown
