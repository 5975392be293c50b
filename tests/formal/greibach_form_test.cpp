#include "pushdown/formal/greibach_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "tests/formal/awkward_grammar.h"
#include "tests/formal/earley.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/random_grammar.h"
#include "tests/formal/special_grammars.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::AnyAwkwardGrammar;
using testing_oracle::Earley;
using testing_oracle::HasString;
using testing_oracle::MakeGrammar;
using testing_oracle::RulesText;
using testing_oracle::SpecialGrammars;
using testing_oracle::WalkStrings;
using testing_oracle::WrittenRule;

constexpr std::size_t kMaxSize = 1'000'000;

std::size_t Size(const Grammar& grammar) {
  std::size_t size = 0;
  for (const Rule& rule : grammar.rules) size += rule.right.size() + 1;
  return size;
}

// The strings up to which length are compared: up to 3000, fewer for large forms.
int LongestCompared(int terminals, std::size_t size) {
  const double most = std::min(3000.0, 3e5 / static_cast<double>(size + 1));
  double strings = 1;
  double longest = 1;
  int length = 0;
  while (length < 20 && strings + longest * terminals <= most) {
    longest *= terminals;
    strings += longest;
    ++length;
  }
  return length;
}

// `leading` terminals come first on right sides, or one for all of it, and else no terminals.
void ExpectForm(const Grammar& before, const Grammar& form, std::size_t leading,
                const std::string& message) {
  SCOPED_TRACE(message + ", leading terminals: " + std::to_string(leading) + "\n" +
               RulesText(before) + "became\n" + RulesText(form));
  EXPECT_EQ(form.terminals.names(), before.terminals.names());
  ASSERT_FALSE(form.IsTerminal(form.start));
  ASSERT_LT(form.start, form.symbols());
  for (const Rule& rule : form.rules) {
    EXPECT_EQ(rule.weight, Weight(1));
    ASSERT_FALSE(form.IsTerminal(rule.left));
    ASSERT_LT(rule.left, form.symbols());
    EXPECT_TRUE(!rule.right.empty() || rule.left == form.start);
    for (std::size_t n = 0; n < rule.right.size(); ++n) {
      EXPECT_NE(rule.right[n], form.start);
      EXPECT_EQ(form.IsTerminal(rule.right[n]), n < leading);
      ASSERT_GE(rule.right[n], 0);
      ASSERT_LT(rule.right[n], form.symbols());
    }
  }
  EXPECT_TRUE(HasString(before) || form.rules.empty());
}

// Every string up to a length is in all grammars or in none.
void ExpectSameLanguage(const std::vector<Grammar>& grammars, const std::string& message) {
  std::vector<Earley> oracles;
  for (const Grammar& grammar : grammars) oracles.emplace_back(grammar);
  std::vector<int> string;
  const auto compare = [&] {
    for (std::size_t n = 1; n < oracles.size(); ++n) {
      EXPECT_EQ(oracles[n].accepted(), oracles[0].accepted())
          << message << ", form " << n << ", " << testing::PrintToString(string) << "\n"
          << RulesText(grammars[0]) << "became\n"
          << RulesText(grammars[n]);
    }
  };
  compare();
  WalkStrings(
      grammars[0].terminals.size(),
      LongestCompared(grammars[0].terminals.size(), Size(grammars.back())),
      [&](int symbol) {
        string.push_back(symbol);
        bool alive = false;
        for (Earley& oracle : oracles) {
          oracle.Push(symbol);
          alive = alive || oracle.alive();
        }
        compare();
        return alive && !testing::Test::HasFailure();
      },
      [&] {
        string.pop_back();
        for (Earley& oracle : oracles) oracle.Pop();
      });
}

// All promises of both forms.
void ExpectForms(const Grammar& grammar, const std::string& message,
                 std::size_t max_size = kMaxSize) {
  const Grammar greibach = GreibachForm(grammar, max_size);
  ExpectForm(grammar, greibach, 1, message);
  const Grammar two_greibach = TwoGreibachForm(greibach, max_size);
  ExpectForm(grammar, two_greibach, 2, message);
  if (testing::Test::HasFailure()) return;
  ExpectSameLanguage({grammar, greibach, two_greibach}, message);
}

TEST(GreibachForm, SpecialCases) {
  for (const auto& [name, grammar] : SpecialGrammars()) ExpectForms(grammar, name);
}

