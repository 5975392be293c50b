#include "pushdown/data/string_distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/grammar_language.h"
#include "pushdown/formal/languages.h"
#include "tests/formal/chi_squared.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::ForEachString;
using testing_oracle::HasProbabilities;
using testing_oracle::Terminals;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

TEST(StringDistribution, LengthsAreThoseThatTheLanguageHas) {
  const auto count = MakeLanguage(FindLanguage("count-3"), {}, 20);
  const StringDistribution distribution(*count, {4, 13});
  EXPECT_EQ(distribution.lengths(), (std::vector<int>{6, 9, 12}));
  EXPECT_EQ(distribution.range().min, 4);
  EXPECT_EQ(distribution.range().max, 13);
  EXPECT_EQ(&distribution.language(), count.get());
  EXPECT_EQ(StringDistribution(*count, {0, 0}).lengths(), std::vector<int>{0});
  EXPECT_EQ(StringDistribution(*count, {3, 3}).lengths(), std::vector<int>{3});
}

TEST(StringDistribution, RangesWithoutStringsAreRefused) {
  const auto count = MakeLanguage(FindLanguage("count-3"), {}, 20);
  EXPECT_THROW(StringDistribution(*count, {4, 5}), Error);
  EXPECT_THROW(StringDistribution(*count, {6, 3}), Error) << "upside down";
  EXPECT_THROW(StringDistribution(*count, {-3, 5}), Error) << "negative";
  EXPECT_THROW(StringDistribution(*count, {15, 21}), Error) << "beyond the language's lengths";
}

TEST(StringDistribution, LengthsAreSampledUniformly) {
  const auto dyck = MakeLanguage(FindLanguage("dyck"), {}, 20);
  const StringDistribution distribution(*dyck, {0, 11});
  Random random(1);
  std::vector<int> lengths;
  for (int n = 0; n < 10000; ++n) lengths.push_back(distribution.SampleLength(random));
  EXPECT_TRUE(HasProbabilities(lengths, {{2, 0.2}, {4, 0.2}, {6, 0.2}, {8, 0.2}, {10, 0.2}}));
}

TEST(StringDistribution, ProbabilitiesAreThatOfTheLengthTimesThatOfTheString) {
  // Two lengths, 1 and 3; marked reversals of a length are equally likely.
  const auto language = MakeLanguage(FindLanguage("marked-reversal"), {}, 20);
  const StringDistribution distribution(*language, {1, 4});
  const auto log_probability = [&](const char* string) {
    return distribution.LogProbability(Terminals(language->alphabet(), string));
  };
  EXPECT_NEAR(log_probability("#"), -std::log(2.0), 1e-14);
  EXPECT_NEAR(log_probability("0 # 0"), -std::log(4.0), 1e-14);
  EXPECT_NEAR(log_probability("1 # 1"), -std::log(4.0), 1e-14);
  EXPECT_EQ(log_probability("0 # 1"), kMinusInfinity) << "not in the language";
  EXPECT_EQ(log_probability("0 0"), kMinusInfinity) << "a length that the language lacks";
  EXPECT_EQ(log_probability("0 1 # 1 0"), kMinusInfinity) << "not in the range";
  EXPECT_EQ(log_probability(""), kMinusInfinity) << "not in the range";
}

TEST(StringDistribution, StringsBeyondTheLongestOfTheLanguageHaveNoProbability) {
  const auto language = MakeLanguage(FindLanguage("marked-reversal"), {}, 3);
  const StringDistribution distribution(*language, {1, 3});
  EXPECT_EQ(distribution.LogProbability(Terminals(language->alphabet(), "0 0 # 0 0")),
            kMinusInfinity);
}

TEST(StringDistribution, ProbabilitiesOfAllStringsSumToOne) {
  const auto language = MakeLanguage(FindLanguage("padded-reversal"), {}, 8);
  const StringDistribution distribution(*language, {2, 8});
  double total = 0;
  for (int length = 0; length <= 8; ++length) {
    ForEachString(2, length, [&](const std::vector<int>& string) {
      total += std::exp(distribution.LogProbability(string));
    });
  }
  EXPECT_NEAR(total, 1.0, 1e-12);
}

