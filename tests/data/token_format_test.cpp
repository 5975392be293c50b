#include "pushdown/data/token_format.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/language.h"

namespace pushdown {
namespace {

using std::literals::operator""s;
using Strings = std::vector<std::vector<int>>;

const std::string kMark = "\xEF\xBB\xBF";

SymbolTable Alphabet() {
  SymbolTable alphabet;
  for (const char* name : {"a", "b", "\u00e9"}) alphabet.Add(name);
  return alphabet;
}

Strings Parse(std::string_view text) { return ParseStrings(text, Alphabet(), "file"); }

std::string Refusal(std::string_view text) {
  try {
    Parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

std::string VocabularyRefusal(std::string_view text) {
  try {
    ParseVocabulary(text, "file");
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

TEST(ReadTokens, StopsAtTheFirstUnknownTokenButCountsAll) {
  const TokenLine line = ReadTokens(" a b\tx a y\r", Alphabet());
  EXPECT_EQ(line.length, 5u);
  EXPECT_EQ(line.string, (std::vector<int>{0, 1}));
  EXPECT_EQ(line.unknown, "x");
}

TEST(ReadTokens, TakesNoMoreThanALanguageCanHave) {
  std::string text;
  for (int n = 0; n < Language::kMaxLength + 5; ++n) text += "a ";
  const TokenLine line = ReadTokens(text + "x", Alphabet());
  EXPECT_EQ(line.length, Language::kMaxLength + 6u);
  EXPECT_EQ(line.string.size(), static_cast<std::size_t>(Language::kMaxLength));
  EXPECT_EQ(line.unknown, "");
}

TEST(ParseStrings, ReadsAStringALine) {
  EXPECT_EQ(Parse("a b\n\u00e9\n"), (Strings{{0, 1}, {2}}));
  EXPECT_EQ(Parse("a b\n\u00e9"), (Strings{{0, 1}, {2}})) << "no end of the last line";
  EXPECT_EQ(Parse("a b\r\n\u00e9\r\n"), (Strings{{0, 1}, {2}}));
  EXPECT_EQ(Parse(kMark + "a\n"), (Strings{{0}}));
  EXPECT_EQ(Parse("\ta  b \t a \n"), (Strings{{0, 1, 0}}));
}

TEST(ParseStrings, AnEmptyLineIsTheEmptyString) {
  EXPECT_EQ(Parse("\n"), (Strings{{}}));
  EXPECT_EQ(Parse("a\n\nb\n"), (Strings{{0}, {}, {1}}));
  EXPECT_EQ(Parse("\r\n\n \n\t"), (Strings{{}, {}, {}, {}}));
}

TEST(ParseStrings, NamesThePlaceOfAnUnknownToken) {
  EXPECT_EQ(Refusal("a b\na b c\n"),
            "[pushdown::ParseStrings] file: line 2, position 3: \"c\" is not in the vocabulary");
  EXPECT_EQ(Refusal("\n\n\nab"),
            "[pushdown::ParseStrings] file: line 4, position 1: \"ab\" is not in the vocabulary");
  EXPECT_EQ(Refusal("a \xff\n"),
            "[pushdown::ParseStrings] file: line 1, position 2: \"?\" is not in the vocabulary");
  EXPECT_EQ(Refusal("a \0\n"s),
            "[pushdown::ParseStrings] file: line 1, position 2: \"?\" is not in the vocabulary");
  EXPECT_NE(Refusal("a\n" + kMark + "a\n"), "read") << "a byte order mark is at the start only";
}

TEST(ParseStrings, RefusesTooLongStrings) {
  std::string longest;
  for (int n = 0; n < Language::kMaxLength; ++n) longest += "b ";
  EXPECT_EQ(Parse("a\n" + longest).at(1).size(), 10000u);
  EXPECT_EQ(Refusal("a\n" + longest + "b\n"),
            "[pushdown::ParseStrings] file: line 2: has 10001 tokens, and no string may have more "
            "than 10000");
}

TEST(ParseStrings, RefusesTextsWithoutALine) {
  EXPECT_EQ(Refusal(""), "[pushdown::ParseStrings] file: is empty");
  EXPECT_EQ(Refusal(kMark), "[pushdown::ParseStrings] file: is empty");
}

TEST(ParseVocabulary, NumbersTokensByTheirLines) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(ParseVocabulary("b\na\n\u00e9\n", "").names(), (Names{"b", "a", "\u00e9"}));
  EXPECT_EQ(ParseVocabulary("b\na", "").names(), (Names{"b", "a"}));
  EXPECT_EQ(ParseVocabulary(kMark + "b\r\na\r\n", "").names(), (Names{"b", "a"}));
}

TEST(ParseVocabulary, NamesTheLineThatIsWrong) {
  EXPECT_EQ(VocabularyRefusal(""), "[pushdown::ParseVocabulary] file: is empty");
  EXPECT_EQ(VocabularyRefusal("a\n\nb\n"),
            "[pushdown::ParseVocabulary] file: line 2: is empty, and each line must have a token");
  EXPECT_EQ(VocabularyRefusal("a\n\r\n"),
            "[pushdown::ParseVocabulary] file: line 2: is empty, and each line must have a token");
  EXPECT_EQ(
      VocabularyRefusal("a\nb c\n"),
      "[pushdown::ParseVocabulary] file: line 2: \"b c\" has a space, and each line must have "
      "one token");
  EXPECT_NE(VocabularyRefusal(" a"), "read");
  EXPECT_NE(VocabularyRefusal("a\t"), "read");
  EXPECT_NE(VocabularyRefusal("a\rb"), "read");
  EXPECT_EQ(VocabularyRefusal("a\nb\na\n"),
            "[pushdown::ParseVocabulary] file: line 3: \"a\" is on line 1 already");
  EXPECT_EQ(VocabularyRefusal("a\n\xff\n"),
            "[pushdown::ParseVocabulary] file: line 2: \"?\" is not UTF-8");
}

TEST(ParseVocabulary, RefusesTooManyTokens) {
  std::string text;
  for (int n = 0; n < kMaxVocabulary; ++n) text += std::to_string(n) + '\n';
  EXPECT_EQ(ParseVocabulary(text, "").size(), 1'000'000);
  EXPECT_EQ(VocabularyRefusal(text + "a"),
            "[pushdown::ParseVocabulary] file: line 1000001: there may be no more than 1000000 "
            "tokens");
}

// A token may begin with a byte order mark, which readers skip at the beginning of a file.
TEST(SerializeTokens, AMarkOfTheFirstTokenIsKept) {
  SymbolTable alphabet;
  alphabet.Add("\ufeffa");
  alphabet.Add("b");
  const std::string vocabulary = SerializeVocabulary(alphabet);
  EXPECT_EQ(vocabulary, "\ufeff\ufeffa\nb\n");
  EXPECT_EQ(ParseVocabulary(vocabulary, "vocabulary").names(), alphabet.names());
  const std::vector<std::vector<int>> strings = {{0, 1}, {1}};
  const std::string text = SerializeStrings(alphabet, strings);
  EXPECT_EQ(text, "\ufeff\ufeffa b\nb\n");
  EXPECT_EQ(ParseStrings(text, alphabet, "strings"), strings);
}

}  // namespace
}  // namespace pushdown
