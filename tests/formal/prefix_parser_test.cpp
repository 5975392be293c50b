#include "pushdown/formal/prefix_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/formal/closed_forms.h"
#include "tests/formal/derivations.h"
#include "tests/formal/language_definitions.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/random_grammar.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::DyckGrammar;
using testing_oracle::ForEachString;
using testing_oracle::InDyck;
using testing_oracle::InPaddedReversal;
using testing_oracle::InsideOracle;
using testing_oracle::MakeGrammar;
using testing_oracle::RandomGrammar;
using testing_oracle::RulesText;
using testing_oracle::Terminals;

using String = std::vector<int>;

String Appended(String string, int symbol) {
  string.push_back(symbol);
  return string;
}

// What ParsePrefix promises, from a predicate for strings that begin a member and one for members.
template <typename BeginsMember, typename IsMember>
void ExpectPrefixParse(const NormalGrammar& grammar, const String& string,
                       const BeginsMember& begins_member, const IsMember& is_member,
                       const std::string& message) {
  String prefix;
  for (int symbol : string) {
    if (!begins_member(Appended(prefix, symbol))) break;
    prefix.push_back(symbol);
  }
  std::vector<int> expected;
  for (int symbol = 0; symbol < grammar.terminals(); ++symbol) {
    if (begins_member(Appended(prefix, symbol))) expected.push_back(symbol);
  }
  const PrefixParse parse = ParsePrefix(grammar, string);
  const std::string text = message + " string " + testing::PrintToString(string);
  EXPECT_EQ(parse.length, static_cast<int>(prefix.size())) << text;
  EXPECT_EQ(parse.expected, expected) << text;
  EXPECT_EQ(parse.may_end, is_member(prefix)) << text;
}

// All beginnings of the members up to a length.
template <typename IsMember>
std::set<String> Beginnings(int symbols, int max_length, const IsMember& is_member) {
  std::set<String> beginnings;
  for (int length = 0; length <= max_length; ++length) {
    ForEachString(symbols, length, [&](const String& string) {
      if (!is_member(string)) return;
      for (int n = 0; n <= length; ++n) beginnings.emplace(string.begin(), string.begin() + n);
    });
  }
  return beginnings;
}

TEST(PrefixParser, BracketsByDefinition) {
  const auto is_member = [](const String& string) {
    std::string text;
    for (int symbol : string) text.push_back("()[]"[symbol]);
    return InDyck(text);
  };
  // A beginning of 4 symbols needs 4 more at most, so members up to 10 show all up to 5.
  const std::set<String> beginnings = Beginnings(4, 10, is_member);
  const NormalGrammar grammar(DyckGrammar(2, 0.5, 0.5));
  for (int length = 0; length <= 4; ++length) {
    ForEachString(4, length, [&](const String& string) {
      ExpectPrefixParse(
          grammar, string, [&](const String& s) { return beginnings.contains(s); }, is_member,
          "brackets");
    });
  }
}

TEST(PrefixParser, PaddedReversalByDefinition) {
  const auto is_member = [](const String& string) {
    std::string text;
    for (int symbol : string) text.push_back(static_cast<char>('0' + symbol));
    return InPaddedReversal(text, 2);
  };
  // Every string begins its own reversal, of twice its length.
  const std::set<String> beginnings = Beginnings(2, 12, is_member);
  const NormalGrammar grammar(MakeGrammar({{"S", "0 S 0", 0.25},
                                           {"S", "1 S 1", 0.25},
                                           {"S", "A", 0.25},
                                           {"S", "B", 0.25},
                                           {"A", "0 A", 0.5},
                                           {"A", "", 0.5},
                                           {"B", "1 B", 0.5},
                                           {"B", "", 0.5}}));
  for (int length = 0; length <= 5; ++length) {
    ForEachString(2, length, [&](const String& string) {
      ExpectPrefixParse(
          grammar, string, [&](const String& s) { return beginnings.contains(s); }, is_member,
          "padded reversal");
    });
  }
}

