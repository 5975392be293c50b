#include "tests/formal/earley.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/formal/awkward_grammar.h"
#include "tests/formal/derivations.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/random_grammar.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::AnyAwkwardGrammar;
using testing_oracle::Earley;
using testing_oracle::ForEachString;
using testing_oracle::InsideOracle;
using testing_oracle::MakeGrammar;
using testing_oracle::RulesText;
using testing_oracle::Terminals;

// The strings up to which length are compared, by the number of terminals.
constexpr int kLengths[] = {0, 12, 7, 5};

// A grammar with the same rules, of which those of a nonterminal weigh 1/8 together: then the
// weights of all strings are sums that converge fast.
Grammar WithSmallWeights(Grammar grammar) {
  std::map<int, int> rules;
  for (const Rule& rule : grammar.rules) ++rules[rule.left];
  for (Rule& rule : grammar.rules) rule.weight = 0.125 / rules[rule.left];
  return grammar;
}

TEST(Earley, AcceptsWhatHasAWeight) {
  int accepted = 0;
  for (std::uint64_t seed = 1; seed <= 600 && !testing::Test::HasFailure(); ++seed) {
    const Grammar grammar = WithSmallWeights(AnyAwkwardGrammar(seed));
    InsideOracle weight(grammar);
    Earley earley(grammar);
    for (int length = 0; length <= kLengths[grammar.terminals.size()]; ++length) {
      ForEachString(grammar.terminals.size(), length, [&](const std::vector<int>& string) {
        const bool expected = weight(string) > 0;
        accepted += expected;
        EXPECT_EQ(earley.Accepts(string), expected)
            << "seed " << seed << " " << testing::PrintToString(string) << "\n"
            << RulesText(grammar);
      });
    }
  }
  EXPECT_GT(accepted, 10000);
}

TEST(Earley, PrefixesMayBeLeftAndReadAgain) {
  const Grammar grammar = MakeGrammar({{"S", "a S b", 1}, {"S", "S S", 1}, {"S", "", 1}});
  Earley earley(grammar);
  EXPECT_TRUE(earley.accepted());
  earley.Push(0);
  EXPECT_FALSE(earley.accepted());
  earley.Push(1);
  EXPECT_TRUE(earley.accepted());
  earley.Push(1);
  EXPECT_FALSE(earley.alive());
  earley.Pop();
  earley.Pop();
  EXPECT_TRUE(earley.alive());
  EXPECT_FALSE(earley.accepted());
  earley.Push(0);
  earley.Push(1);
  earley.Push(1);
  EXPECT_TRUE(earley.accepted());
}

TEST(Earley, LongStrings) {
  const Grammar palindromes = MakeGrammar({{"S", "a S a", 1}, {"S", "b S b", 1}, {"S", "", 1}});
  std::vector<int> string;
  for (int n = 0; n < 50; ++n) string.push_back(n % 3 == 0);
  for (int n = 49; n >= 0; --n) string.push_back(n % 3 == 0);
  Earley earley(palindromes);
  EXPECT_TRUE(earley.Accepts(string));
  string[70] = 1 - string[70];
  EXPECT_FALSE(earley.Accepts(string));
}

}  // namespace
}  // namespace pushdown
