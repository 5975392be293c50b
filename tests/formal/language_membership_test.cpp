// Membership in the languages, against their definitions, for all strings up to some length.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/formal/languages.h"
#include "tests/formal/language_cases.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::CharactersBySymbol;
using testing_oracle::ForEachString;
using testing_oracle::HardestCflMembers;
using testing_oracle::LanguageCase;
using testing_oracle::LanguageCases;
using testing_oracle::Make;
using testing_oracle::Terminals;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

std::string Text(const std::vector<int>& string, const std::string& characters) {
  std::string text;
  for (int symbol : string) text.push_back(characters[symbol]);
  return text;
}

class EveryLanguage : public testing::TestWithParam<LanguageCase> {};
INSTANTIATE_TEST_SUITE_P(Languages, EveryLanguage, testing::ValuesIn(LanguageCases()),
                         [](const auto& test) {
                           std::string name = test.param.name + "_k";
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + std::to_string(test.param.symbols);
                         });

TEST_P(EveryLanguage, HasTheSymbolsOfItsDefinition) {
  const auto language = Make(GetParam(), 10);
  std::set<std::string> names(language->alphabet().names().begin(),
                              language->alphabet().names().end());
  EXPECT_EQ(names, std::set<std::string>(GetParam().alphabet.begin(), GetParam().alphabet.end()));
}

TEST_P(EveryLanguage, MembersAreThoseOfTheDefinition) {
  const auto language = Make(GetParam(), GetParam().max_length);
  const std::string characters = CharactersBySymbol(GetParam(), language->alphabet());
  for (int length = 0; length <= GetParam().max_length; ++length) {
    double total = 0;
    int members = 0;
    ForEachString(language->alphabet().size(), length, [&](const std::vector<int>& string) {
      const std::string text = Text(string, characters);
      const bool is_member = GetParam().is_member(text);
      const std::optional<Objection> objection = language->FindObjection(string);
      const double log_probability = language->LogProbabilityGivenLength(string);
      ASSERT_EQ(!objection, is_member) << text;
      ASSERT_EQ(log_probability != kMinusInfinity, is_member) << text;
      total += std::exp(log_probability);
      members += is_member ? 1 : 0;
      if (!objection) return;
      ASSERT_GE(objection->position, 1) << text;
      ASSERT_LE(objection->position, length + 1) << text;
      ASSERT_FALSE(objection->reason.empty()) << text;
    });
    if (HasFatalFailure()) return;
    EXPECT_EQ(language->HasLength(length), members > 0) << length;
    EXPECT_EQ(GetParam().has_length(length), members > 0) << length;
    EXPECT_NEAR(total, members > 0 ? 1.0 : 0.0, 1e-12) << "of length " << length;
  }
}

TEST_P(EveryLanguage, HasTheLengthsOfItsDefinition) {
  const auto language = Make(GetParam(), 100);
  for (int length = 0; length <= 100; ++length) {
    EXPECT_EQ(language->HasLength(length), GetParam().has_length(length)) << length;
  }
}

TEST_P(EveryLanguage, SamplesAreMembersOfTheirLength) {
  const auto language = Make(GetParam(), 100);
  const std::string characters = CharactersBySymbol(GetParam(), language->alphabet());
  Random random(1);
  for (int length : {0, 2, 3, 5, 6, 7, 8, 9, 20, 50, 99, 100}) {
    if (!GetParam().has_length(length)) continue;
    for (int n = 0; n < 5; ++n) {
      const std::string text = Text(language->Sample(length, random), characters);
      EXPECT_EQ(static_cast<int>(text.size()), length);
      EXPECT_TRUE(GetParam().is_member(text)) << text;
    }
  }
}

// There are no shorter ones. All strings are compared by weight; looking for objections takes
// longer, so that it is done for some of them.
TEST(HardestCfl, MembersOfLengths6And7AreThoseOfTheDefinition) {
  const LanguageCase expected = LanguageCases().back();
  ASSERT_EQ(expected.name, "hardest-cfl");
  const auto language = Make(expected, 7);
  const std::string characters = CharactersBySymbol(expected, language->alphabet());
  for (int length : {6, 7}) {
    int strings = 0;
    int members = 0;
    ForEachString(7, length, [&](const std::vector<int>& string) {
      const std::string text = Text(string, characters);
      const bool is_member = expected.is_member(text);
      ASSERT_EQ(language->LogWeight(string) != kMinusInfinity, is_member) << text;
      members += is_member ? 1 : 0;
      if (!is_member && ++strings % 50 != 0) return;
      ASSERT_EQ(!language->FindObjection(string), is_member) << text;
    });
    EXPECT_EQ(members, length == 6 ? 2 : 20);
  }
}