TEST(GreibachForm, RandomGrammars) {
  int with_strings = 0;
  int too_large = 0;
  for (std::uint64_t seed = 1; seed <= 600 && !testing::Test::HasFailure(); ++seed) {
    const Grammar grammar = AnyAwkwardGrammar(seed);
    with_strings += HasString(grammar);
    try {
      ExpectForms(grammar, "seed " + std::to_string(seed), 30'000);
    } catch (const Error&) {
      ++too_large;
    }
  }
  EXPECT_GT(with_strings, 400);
  EXPECT_LT(too_large, 40);
}

TEST(GreibachForm, OfAGreibachFormIsOne) {
  for (std::uint64_t seed = 1; seed <= 50 && !testing::Test::HasFailure(); ++seed) {
    const Grammar form = GreibachForm(AnyAwkwardGrammar(seed), kMaxSize);
    const std::string message = "seed " + std::to_string(seed);
    const Grammar again = GreibachForm(form, kMaxSize);
    ExpectForm(form, again, 1, message);
    // A rule of two terminals is no trouble either.
    const Grammar of_two = GreibachForm(TwoGreibachForm(form, kMaxSize), kMaxSize);
    ExpectForm(form, of_two, 1, message);
    if (!testing::Test::HasFailure()) ExpectSameLanguage({form, again, of_two}, message);
  }
}

TEST(TwoGreibachForm, OfGrammarsByHand) {
  const std::vector<std::vector<WrittenRule>> cases = {
      {{"S", "a A B", 1}, {"A", "a", 1}, {"A", "b A A", 1}, {"B", "b B", 1}, {"B", "b", 1}},
      {{"S", "", 1}, {"S", "a A", 1}, {"A", "a A", 1}, {"A", "b", 1}},
      {{"S", "", 1}},
      {{"S", "a", 1}, {"S", "b", 1}},
      // One of the nonterminals never ends.
      {{"S", "a A N", 1}, {"S", "b", 1}, {"A", "a", 1}, {"N", "a N", 1}},
      {{"S", "a N A", 1},
       {"S", "b A", 1},
       {"A", "a", 1},
       {"A", "b U U", 1},
       {"U", "b", 1},
       {"N", "b N", 1}},
      {{"S", "a A", 1}, {"A", "b A", 1}},
      // Equal results of different rules.
      {{"S", "a A", 1}, {"S", "a B", 1}, {"A", "b", 1}, {"B", "b", 1}, {"B", "b A", 1}},
  };
  for (const std::vector<WrittenRule>& rules : cases) {
    const Grammar grammar = MakeGrammar(rules);
    const Grammar form = TwoGreibachForm(grammar, kMaxSize);
    ExpectForm(grammar, form, 2, "by hand");
    ExpectSameLanguage({grammar, form}, "by hand");
  }
}

// The message of the Error that it throws, or nothing.
template <typename Function>
std::string MessageOf(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(GreibachForm, TooLarge) {
  for (const auto& [name, grammar] : SpecialGrammars()) {
    SCOPED_TRACE(name);
    const Grammar form = GreibachForm(grammar, kMaxSize);
    if (Size(form) > 0) {
      const std::size_t limit = Size(form) - 1;
      EXPECT_NE(MessageOf([&] { GreibachForm(grammar, limit); }).find(std::to_string(limit)),
                std::string::npos);
    }
    const Grammar two = TwoGreibachForm(form, kMaxSize);
    if (Size(two) > 0) {
      const std::size_t limit = Size(two) - 1;
      EXPECT_NE(MessageOf([&] { TwoGreibachForm(form, limit); }).find(std::to_string(limit)),
                std::string::npos);
    }
  }
}

TEST(GreibachForm, TheLimitEndsWhatWouldNotEnd) {
  // A chain in which each nonterminal has all rules of the next ones, 12 times a million of them.
  std::vector<WrittenRule> rules;
  for (int n = 0; n < 2000; ++n) {
    const std::string left = "A" + std::to_string(n);
    rules.push_back({left, n + 1 < 2000 ? "A" + std::to_string(n + 1) : left + " " + left, 1});
    rules.push_back({left, "A0 b" + std::to_string(n), 1});
    rules.push_back({left, "a", 1});
  }
  const Grammar grammar = MakeGrammar(rules);
  EXPECT_NE(MessageOf([&] { GreibachForm(grammar, 100'000); }).find("100000"), std::string::npos);
}

}  // namespace
}  // namespace pushdown
