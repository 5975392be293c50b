// Patterns that none of the paper's languages has; those are in language_membership_test.

#include "pushdown/formal/pattern_language.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/formal/chi_squared.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::ForEachString;
using testing_oracle::HasProbabilities;

using Piece = PatternLanguage::Piece;
using String = std::vector<int>;

SymbolTable Alphabet(const std::string& characters) {
  SymbolTable alphabet;
  for (char c : characters) alphabet.Add(std::string(1, c));
  return alphabet;
}

// w x^n w^R y phi(w), where phi adds 2 to each symbol; of 4 n + 1 symbols.
PatternLanguage AllKinds() {
  return {Alphabet("abABxy"),
          2,
          {{Piece::Kind::kWord, 0},
           {Piece::Kind::kRepeated, 4},
           {Piece::Kind::kReversed, 0},
           {Piece::Kind::kMarker, 5},
           {Piece::Kind::kWord, 2}},
          21};
}

std::set<String> MembersOfAllKinds(int n) {
  std::set<String> members;
  ForEachString(2, n, [&](const String& word) {
    String member = word;
    member.insert(member.end(), word.size(), 4);
    member.insert(member.end(), word.rbegin(), word.rend());
    member.push_back(5);
    for (int symbol : word) member.push_back(symbol + 2);
    members.insert(member);
  });
  return members;
}

TEST(PatternLanguage, MembersAreMadeOfWords) {
  const PatternLanguage language = AllKinds();
  for (int length = 0; length <= 6; ++length) {
    const std::set<String> members =
        length % 4 == 1 ? MembersOfAllKinds(length / 4) : std::set<String>();
    EXPECT_EQ(language.HasLength(length), !members.empty()) << length;
    ForEachString(6, length, [&](const String& string) {
      EXPECT_EQ(!language.FindObjection(string), members.contains(string));
      EXPECT_EQ(language.LogWeight(string) > -INFINITY, members.contains(string));
    });
  }
}

TEST(PatternLanguage, LongerMembersAreUniform) {
  const PatternLanguage language = AllKinds();
  for (int n : {2, 3, 5}) {
    for (const String& member : MembersOfAllKinds(n)) {
      EXPECT_FALSE(language.FindObjection(member));
      EXPECT_NEAR(language.LogProbabilityGivenLength(member), -n * std::log(2.0), 1e-13);
    }
  }
}

TEST(PatternLanguage, EveryOtherSymbolOfAMemberIsAnObjection) {
  const PatternLanguage language = AllKinds();
  for (const String& member : MembersOfAllKinds(3)) {
    for (std::size_t position = 3; position < member.size(); ++position) {
      String other = member;
      other[position] = (other[position] + 1) % 6;
      const auto objection = language.FindObjection(other);
      ASSERT_TRUE(objection);
      // w is as it was, so what follows it is at fault.
      EXPECT_EQ(objection->position, static_cast<int>(position) + 1);
    }
  }
}

TEST(PatternLanguage, SamplesAreUniform) {
  const PatternLanguage language = AllKinds();
  std::map<String, double> probabilities;
  for (const String& member : MembersOfAllKinds(3)) probabilities[member] = 1.0 / 8;
  Random random(1);
  std::vector<String> samples;
  for (int n = 0; n < 4000; ++n) samples.push_back(language.Sample(13, random));
  EXPECT_TRUE(HasProbabilities(samples, probabilities));
}

TEST(PatternLanguage, WithoutWordsThereIsOneStringOfALength) {
  // x^n y x^n
  const PatternLanguage language(
      Alphabet("xy"), 0,
      {{Piece::Kind::kRepeated, 0}, {Piece::Kind::kMarker, 1}, {Piece::Kind::kRepeated, 0}}, 9);
  Random random(1);
  EXPECT_EQ(language.Sample(5, random), (String{0, 0, 1, 0, 0}));
  EXPECT_EQ(language.LogProbabilityGivenLength(String{0, 0, 1, 0, 0}), 0.0);
  EXPECT_FALSE(language.HasLength(4));
  EXPECT_TRUE(language.FindObjection(String{0, 0, 1, 0}));
}

}  // namespace
}  // namespace pushdown