TEST(HardestCfl, LongerMembersAreAllThoseOfTheDefinition) {
  const LanguageCase expected = LanguageCases().back();
  const auto language = Make(expected, 10);
  for (int length = 6; length <= 10; ++length) {
    double total = 0;
    int n = 0;
    for (const std::string& member : HardestCflMembers(length)) {
      std::vector<int> string;
      for (char c : member) string.push_back(*language->alphabet().Find(std::string(1, c)));
      const double log_probability = language->LogProbabilityGivenLength(string);
      ASSERT_NE(log_probability, kMinusInfinity) << member;
      total += std::exp(log_probability);
      if (++n % 10 != 0) continue;  // parsing prefixes takes longer
      EXPECT_FALSE(language->FindObjection(string)) << member;
    }
    // If there were any others, these would leave them something.
    EXPECT_NEAR(total, 1.0, 1e-11) << "of length " << length;
  }
}

struct ObjectionCase {
  std::string language;
  int symbols;
  std::string string;
  int position;
  std::vector<std::string> mentions;  // each of them is in the reason
};

void PrintTo(const ObjectionCase& test, std::ostream* stream) {
  *stream << test.language << " \"" << test.string << "\"";
}

class FirstObjection : public testing::TestWithParam<ObjectionCase> {};
INSTANTIATE_TEST_SUITE_P(
    Strings, FirstObjection,
    testing::Values(
        // A wrong symbol: what is there, and what should be.
        ObjectionCase{"marked-reversal", 2, "0 1 # 0", 4, {"0", "1"}},
        ObjectionCase{"marked-reversal", 2, "0 # 0 0", 4, {"0", "end"}},
        ObjectionCase{"marked-reversal", 2, "0 # # 0", 3, {"#", "0"}},
        ObjectionCase{"marked-reversal", 2, "", 1, {"end", "#"}},
        ObjectionCase{"marked-reversal", 2, "0 1 #", 4, {"end", "1"}},
        ObjectionCase{"unmarked-reversal", 2, "0 1", 3, {"end"}},
        ObjectionCase{"dyck", 2, "", 1, {"end", "(1", "(2"}},
        ObjectionCase{"dyck", 2, "(1 )2", 2, {")2", ")1"}},
        ObjectionCase{"dyck", 2, "(1 (2 )1 )2", 3, {")1", ")2"}},
        ObjectionCase{"dyck", 2, ")1", 1, {")1", "(1"}},
        ObjectionCase{"dyck", 2, "(1 )1 )1", 3, {")1", "(1", "(2"}},
        ObjectionCase{"dyck", 2, "(1 (2 )2", 4, {"end", ")1"}},
        ObjectionCase{"dyck", 200, "(1 )200", 2, {")200", ")1"}},
        ObjectionCase{"hardest-cfl", 0, "; $", 1, {";", ","}},
        // $ ( ] may be a piece that is not chosen; then there must be another.
        ObjectionCase{"hardest-cfl", 0, ", $ ( ] , ;", 6, {";", "$"}},
        ObjectionCase{"hardest-cfl", 0, ", $ ( ) , ; ,", 8, {"end"}},
        ObjectionCase{"hardest-cfl", 0, ", , $ ( ) , ;", 2, {","}},
        // Where the length decides what is asked for, the position is right with it and without.
        ObjectionCase{"count-3", 0, "a c b", 2, {"c", "b"}},
        ObjectionCase{"count-3", 0, "b", 1, {"b", "a"}},
        ObjectionCase{"count-3", 0, "a b c c c c", 4, {"c", "end"}},
        ObjectionCase{"marked-copy", 2, "0 # 0 0 0", 4, {"0", "end"}},
        ObjectionCase{"marked-copy", 2, "0 1 # 1 0", 4, {"1", "0"}},
        ObjectionCase{"marked-copy", 2, "0 1 # 0 0", 5, {"0", "1"}},
        ObjectionCase{"marked-copy", 2, "0 # #", 3, {"#", "0"}},
        ObjectionCase{"marked-reverse-and-copy", 2, "0 1 # 1 0 # 1 1", 7, {"1", "0"}},
        ObjectionCase{"marked-reverse-and-copy", 2, "0 1 # 0 1 # 0 1", 4, {"0", "1"}},
        ObjectionCase{"count-and-copy", 2, "0 1 # # 1 1", 5, {"1", "0"}},
        ObjectionCase{"unmarked-copy-different-alphabets", 2, "0 1 2 2", 4, {"2", "3"}},
        ObjectionCase{"unmarked-copy-different-alphabets", 2, "2 0", 1, {"2"}},
        ObjectionCase{"unmarked-reverse-and-copy", 2, "0 1 1 0 0 0", 6, {"0", "1"}},
        ObjectionCase{"unmarked-copy", 2, "0 1 1 1", 3, {"1", "0"}}));