// Whether a string begins a member of a grammar, by the definition of a derivation alone: a symbol
// derives text that begins with string[begin ..] if it is a terminal that is there, or if some of
// its right side's symbols derive a part of it exactly, the next one the beginning of something
// longer, and the others anything.
bool BeginsMember(const Grammar& grammar, InsideOracle& oracle, const String& string) {
  const std::size_t length = string.size();
  std::vector<bool> productive(static_cast<std::size_t>(grammar.symbols()), false);
  // covers[symbol][begin]: derives string[begin ..] and perhaps more.
  std::vector<std::vector<bool>> covers(grammar.symbols(), std::vector<bool>(length + 1, false));
  for (int symbol = 0; symbol < grammar.terminals.size(); ++symbol) {
    productive[symbol] = true;
    covers[symbol][length] = true;
    if (length > 0 && string[length - 1] == symbol) covers[symbol][length - 1] = true;
  }
  const auto derives = [&](int symbol, std::size_t begin, std::size_t end) {
    return oracle.Weights({string.begin() + begin, string.begin() + end})[symbol] > 0;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const Rule& rule : grammar.rules) {
      bool all_productive = true;
      for (int symbol : rule.right) all_productive = all_productive && productive[symbol];
      if (!all_productive) continue;
      if (!productive[rule.left]) changed = productive[rule.left] = true;
      for (std::size_t begin = 0; begin <= length; ++begin) {
        if (covers[rule.left][begin]) continue;
        std::vector<bool> reached(length + 1, false);  // exactly, by the symbols so far
        reached[begin] = true;
        bool covered = false;
        for (int symbol : rule.right) {
          std::vector<bool> next(length + 1, false);
          for (std::size_t middle = begin; middle <= length; ++middle) {
            if (!reached[middle]) continue;
            covered = covered || covers[symbol][middle];
            for (std::size_t end = middle; end <= length; ++end) {
              if (derives(symbol, middle, end)) next[end] = true;
            }
          }
          reached = next;
        }
        if (covered || reached[length]) changed = covers[rule.left][begin] = true;
      }
    }
  }
  return covers[grammar.start][0];
}

TEST(PrefixParser, RandomGrammarsByDefinition) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Grammar grammar = RandomGrammar(seed);
    const NormalGrammar normal(grammar);
    InsideOracle oracle(grammar);
    const std::string message = "seed " + std::to_string(seed) + "\n" + RulesText(grammar);
    for (int length = 0; length <= 3; ++length) {
      ForEachString(grammar.terminals.size(), length, [&](const String& string) {
        ExpectPrefixParse(
            normal, string, [&](const String& s) { return BeginsMember(grammar, oracle, s); },
            [&](const String& s) { return oracle(s) > 0; }, message);
      });
    }
  }
}

TEST(PrefixParser, WhatCannotBeCompletedIsNoBeginning) {
  // After b there is only what never ends.
  const Grammar grammar =
      MakeGrammar({{"S", "a S", 0.5}, {"S", "c", 0.25}, {"S", "b A", 0.25}, {"A", "a A", 1.0}});
  const NormalGrammar normal(grammar);
  const PrefixParse parse = ParsePrefix(normal, Terminals(grammar.terminals, "a b a"));
  EXPECT_EQ(parse.length, 1);
  EXPECT_EQ(parse.expected, Terminals(grammar.terminals, "a c"));
  EXPECT_FALSE(parse.may_end);
}

TEST(PrefixParser, AMemberThatCanGoOnAndOneThatCannot) {
  const Grammar grammar = MakeGrammar({{"S", "a b", 0.5}, {"S", "a b c", 0.5}});
  const NormalGrammar normal(grammar);
  const PrefixParse middle = ParsePrefix(normal, Terminals(grammar.terminals, "a b"));
  EXPECT_EQ(middle.length, 2);
  EXPECT_EQ(middle.expected, Terminals(grammar.terminals, "c"));
  EXPECT_TRUE(middle.may_end);
  const PrefixParse end = ParsePrefix(normal, Terminals(grammar.terminals, "a b c a"));
  EXPECT_EQ(end.length, 3);
  EXPECT_EQ(end.expected, std::vector<int>());
  EXPECT_TRUE(end.may_end);
}

TEST(PrefixParser, TheEmptyStringIsABeginningIfThereIsAMember) {
  const NormalGrammar only_empty(MakeGrammar({{"S", "", 1.0}}));
  const PrefixParse parse = ParsePrefix(only_empty, {});
  EXPECT_EQ(parse.length, 0);
  EXPECT_EQ(parse.expected, std::vector<int>());
  EXPECT_TRUE(parse.may_end);
}

TEST(PrefixParser, LongStringsOfManyTypes) {
  // 500 brackets that open, then one of the wrong type: any may open, one may close.
  const int types = 100;
  const NormalGrammar grammar(DyckGrammar(types, 0.5, 0.5));
  std::vector<int> string(500, 2 * 41);
  string.push_back(2 * 42 + 1);
  const PrefixParse parse = ParsePrefix(grammar, string);
  EXPECT_EQ(parse.length, 500);
  EXPECT_FALSE(parse.may_end);
  std::vector<int> expected;
  for (int n = 0; n < types; ++n) {
    expected.push_back(2 * n);
    if (n == 41) expected.push_back(2 * n + 1);
  }
  EXPECT_EQ(parse.expected, expected);
}

}  // namespace
}  // namespace pushdown
