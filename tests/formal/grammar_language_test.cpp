// Any grammar as a language.

#include "pushdown/formal/grammar_language.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/grammar_format.h"
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
using testing_oracle::Terminals;

using String = std::vector<int>;

TEST(GrammarLanguage, StringsHaveTheirProbabilitiesUnderTheGrammar) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Grammar grammar = RandomGrammar(seed);
    const GrammarLanguage language(grammar, 4);
    EXPECT_EQ(language.alphabet().names(), grammar.terminals.names());
    InsideOracle oracle(grammar);
    for (int length = 0; length <= 4; ++length) {
      double of_length = 0;
      ForEachString(grammar.terminals.size(), length,
                    [&](const String& string) { of_length += oracle(string); });
      EXPECT_EQ(language.HasLength(length), of_length > 0) << "seed " << seed;
      EXPECT_NEAR(std::exp(language.LogWeightOfLength(length)), of_length, 1e-12)
          << "seed " << seed;
      ForEachString(grammar.terminals.size(), length, [&](const String& string) {
        const double weight = oracle(string);
        EXPECT_NEAR(std::exp(language.LogWeight(string)), weight, 1e-12 * weight)
            << "seed " << seed;
        EXPECT_EQ(!language.FindObjection(string), weight > 0) << "seed " << seed << "\n"
                                                               << RulesText(grammar);
        if (weight == 0) return;
        EXPECT_NEAR(language.LogProbabilityGivenLength(string), std::log(weight / of_length), 1e-11)
            << "seed " << seed;
      });
    }
  }
}

TEST(GrammarLanguage, ObjectionsSayWhatWasFoundAndWhatWasExpected) {
  const GrammarLanguage language(
      ParseGrammar("S -> NP V NP | NP V\nNP -> the N\nN -> dog | cat\nV -> saw").grammar, 10);
  const auto objection = [&](const char* string) {
    return *language.FindObjection(Terminals(language.alphabet(), string));
  };
  const Objection wrong = objection("the dog the cat");
  EXPECT_EQ(wrong.position, 3);
  EXPECT_NE(wrong.reason.find("the"), std::string::npos) << wrong.reason;
  EXPECT_NE(wrong.reason.find("saw"), std::string::npos) << wrong.reason;
  const Objection unfinished = objection("the dog saw the");
  EXPECT_EQ(unfinished.position, 5);
  EXPECT_NE(unfinished.reason.find("dog"), std::string::npos) << unfinished.reason;
  EXPECT_NE(unfinished.reason.find("cat"), std::string::npos) << unfinished.reason;
  EXPECT_EQ(unfinished.reason.find("saw"), std::string::npos) << unfinished.reason;
  const Objection too_long = objection("the dog saw the cat the");
  EXPECT_EQ(too_long.position, 6);
  EXPECT_NE(too_long.reason.find("end"), std::string::npos) << too_long.reason;
  EXPECT_FALSE(language.FindObjection(Terminals(language.alphabet(), "the dog saw")));
}

TEST(GrammarLanguage, KeepsTheGrammar) {
  const GrammarLanguage language(MakeGrammar({{"S", "a S", 0.5}, {"S", "b", 0.5}}), 10);
  EXPECT_EQ(language.grammar().rules.size(), 2u);
  EXPECT_EQ(language.grammar().name(language.grammar().start), "S");
  EXPECT_EQ(language.max_length(), 10);
}

TEST(GrammarLanguage, LengthsOutOfRangeAreRefused) {
  const Grammar grammar = MakeGrammar({{"S", "a S", 0.5}, {"S", "b", 0.5}});
  EXPECT_THROW(GrammarLanguage(grammar, -1), Error);
  EXPECT_THROW(GrammarLanguage(grammar, Language::kMaxLength + 1), Error);
  const GrammarLanguage language(grammar, 3);
  Random random(1);
  EXPECT_THROW(language.Sample(4, random), Error);
  EXPECT_THROW(language.Sample(0, random), Error) << "there is no empty string";
  EXPECT_FALSE(language.HasLength(4));
  EXPECT_FALSE(language.HasLength(-1));
  // Membership and weight have no limit of length.
  EXPECT_NEAR(language.LogWeight(Terminals(grammar.terminals, "a a a a b")), 5 * std::log(0.5),
              1e-13);
}

TEST(GrammarLanguage, ProgressNeverGoesBack) {
  std::vector<double> shares;
  const GrammarLanguage language(MakeGrammar({{"S", "S S", 0.4}, {"S", "b", 0.6}}), 100,
                                 [&](double share) { shares.push_back(share); });
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
}

TEST(GrammarLanguage, WhatIsNoSymbolOrLengthIsRefused) {
  const GrammarLanguage language(ParseGrammar("S -> a S | b").grammar, 10);
  for (const String& string : {String{0, 2}, String{-1}, String{1000000}}) {
    EXPECT_THROW(language.LogWeight(string), Error);
    EXPECT_THROW(language.FindObjection(string), Error);
    EXPECT_THROW(language.LogProbabilityGivenLength(string), Error);
  }
  EXPECT_THROW(language.LogWeightOfLength(-1), Error);
  EXPECT_THROW(language.LogWeightOfLength(11), Error);
  EXPECT_THROW(language.LogProbabilityGivenLength(String(11, 0)), Error);
}

}  // namespace
}  // namespace pushdown