TEST_P(FirstObjection, HasItsPositionAndReason) {
  const ObjectionCase& test = GetParam();
  const auto language =
      MakeLanguage(FindLanguage(test.language), {.symbols = test.symbols, .parameters = {}}, 20);
  const auto objection = language->FindObjection(Terminals(language->alphabet(), test.string));
  ASSERT_TRUE(objection);
  EXPECT_EQ(objection->position, test.position) << objection->reason;
  for (const std::string& mention : test.mentions) {
    EXPECT_NE(objection->reason.find(mention), std::string::npos)
        << objection->reason << " should mention " << mention;
  }
}

TEST(Objections, ToBeginningsOfMembersAreAtTheirEnd) {
  for (const auto& [name, string] :
       std::vector<std::pair<std::string, std::string>>{{"unmarked-copy", "0 1 0"},
                                                        {"count-3", "a a b b c"},
                                                        {"marked-copy", "0 1 # 0"},
                                                        {"unmarked-reverse-and-copy", "0 0"}}) {
    const auto language = MakeLanguage(FindLanguage(name), {}, 20);
    const auto symbols = Terminals(language->alphabet(), string);
    const auto objection = language->FindObjection(symbols);
    ASSERT_TRUE(objection) << name;
    // Each begins a member, so that nothing is wrong before the end.
    EXPECT_EQ(objection->position, static_cast<int>(symbols.size()) + 1) << objection->reason;
  }
}

// Objections are to the first symbol with which no member begins like that. If there is none, the
// string is too short for a grammar; the others may see from its length what should be there.
TEST(Objections, AreToTheFirstSymbolThatIsWrong) {
  for (const LanguageCase& expected : LanguageCases()) {
    if (expected.name == "hardest-cfl") continue;  // too many strings
    const bool is_grammar = FindLanguage(expected.name).context_free;
    // In none of these languages does a beginning of n symbols need more than 3 n + 2.
    const int longest = 3;
    const auto language = Make(expected, 11);
    const std::string characters = CharactersBySymbol(expected, language->alphabet());
    std::set<std::string> beginnings;
    std::vector<std::string> wrong;
    for (int length = 0; length <= 3 * longest + 2; ++length) {
      if (std::pow(characters.size(), length) > 3e5) break;  // these need 2 n + 1
      ForEachString(language->alphabet().size(), length, [&](const std::vector<int>& string) {
        const std::string text = Text(string, characters);
        if (!expected.is_member(text)) return;
        for (int n = 0; n <= length; ++n) beginnings.insert(text.substr(0, n));
      });
    }
    for (int length = 0; length <= longest; ++length) {
      ForEachString(language->alphabet().size(), length, [&](const std::vector<int>& string) {
        const std::string text = Text(string, characters);
        if (expected.is_member(text)) return;
        int position = 1;
        while (position <= length && beginnings.contains(text.substr(0, position))) ++position;
        const auto objection = language->FindObjection(string);
        ASSERT_TRUE(objection) << text;
        const bool right = is_grammar || position <= length ? objection->position == position
                                                            : objection->position <= position;
        if (!right) wrong.push_back(text);
      });
    }
    EXPECT_EQ(wrong, std::vector<std::string>()) << expected;
  }
}

}  // namespace
}  // namespace pushdown