// By the sum over all strings that begin so.
void ExpectPrefixProbabilities(const Language& language, LengthRange range) {
  const StringDistribution distribution(language, range);
  std::map<std::vector<int>, double> sums;
  for (int length = 0; length <= range.max; ++length) {
    ForEachString(language.alphabet().size(), length, [&](const std::vector<int>& string) {
      const double p = std::exp(distribution.LogProbability(string));
      for (std::size_t t = 0; p > 0 && t <= string.size(); ++t) {
        sums[{string.begin(), string.begin() + static_cast<std::ptrdiff_t>(t)}] += p;
      }
    });
  }
  for (int length = 0; length <= range.max + 1; ++length) {
    ForEachString(language.alphabet().size(), length, [&](const std::vector<int>& string) {
      const std::vector<double> logs = distribution.LogPrefixProbabilities(string);
      ASSERT_EQ(logs.size(), string.size() + 1);
      for (std::size_t t = 0; t <= string.size(); ++t) {
        const auto sum =
            sums.find({string.begin(), string.begin() + static_cast<std::ptrdiff_t>(t)});
        ASSERT_NEAR(std::exp(logs[t]), sum == sums.end() ? 0 : sum->second, 1e-12)
            << "prefix of " << t << " of " << ::testing::PrintToString(string);
        ASSERT_EQ(logs[t] == kMinusInfinity, sum == sums.end());
      }
    });
  }
}

TEST(StringDistribution, PrefixProbabilitiesAreSumsOverAllStringsThatBeginSo) {
  for (const char* name :
       {"marked-reversal", "unmarked-reversal", "padded-reversal", "dyck", "count-3", "marked-copy",
        "unmarked-copy", "marked-reverse-and-copy", "unmarked-copy-different-alphabets"}) {
    SCOPED_TRACE(name);
    const auto language = MakeLanguage(FindLanguage(name), {}, 7);
    ExpectPrefixProbabilities(*language, {2, language->alphabet().size() <= 3 ? 7 : 5});
  }
  for (const char* grammar : {"S -> S S | a | b", "S -> S a | b S | b",
                              "S -> A B | eps\nA -> a A | "
                              "a\nB -> A b | b"}) {
    SCOPED_TRACE(grammar);
    const GrammarLanguage language(ParseGrammar(grammar).grammar, 7);
    ExpectPrefixProbabilities(language, {0, 7});
    ExpectPrefixProbabilities(language, {0, 4});  // less than the language was made for
  }
}

TEST(CrossEntropy, CountsTheEndOfAString) {
  CrossEntropy entropy;
  entropy.Add(-3.0, 2);
  EXPECT_EQ(entropy.strings(), 1);
  EXPECT_EQ(entropy.symbols(), 3);
  EXPECT_DOUBLE_EQ(entropy.PerSymbol(), 1.0);
  entropy.Add(-1.0, 0);
  EXPECT_EQ(entropy.strings(), 2);
  EXPECT_EQ(entropy.symbols(), 4);
  EXPECT_DOUBLE_EQ(entropy.log_probability(), -4.0);
  EXPECT_DOUBLE_EQ(entropy.PerSymbol(), 1.0);
}

TEST(CrossEntropy, OfTwoSetsIsThatOfTheirUnion) {
  CrossEntropy first;
  first.Add(-2.0, 9);
  CrossEntropy second;
  second.Add(-5.0, 4);
  second.Add(-1.0, 4);
  second.Add(first);
  EXPECT_EQ(second.strings(), 3);
  EXPECT_EQ(second.symbols(), 20);
  EXPECT_DOUBLE_EQ(second.PerSymbol(), 8.0 / 20);
}

TEST(CrossEntropy, IsShiftedByAFactorOfEachProbability) {
  CrossEntropy cross_entropy;
  cross_entropy.Add(std::log(1.0 / 6), 3);
  cross_entropy.Add(std::log(1.0 / 12), 4);
  cross_entropy.Shift(std::log(3.0));
  EXPECT_EQ(cross_entropy.symbols(), 9);
  EXPECT_NEAR(cross_entropy.PerSymbol(), (std::log(2.0) + std::log(4.0)) / 9, 1e-15);
}

// The sum of so many equal numbers is not exactly their product.
TEST(CrossEntropy, OfStringsThatBecomeCertainIsNotNegative) {
  for (int strings = 1; strings <= 100; ++strings) {
    for (const double lengths : {3.0, 7.0, 9.0, 21.0}) {
      CrossEntropy cross_entropy;
      for (int n = 0; n < strings; ++n) cross_entropy.Add(-std::log(lengths), 1);
      cross_entropy.Shift(std::log(lengths));
      EXPECT_GE(cross_entropy.PerSymbol(), 0) << strings << " strings, " << lengths;
      EXPECT_LT(cross_entropy.PerSymbol(), 1e-13) << strings << " strings, " << lengths;
    }
  }
}

TEST(CrossEntropy, IsInfiniteWithAStringThatCannotBe) {
  CrossEntropy entropy;
  entropy.Add(-2.0, 9);
  entropy.Add(kMinusInfinity, 3);
  EXPECT_EQ(entropy.PerSymbol(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace pushdown
