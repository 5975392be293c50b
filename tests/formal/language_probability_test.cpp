// Probabilities of strings of the built-in languages, against the grammars as they are published,
// closed forms, and sampling frequencies.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/languages.h"
#include "tests/formal/chi_squared.h"
#include "tests/formal/closed_forms.h"
#include "tests/formal/derivations.h"
#include "tests/formal/language_cases.h"
#include "tests/formal/language_definitions.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::CharactersBySymbol;
using testing_oracle::DyckGrammar;
using testing_oracle::ForEachString;
using testing_oracle::HardestCflMembers;
using testing_oracle::HasProbabilities;
using testing_oracle::InsideOracle;
using testing_oracle::LanguageCase;
using testing_oracle::LanguageCases;
using testing_oracle::LogDyckWeight;
using testing_oracle::LogDyckWeightOfLength;
using testing_oracle::Make;
using testing_oracle::MakeGrammar;
using testing_oracle::Terminals;
using testing_oracle::WrittenRule;

using Parameters = std::map<std::string, double>;
using String = std::vector<int>;

std::unique_ptr<Language> Make(const std::string& name, int symbols, int max_length,
                               const Parameters& parameters = {}) {
  return MakeLanguage(FindLanguage(name), {.symbols = symbols, .parameters = parameters},
                      max_length);
}

// The grammars of DuSell and Chiang 2020, written down once more.

Grammar ReversalGrammar(int k, double p, const std::string& middle) {
  std::vector<WrittenRule> rules;
  for (int n = 0; n < k; ++n) {
    const std::string a = std::to_string(n);
    rules.push_back({"S", a + " S " + a, p / k});
  }
  rules.push_back({"S", middle, 1 - p});
  return MakeGrammar(rules);
}

Grammar PaddedReversalGrammar(int k, double p, double g) {
  std::vector<WrittenRule> rules;
  for (int n = 0; n < k; ++n) {
    const std::string a = std::to_string(n);
    rules.push_back({"S", a + " S " + a, p / k});
    rules.push_back({"S", "T" + a, (1 - p) / k});
    rules.push_back({"T" + a, a + " T" + a, g});
    rules.push_back({"T" + a, "", 1 - g});
  }
  return MakeGrammar(rules);
}

Grammar HardestCflGrammar(double c, double u, double v, double q, double s, double t) {
  return MakeGrammar({{"S'", "R $ Q S L ;", 1},
                      {"L", "L' , U", 1},
                      {"L'", ", V L'", c},
                      {"L'", "", 1 - c},
                      {"R", "U , R'", 1},
                      {"R'", "R' V ,", c},
                      {"R'", "", 1 - c},
                      {"U", "W U", u},
                      {"U", "", 1 - u},
                      {"V", "W V", v},
                      {"V", "W", 1 - v},
                      {"W", "(", 0.2},
                      {"W", ")", 0.2},
                      {"W", "[", 0.2},
                      {"W", "]", 0.2},
                      {"W", "$", 0.2},
                      {"Q", "L ; R", q},
                      {"Q", "", 1 - q},
                      {"S", "S Q T", s},
                      {"S", "T", 1 - s},
                      {"T", "( Q S Q )", t / 2},
                      {"T", "[ Q S Q ]", t / 2},
                      {"T", "( Q )", (1 - t) / 2},
                      {"T", "[ Q ]", (1 - t) / 2}});
}

// The weights of all strings of these lengths; the alphabets may be in different orders.
void ExpectWeightsOf(const Language& language, const Grammar& grammar, int max_length) {
  InsideOracle oracle(grammar);
  for (int length = 0; length <= max_length; ++length) {
    double total = 0;
    ForEachString(grammar.terminals.size(), length, [&](const String& string) {
      String symbols;
      for (int symbol : string) {
        symbols.push_back(language.alphabet().Find(grammar.name(symbol)).value());
      }
      const double expected = oracle(string);
      total += expected;
      EXPECT_NEAR(std::exp(language.LogWeight(symbols)), expected, 1e-12 * expected);
    });
    EXPECT_NEAR(std::exp(language.LogWeightOfLength(length)), total, 1e-12 * total) << length;
  }
}

TEST(LanguageProbability, MarkedReversalHasItsGrammar) {
  ExpectWeightsOf(*Make("marked-reversal", 2, 7), ReversalGrammar(2, 60.0 / 61, "#"), 7);
  ExpectWeightsOf(*Make("marked-reversal", 3, 5, {{"p", 0.3}}), ReversalGrammar(3, 0.3, "#"), 5);
}

TEST(LanguageProbability, UnmarkedReversalHasItsGrammar) {
  ExpectWeightsOf(*Make("unmarked-reversal", 2, 8), ReversalGrammar(2, 60.0 / 61, ""), 8);
  ExpectWeightsOf(*Make("unmarked-reversal", 3, 6, {{"p", 0.3}}), ReversalGrammar(3, 0.3, ""), 6);
}

