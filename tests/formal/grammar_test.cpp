#include "pushdown/formal/grammar.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/formal/make_grammar.h"

namespace pushdown {
namespace {

using testing_oracle::MakeGrammar;

using Names = std::vector<std::string>;

// Names of the symbols for which this is true.
Names NamesWhere(const Grammar& grammar, const std::vector<bool>& is) {
  Names names;
  EXPECT_EQ(static_cast<int>(is.size()), grammar.symbols());
  for (int symbol = 0; symbol < grammar.symbols(); ++symbol) {
    if (is[symbol]) names.push_back(grammar.name(symbol));
  }
  return names;
}

TEST(SymbolTable, NumbersAreInTheOrderOfAddition) {
  SymbolTable table;
  EXPECT_EQ(table.size(), 0);
  EXPECT_EQ(table.Add("b"), 0);
  EXPECT_EQ(table.Add("a"), 1);
  EXPECT_EQ(table.Add("b"), 0) << "known already";
  EXPECT_EQ(table.size(), 2);
  EXPECT_EQ(table.name(0), "b");
  EXPECT_EQ(table.names(), (Names{"b", "a"}));
  EXPECT_EQ(table.Find("a"), 1);
  EXPECT_EQ(table.Find("c"), std::nullopt);
  EXPECT_EQ(table.Find(""), std::nullopt);
}

TEST(Grammar, TerminalsComeBeforeNonterminals) {
  Grammar grammar;
  EXPECT_EQ(grammar.terminals.Add("a"), 0);
  EXPECT_EQ(grammar.terminals.Add("b"), 1);
  EXPECT_EQ(grammar.AddNonterminal("S"), 2);
  EXPECT_EQ(grammar.AddNonterminal("T"), 3);
  EXPECT_EQ(grammar.symbols(), 4);
  EXPECT_EQ(grammar.nonterminals(), 2);
  EXPECT_TRUE(grammar.IsTerminal(1));
  EXPECT_FALSE(grammar.IsTerminal(2));
  EXPECT_EQ(grammar.name(1), "b");
  EXPECT_EQ(grammar.name(3), "T");
}

TEST(Grammar, NonterminalsMayHaveTheNamesOfOthers) {
  Grammar grammar;
  grammar.terminals.Add("a");
  EXPECT_EQ(grammar.AddNonterminal("a"), 1);
  EXPECT_EQ(grammar.AddNonterminal("a"), 2);
  EXPECT_EQ(grammar.nonterminals(), 2);
}

TEST(Grammar, RulesAreKeptInOrderExceptThoseOfWeightZero) {
  Grammar grammar;
  const int a = grammar.terminals.Add("a");
  const int s = grammar.AddNonterminal("S");
  const int t = grammar.AddNonterminal("T");
  grammar.AddRule(s, {a, t}, 0.5);
  grammar.AddRule(t, {}, 1.0);
  grammar.AddRule(s, {t}, 0.0);
  grammar.AddRule(s, {}, 0.5);
  ASSERT_EQ(grammar.rules.size(), 3u);
  EXPECT_EQ(grammar.rules[0].left, s);
  EXPECT_EQ(grammar.rules[0].right, (std::vector<int>{a, t}));
  EXPECT_EQ(grammar.rules[0].weight, Weight(0.5));
  EXPECT_EQ(grammar.rules[1].left, t);
  EXPECT_EQ(grammar.rules[2].right, std::vector<int>());
  EXPECT_EQ(RulesByLeft(grammar), (std::vector<std::vector<int>>{{}, {0, 2}, {1}}));
}

TEST(Grammar, RulesOfTheSmallestWeightsAreKept) {
  Grammar grammar;
  grammar.AddNonterminal("S");
  Weight tiny = 1e-300;
  for (int n = 0; n < 10; ++n) tiny *= tiny;
  grammar.AddRule(0, {}, tiny);
  EXPECT_EQ(grammar.rules.size(), 1u);
}

TEST(Grammar, DerivingSymbolsDeriveAString) {
  // A needs B, B needs A; C needs itself; D has epsilon, and E gets by with D.
  const Grammar grammar = MakeGrammar({{"S", "A", 0.5},
                                       {"S", "E a", 0.5},
                                       {"A", "b B", 1.0},
                                       {"B", "A b", 1.0},
                                       {"C", "C C", 0.5},
                                       {"C", "c C", 0.5},
                                       {"D", "", 1.0},
                                       {"E", "D D", 1.0}});
  EXPECT_EQ(NamesWhere(grammar, DerivingSymbols(grammar)), (Names{"a", "b", "c", "S", "D", "E"}));
}

TEST(Grammar, DerivingSymbolsWithoutTerminalsDeriveTheEmptyString) {
  const Grammar grammar = MakeGrammar({{"S", "A B", 1.0},
                                       {"A", "a", 0.5},
                                       {"A", "C", 0.5},
                                       {"B", "b", 1.0},
                                       {"C", "D D", 1.0},
                                       {"D", "", 0.5},
                                       {"D", "S", 0.5}});
  EXPECT_EQ(NamesWhere(grammar, DerivingSymbols(grammar, /*terminals=*/false)),
            (Names{"A", "C", "D"}));
}

TEST(Grammar, DerivingSymbolsOfALongChain) {
  // The order of the rules must not matter, nor the depth.
  std::vector<testing_oracle::WrittenRule> forward;
  constexpr int kLinks = 20000;
  for (int n = 0; n < kLinks; ++n) {
    forward.push_back({"A" + std::to_string(n), "A" + std::to_string(n + 1), 1.0});
  }
  forward.push_back({"A" + std::to_string(kLinks), "a", 1.0});
  const std::vector<testing_oracle::WrittenRule> backward(forward.rbegin(), forward.rend());
  for (const auto& rules : {forward, backward}) {
    const Grammar grammar = MakeGrammar(rules);
    EXPECT_EQ(DerivingSymbols(grammar), std::vector<bool>(kLinks + 2, true));
  }
  EXPECT_EQ(ReachableSymbols(MakeGrammar(forward)), std::vector<bool>(kLinks + 2, true));
}

TEST(Grammar, ReachableSymbolsOccurInASententialForm) {
  // Also what is only next to symbols without strings.
  const Grammar grammar = MakeGrammar({{"S", "A B", 0.5},
                                       {"S", "a", 0.5},
                                       {"A", "A b", 1.0},
                                       {"B", "S", 1.0},
                                       {"C", "S c", 0.5},
                                       {"C", "D", 0.5},
                                       {"D", "C", 1.0}});
  EXPECT_EQ(NamesWhere(grammar, ReachableSymbols(grammar)), (Names{"a", "b", "S", "A", "B"}));
}

TEST(Grammar, TheStartSymbolIsReachableEvenIfNothingElseIs) {
  Grammar grammar = MakeGrammar({{"S", "T", 1.0}, {"T", "a", 1.0}});
  EXPECT_EQ(NamesWhere(grammar, ReachableSymbols(grammar)), (Names{"a", "S", "T"}));
  grammar.start = 2;
  EXPECT_EQ(NamesWhere(grammar, ReachableSymbols(grammar)), (Names{"a", "T"}));
}

}  // namespace
}  // namespace pushdown
