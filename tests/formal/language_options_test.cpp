// Names, parameters and grammars of the built-in languages.

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/derivation_weights.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/languages.h"

namespace pushdown {
namespace {

using Parameters = std::map<std::string, double>;

struct Expected {
  bool context_free;
  int default_symbols;
  Parameters defaults;
};

// From the paper and DuSell and Chiang 2020.
std::map<std::string, Expected> ExpectedLanguages() {
  return {
      {"marked-reversal", {true, 2, {{"p", 60.0 / 61}}}},
      {"unmarked-reversal", {true, 2, {{"p", 60.0 / 61}}}},
      {"padded-reversal", {true, 2, {{"p", 60.0 / 61}, {"g", 30.0 / 31}}}},
      {"dyck", {true, 2, {{"s", 1.0 / 2}, {"t", 39.0 / 40}}}},
      {"hardest-cfl",
       {true,
        0,
        {{"c", 1.0 / 3},
         {"u", 1.0 / 3},
         {"v", 1.0 / 2},
         {"q", 1.0 / 4},
         {"s", 3.0 / 5},
         {"t", 3.0 / 4}}}},
      {"count-3", {false, 0, {}}},
      {"marked-reverse-and-copy", {false, 2, {}}},
      {"count-and-copy", {false, 2, {}}},
      {"marked-copy", {false, 2, {}}},
      {"unmarked-copy-different-alphabets", {false, 2, {}}},
      {"unmarked-reverse-and-copy", {false, 2, {}}},
      {"unmarked-copy", {false, 2, {}}},
  };
}

std::string ErrorOf(const std::string& language, const LanguageOptions& options) {
  try {
    ResolvedOptions(FindLanguage(language), options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Languages, AreThoseOfThePaper) {
  const auto expected = ExpectedLanguages();
  std::set<std::string> names;
  for (const LanguageInfo& info : KnownLanguages()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " twice";
    ASSERT_TRUE(expected.contains(info.name)) << info.name;
    EXPECT_EQ(info.context_free, expected.at(info.name).context_free) << info.name;
    EXPECT_EQ(info.default_symbols, expected.at(info.name).default_symbols) << info.name;
    EXPECT_FALSE(info.definition.empty()) << info.name;
    EXPECT_EQ(info.definition.find('\n'), std::string::npos) << info.name;
    Parameters defaults;
    for (const LanguageParameter& parameter : info.parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << info.name << " " << parameter.name;
      const auto value = ParseProbability(parameter.default_text);
      ASSERT_TRUE(value) << info.name << " " << parameter.default_text;
      defaults[parameter.name] = *value;
    }
    EXPECT_EQ(defaults, expected.at(info.name).defaults) << info.name;
  }
  EXPECT_EQ(names.size(), expected.size());
}

TEST(Languages, AnUnknownOneIsAnErrorThatNamesTheKnown) {
  for (const char* name : {"", "dick", "Dyck", "dyck "}) {
    try {
      FindLanguage(name);
      FAIL() << name << " was found";
    } catch (const Error& error) {
      const std::string message = error.what();
      for (const auto& [known, expected] : ExpectedLanguages()) {
        EXPECT_NE(message.find(known), std::string::npos) << message;
      }
    }
  }
}

TEST(Languages, EveryDefaultIsFilledIn) {
  for (const auto& [name, expected] : ExpectedLanguages()) {
    const LanguageOptions options = ResolvedOptions(FindLanguage(name), {});
    EXPECT_EQ(options.symbols, expected.default_symbols) << name;
    EXPECT_EQ(options.parameters, expected.defaults) << name;
  }
}

TEST(Languages, WhatIsGivenIsKept) {
  const LanguageOptions options =
      ResolvedOptions(FindLanguage("padded-reversal"), {.symbols = 7, .parameters = {{"g", 0.25}}});
  EXPECT_EQ(options.symbols, 7);
  EXPECT_EQ(options.parameters, (Parameters{{"p", 60.0 / 61}, {"g", 0.25}}));
}

TEST(Languages, OptionsThatALanguageDoesNotHaveAreRefused) {
  const std::string message = ErrorOf("dyck", {.symbols = 0, .parameters = {{"p", 0.5}}});
  EXPECT_NE(message.find("p"), std::string::npos) << message;
  EXPECT_NE(message.find("dyck"), std::string::npos) << message;
  EXPECT_NE(message, "no error");
  EXPECT_NE(ErrorOf("marked-copy", {.symbols = 0, .parameters = {{"p", 0.5}}}), "no error");
  EXPECT_NE(ErrorOf("count-3", {.symbols = 2, .parameters = {}}), "no error") << "a b c only";
  EXPECT_NE(ErrorOf("hardest-cfl", {.symbols = 2, .parameters = {}}), "no error");
}

TEST(Languages, ValuesOutOfRangeAreRefused) {
  for (double bad : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN(),
                     std::numeric_limits<double>::infinity()}) {
    EXPECT_NE(ErrorOf("dyck", {.symbols = 0, .parameters = {{"s", bad}}}), "no error") << bad;
    EXPECT_NE(ErrorOf("padded-reversal", {.symbols = 0, .parameters = {{"g", bad}}}), "no error");
    EXPECT_NE(ErrorOf("hardest-cfl", {.symbols = 0, .parameters = {{"q", bad}}}), "no error");
  }
  EXPECT_NE(ErrorOf("dyck", {.symbols = -1, .parameters = {}}), "no error");
  EXPECT_NE(ErrorOf("dyck", {.symbols = std::numeric_limits<int>::max(), .parameters = {}}),
            "no error");
}

TEST(Languages, TheLongestLengthMustBeOneThatAnyLanguageCanHave) {
  for (const char* name : {"marked-copy", "marked-reversal"}) {
    EXPECT_THROW(MakeLanguage(FindLanguage(name), {}, -1), Error);
    EXPECT_THROW(MakeLanguage(FindLanguage(name), {}, Language::kMaxLength + 1), Error);
    EXPECT_EQ(MakeLanguage(FindLanguage(name), {}, 0)->max_length(), 0);
    EXPECT_EQ(MakeLanguage(FindLanguage(name), {}, 33)->max_length(), 33);
  }
  EXPECT_NO_THROW(MakeLanguage(FindLanguage("marked-copy"), {}, Language::kMaxLength));
}

TEST(Languages, BadOptionsAreRefusedWhereverTheyAreGiven) {
  const LanguageOptions bad{.symbols = 0, .parameters = {{"s", 2.0}}};
  EXPECT_THROW(MakeLanguage(FindLanguage("dyck"), bad, 10), Error);
  EXPECT_THROW(LanguageGrammar(FindLanguage("dyck"), bad), Error);
  EXPECT_THROW(LanguageGrammar(FindLanguage("marked-copy")), Error) << "has no PCFG";
}

TEST(Languages, GrammarsAreProper) {
  for (const auto& [name, expected] : ExpectedLanguages()) {
    if (!expected.context_free) continue;
    const Grammar grammar = LanguageGrammar(FindLanguage(name));
    std::map<int, double> totals;
    for (const Rule& rule : grammar.rules) totals[rule.left] += rule.weight.ToDouble();
    EXPECT_EQ(static_cast<int>(totals.size()), grammar.nonterminals()) << name;
    for (const auto& [left, total] : totals) {
      EXPECT_NEAR(total, 1.0, 1e-14) << name << " " << grammar.name(left);
    }
  }
}

TEST(Languages, DerivationsOfBracketsNeedNotEnd) {
  // S = S T / 2 + T / 2 and T = t S + 1 - t have the smaller solution T = 2 (1-t), S = T / (2-T).
  const Grammar dyck = LanguageGrammar(FindLanguage("dyck"));
  EXPECT_NEAR(DerivationWeights(dyck, 1)[dyck.start].ToDouble(), 0.05 / 1.95, 1e-13);
  // Q, L and R end; S = 0.6 S T + 0.4 T and T = 0.75 S + 0.25 are solved by 2/9.
  const Grammar hardest = LanguageGrammar(FindLanguage("hardest-cfl"));
  EXPECT_NEAR(DerivationWeights(hardest, 1)[hardest.start].ToDouble(), 2.0 / 9, 1e-13);
}

TEST(Languages, GrammarsCanBeWrittenAndReadAgain) {
  for (const auto& [name, expected] : ExpectedLanguages()) {
    if (!expected.context_free) continue;
    const Grammar grammar = LanguageGrammar(FindLanguage(name));
    const ParsedGrammar read = ParseGrammar(SerializeGrammar(grammar), name);
    // Of brackets and the hardest CFL, derivations need not end, which is worth a warning.
    EXPECT_EQ(read.warnings.size(), name == "dyck" || name == "hardest-cfl" ? 1u : 0u) << name;
    ASSERT_EQ(read.grammar.rules.size(), grammar.rules.size()) << name;
    EXPECT_EQ(read.grammar.name(read.grammar.start), grammar.name(grammar.start)) << name;
  }
}

}  // namespace
}  // namespace pushdown
