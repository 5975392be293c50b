// The indices of a NormalGrammar: each must hold all of the grammar.

#include "pushdown/formal/normal_grammar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/formal/derivations.h"
#include "tests/formal/random_grammar.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::ForEachString;
using testing_oracle::InsideOracle;
using testing_oracle::RandomGrammar;

Grammar WithoutRules(const NormalGrammar& normal) {
  Grammar grammar;
  for (int n = 0; n < normal.terminals(); ++n) grammar.terminals.Add(std::to_string(n));
  for (int n = normal.terminals(); n < normal.symbols(); ++n) grammar.AddNonterminal("");
  grammar.start = normal.start();
  grammar.AddRule(normal.start(), {}, normal.epsilon_weight());
  return grammar;
}

// From the rules of each left side.
Grammar OfExpansions(const NormalGrammar& normal) {
  Grammar grammar = WithoutRules(normal);
  for (int left = normal.terminals(); left < normal.symbols(); ++left) {
    for (const NormalGrammar::Expansion& expansion : normal.Expansions(left)) {
      if (expansion.pair == -1) {
        grammar.AddRule(left, {expansion.terminal}, expansion.weight);
      } else {
        const NormalGrammar::Pair& pair = normal.pairs()[expansion.pair];
        grammar.AddRule(left, {pair.left, pair.right}, expansion.weight);
      }
    }
  }
  return grammar;
}

// From the left sides of each right side, which is found by its right symbol.
Grammar OfParents(const NormalGrammar& normal) {
  Grammar grammar = WithoutRules(normal);
  for (int symbol = 0; symbol < normal.symbols(); ++symbol) {
    if (normal.IsTerminal(symbol)) {
      for (const NormalGrammar::Parent& parent : normal.TerminalParents(symbol)) {
        grammar.AddRule(parent.symbol, {symbol}, parent.weight);
      }
    }
    for (const NormalGrammar::Partner& partner : normal.Partners(symbol)) {
      for (const NormalGrammar::Parent& parent : normal.PairParents(partner.pair)) {
        grammar.AddRule(parent.symbol, {partner.left, symbol}, parent.weight);
      }
    }
  }
  return grammar;
}

TEST(NormalGrammar, EveryIndexHasTheWeightsOfAllStrings) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Grammar grammar = RandomGrammar(seed);
    const NormalGrammar normal(grammar);
    const Grammar of_expansions = OfExpansions(normal);
    const Grammar of_parents = OfParents(normal);
    InsideOracle oracle(grammar);
    InsideOracle by_left(of_expansions);
    InsideOracle by_right(of_parents);
    for (int length = 0; length <= 4; ++length) {
      ForEachString(grammar.terminals.size(), length, [&](const std::vector<int>& string) {
        const double weight = oracle(string);
        EXPECT_NEAR(by_left(string), weight, 1e-12 * weight) << "seed " << seed;
        EXPECT_NEAR(by_right(string), weight, 1e-12 * weight) << "seed " << seed;
      });
    }
  }
}

TEST(NormalGrammar, PairsAreThereOnceAndPartnersAreSorted) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const NormalGrammar normal(RandomGrammar(seed));
    std::set<std::pair<int, int>> pairs;
    for (const NormalGrammar::Pair& pair : normal.pairs()) {
      EXPECT_TRUE(pairs.emplace(pair.left, pair.right).second) << "seed " << seed;
    }
    std::size_t partners = 0;
    for (int symbol = 0; symbol < normal.symbols(); ++symbol) {
      const auto of_symbol = normal.Partners(symbol);
      EXPECT_TRUE(std::is_sorted(of_symbol.begin(), of_symbol.end(),
                                 [](const auto& a, const auto& b) { return a.left < b.left; }));
      for (const NormalGrammar::Partner& partner : of_symbol) {
        EXPECT_EQ(normal.pairs()[partner.pair].left, partner.left);
        EXPECT_EQ(normal.pairs()[partner.pair].right, symbol);
      }
      partners += of_symbol.size();
    }
    EXPECT_EQ(partners, pairs.size()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pushdown