TEST(LanguageProbability, PaddedReversalHasItsGrammar) {
  ExpectWeightsOf(*Make("padded-reversal", 2, 8), PaddedReversalGrammar(2, 60.0 / 61, 30.0 / 31),
                  8);
  ExpectWeightsOf(*Make("padded-reversal", 3, 5, {{"p", 0.4}, {"g", 0.7}}),
                  PaddedReversalGrammar(3, 0.4, 0.7), 5);
}

TEST(LanguageProbability, DyckHasItsGrammar) {
  ExpectWeightsOf(*Make("dyck", 2, 6), DyckGrammar(2, 0.5, 39.0 / 40), 6);
  ExpectWeightsOf(*Make("dyck", 1, 10, {{"s", 0.3}, {"t", 0.6}}), DyckGrammar(1, 0.3, 0.6), 10);
}

TEST(LanguageProbability, HardestCflHasItsGrammar) {
  const Grammar grammar = HardestCflGrammar(1.0 / 3, 1.0 / 3, 0.5, 0.25, 0.6, 0.75);
  ExpectWeightsOf(*Make("hardest-cfl", 0, 5), grammar, 5);
  const auto language = Make("hardest-cfl", 0, 12);
  const Parameters parameters = {{"c", 0.2}, {"u", 0.4}, {"v", 0.3},
                                 {"q", 0.6}, {"s", 0.1}, {"t", 0.45}};
  const auto other = Make("hardest-cfl", 0, 12, parameters);
  const Grammar other_grammar = HardestCflGrammar(0.2, 0.4, 0.3, 0.6, 0.1, 0.45);
  InsideOracle oracle(grammar);
  InsideOracle other_oracle(other_grammar);
  for (const char* text :
       {", $ ( ) , ;", "( $ , $ [ ] , ;", ", ( , $ [ ( ) ] , ;", ", $ , ; , ( ) , ;",
        ", $ ( , ; , ) , ;", ", $ ( ) , $ ( ) , ;", ", $ ( ) ( ) , ;", "] , [ , $ ( ) , ;"}) {
    const String string = Terminals(grammar.terminals, text);
    const String symbols = Terminals(language->alphabet(), text);
    EXPECT_NEAR(language->LogWeight(symbols), std::log(oracle(string)), 1e-11) << text;
    EXPECT_NEAR(other->LogWeight(symbols), std::log(other_oracle(string)), 1e-11) << text;
  }
}

TEST(LanguageProbability, OtherLanguagesAreUniform) {
  for (const LanguageCase& expected : LanguageCases()) {
    if (FindLanguage(expected.name).context_free) continue;
    const auto language = Make(expected, expected.max_length);
    const std::string characters = CharactersBySymbol(expected, language->alphabet());
    for (int length = 0; length <= expected.max_length; ++length) {
      std::vector<String> members;
      ForEachString(language->alphabet().size(), length, [&](const String& string) {
        std::string text;
        for (int symbol : string) text.push_back(characters[symbol]);
        if (expected.is_member(text)) members.push_back(string);
      });
      for (const String& member : members) {
        EXPECT_NEAR(language->LogProbabilityGivenLength(member),
                    -std::log(static_cast<double>(members.size())), 1e-13)
            << expected << " length " << length;
      }
    }
  }
}

TEST(LanguageProbability, LongStringsOfManyTypes) {
  // 500 symbols: w is 250 of 200 types.
  const auto copy = Make("unmarked-copy", 200, 500);
  Random random(1);
  EXPECT_NEAR(copy->LogProbabilityGivenLength(copy->Sample(500, random)), -250 * std::log(200.0),
              1e-9);
  const auto reversal = Make("marked-reversal", 200, 501);
  const double p = 60.0 / 61;
  EXPECT_NEAR(reversal->LogWeightOfLength(501), 250 * std::log(p) + std::log(1 - p), 1e-10);
  EXPECT_NEAR(reversal->LogProbabilityGivenLength(reversal->Sample(501, random)),
              -250 * std::log(200.0), 1e-9);
}

TEST(LanguageProbability, LongBracketStringsOfManyTypes) {
  const auto dyck = Make("dyck", 200, 500);
  EXPECT_NEAR(dyck->LogWeightOfLength(500), LogDyckWeightOfLength(250, 0.5, 39.0 / 40), 1e-9);
  Random random(2);
  for (int n = 0; n < 5; ++n) {
    const String string = dyck->Sample(500, random);
    int leaves = 0;
    for (std::size_t i = 0; i + 1 < string.size(); ++i) {
      const std::string& name = dyck->alphabet().name(string[i]);
      if (name[0] == '(' && dyck->alphabet().name(string[i + 1])[0] == ')') ++leaves;
    }
    EXPECT_NEAR(dyck->LogWeight(string), LogDyckWeight(250, leaves, 200, 0.5, 39.0 / 40), 1e-9);
    EXPECT_FALSE(dyck->FindObjection(string));
  }
}

TEST(LanguageProbability, SamplesOfTheHardestCflHaveTheirFrequencies) {
  const Grammar grammar = HardestCflGrammar(1.0 / 3, 1.0 / 3, 0.5, 0.25, 0.6, 0.75);
  const auto language = Make("hardest-cfl", 0, 8);
  InsideOracle oracle(grammar);
  std::map<String, double> probabilities;
  double total = 0;
  for (const std::string& member : HardestCflMembers(8)) {
    String string;
    String symbols;
    for (char c : member) {
      string.push_back(grammar.terminals.Find(std::string(1, c)).value());
      symbols.push_back(language->alphabet().Find(std::string(1, c)).value());
    }
    probabilities[symbols] = oracle(string);
    total += oracle(string);
  }
  for (auto& [string, probability] : probabilities) probability /= total;
  Random random(5);
  std::vector<String> samples;
  for (int n = 0; n < 10000; ++n) samples.push_back(language->Sample(8, random));
  EXPECT_TRUE(HasProbabilities(samples, probabilities));
}

// The published grammar of a context-free language, with its default parameters.
Grammar WrittenGrammar(const LanguageCase& language) {
  const int k = language.symbols;
  if (language.name == "marked-reversal") return ReversalGrammar(k, 60.0 / 61, "#");
  if (language.name == "unmarked-reversal") return ReversalGrammar(k, 60.0 / 61, "");
  if (language.name == "padded-reversal") return PaddedReversalGrammar(k, 60.0 / 61, 30.0 / 31);
  if (language.name == "dyck") return DyckGrammar(k, 0.5, 39.0 / 40);
  return HardestCflGrammar(1.0 / 3, 1.0 / 3, 0.5, 0.25, 0.6, 0.75);
}

// p(w | length) of all members by definition: uniform, or as the written grammar has it.
std::map<String, double> ProbabilitiesOfLength(const LanguageCase& expected,
                                               const SymbolTable& alphabet, int length) {
  const bool uniform = !FindLanguage(expected.name).context_free;
  const Grammar grammar = uniform ? Grammar() : WrittenGrammar(expected);
  std::optional<InsideOracle> oracle;
  if (!uniform) oracle.emplace(grammar);
  const std::string characters = CharactersBySymbol(expected, alphabet);
  std::map<String, double> probabilities;
  double total = 0;
  ForEachString(alphabet.size(), length, [&](const String& string) {
    std::string text;
    String written;
    for (int symbol : string) {
      text.push_back(characters[symbol]);
      if (!uniform) written.push_back(grammar.terminals.Find(alphabet.name(symbol)).value());
    }
    if (!expected.is_member(text)) return;
    total += probabilities[string] = uniform ? 1.0 : (*oracle)(written);
  });
  for (auto& [string, probability] : probabilities) probability /= total;
  return probabilities;
}

TEST(LanguageProbability, SamplesHaveTheirFrequencies) {
  for (const LanguageCase& expected : LanguageCases()) {
    const auto language = Make(expected, expected.max_length);
    // The longest length with a hundred strings or so.
    int length = expected.max_length;
    std::map<String, double> probabilities;
    for (; length >= 0; --length) {
      probabilities = ProbabilitiesOfLength(expected, language->alphabet(), length);
      if (probabilities.size() > 1 && probabilities.size() < 200) break;
    }
    if (length < 0) continue;  // one string of each length
    Random random(3);
    std::vector<String> samples;
    for (int n = 0; n < 5000; ++n) samples.push_back(language->Sample(length, random));
    EXPECT_TRUE(HasProbabilities(samples, probabilities)) << expected << " length " << length;
  }
}

TEST(LanguageProbability, LengthsOutOfRangeAreRefused) {
  for (const char* name : {"marked-reversal", "marked-copy"}) {
    const auto language = Make(name, 2, 5);
    Random random(4);
    EXPECT_THROW(language->Sample(4, random), Error) << "an even length";
    EXPECT_THROW(language->Sample(7, random), Error) << "more than max_length";
    EXPECT_THROW(
        language->LogProbabilityGivenLength(Terminals(language->alphabet(), "0 1 0 # 0 1 0")),
        Error);
    // Of membership there is no limit.
    EXPECT_TRUE(language->FindObjection(Terminals(language->alphabet(), "0 1 1 # 0 1 0")));
    EXPECT_FALSE(language->FindObjection(Terminals(language->alphabet(), "0 0 0 # 0 0 0")));
  }
}

TEST(LanguageProbability, ALengthBeyondTheLongestIsNotThere) {
  const auto language = Make("marked-copy", 2, 5);
  EXPECT_TRUE(language->HasLength(5));
  EXPECT_FALSE(language->HasLength(7));
  EXPECT_FALSE(language->HasLength(-1));
}

}  // namespace
}  // namespace pushdown
