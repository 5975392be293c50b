// Grammars that ParseGrammar refuses: where it says the mistake is, and what it says about it.

#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/grammar_format.h"
#include "tests/formal/mistake.h"

namespace pushdown {
namespace {

using testing_oracle::ExpectReported;
using testing_oracle::Mistake;

std::string ErrorOf(const std::string& text) {
  try {
    ParseGrammar(text, "dir/my.cfg");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class GrammarMistake : public testing::TestWithParam<Mistake> {};
TEST_P(GrammarMistake, IsReportedWhereItIs) {
  ExpectReported(GetParam(), "[pushdown::ParseGrammar] dir/my.cfg:", ErrorOf(GetParam().text));
}

// What was expected and what is there instead.
INSTANTIATE_TEST_SUITE_P(
    Syntax, GrammarMistake,
    testing::Values(Mistake{"", "1:1", {"empty", "expected"}},
                    Mistake{"# nothing\n\n", "3:1", {"empty"}},
                    Mistake{"S a b", "1:3", {"expected ->", "found a"}},
                    Mistake{"S = a", "1:3", {"expected ->", "found ="}},
                    Mistake{"S -> a\nT", "2:2", {"expected ->", "T"}},
                    Mistake{"S\n-> a", "1:2", {"expected ->", "end of the line"}},
                    Mistake{"-> a", "1:1", {"expected a nonterminal", "found ->"}},
                    Mistake{"| a", "1:1", {"expected a nonterminal", "found |"}},
                    Mistake{"\"S\" -> a", "1:1", {"expected a nonterminal", "\"S\""}},
                    Mistake{"S -> a\n  ( -> b", "2:3", {"expected a nonterminal", "("}},
                    Mistake{"eps -> a", "1:1", {"expected a nonterminal", "eps"}},
                    Mistake{"S ->", "1:5", {"expected symbols", "eps", "end"}},
                    Mistake{"S -> # none", "1:12", {"expected symbols", "end"}},
                    Mistake{"S ->\n  a", "1:5", {"expected symbols", "end of the line"}},
                    Mistake{"S -> a |", "1:9", {"expected symbols", "end"}},
                    Mistake{"S -> | a", "1:6", {"expected symbols", "found |"}},
                    Mistake{"S -> a | | b", "1:10", {"expected symbols", "found |"}},
                    Mistake{"S -> [0.4] | a", "1:6", {"expected symbols", "[0.4]"}},
                    Mistake{"S -> a -> b", "1:8", {"expected", "->"}},
                    Mistake{"S -> a | b -> c", "1:12", {"expected", "->"}},
                    Mistake{"S -> a b\n a", "2:3", {"expected ->", "after a"}}));

// What is wrong is said in a way that helps.
INSTANTIATE_TEST_SUITE_P(
    Hints, GrammarMistake,
    testing::Values(
        Mistake{"S -> 0 S 0 [0.5] | # [0.5]", "1:27", {"expected symbols", "# begins a comment"}},
        Mistake{"S -> 0 | # [0.5]\n", "2:1", {"expected symbols", "# begins a comment"}},
        Mistake{"S -> a |\nT -> b", "2:3", {"found ->", "must not end with |"}},
        Mistake{"S -> a |\n\nT -> b", "2:1", {"expected symbols", "end of the line"}},
        Mistake{"S -> T u T -> b", "1:12", {"found ->", "line of its own"}},
        Mistake{"S -> a [0.5] b", "1:14", {"found b", "last thing of its alternative"}},
        Mistake{"S -> [ S ] | a", "1:6", {"found [ S ]", "must be quoted"}},
        Mistake{"S -> \"a S | b", "1:6", {"closing \""}},
        Mistake{"S -> the dog 's tail 's end", "1:16", {"space", "column 14"}},
        Mistake{"S -> \u03bb | a S", "1:6", {"eps", "\u03bb"}},
        Mistake{"S -> \u2205", "1:6", {"eps"}},
        Mistake{"S -> \u201ea\u201c", "1:6", {"straight quote"}},
        Mistake{"S -> a \u00c4h", "1:8", {"no rules", "quoted"}},
        Mistake{"S -> \u03a3", "1:6", {"no rules"}}, Mistake{"S -> a [3]", "1:8", {"from 0 to 1"}},
        Mistake{"S -> " + std::string(600, 'n') + "\n" + std::string(600, 'n') + " -> a [0.5]",
                "2:1",
                {"nnn... sum to 0.5"}}));

INSTANTIATE_TEST_SUITE_P(
    Quotes, GrammarMistake,
    testing::Values(Mistake{"S -> a \"b", "1:8", {"closing \""}},
                    Mistake{"S -> 'b\nT -> c", "1:6", {"closing '"}},
                    Mistake{"S -> a eps b", "1:8", {"eps", "only"}},
                    Mistake{"S -> eps a", "1:10", {"eps", "only"}},
                    Mistake{"S -> a ''", "1:8", {"only"}},
                    Mistake{std::string("S -> a\0b", 8), "1:7", {"control character"}}));

INSTANTIATE_TEST_SUITE_P(
    Probabilities, GrammarMistake,
    testing::Values(Mistake{"S -> a [0.5", "1:8", {"expected ]"}},
                    Mistake{"S -> a [0.5\nT -> ]", "1:8", {"expected ]"}},
                    Mistake{"S -> a ]", "1:8", {"]", "quoted"}},
                    Mistake{"S -> a []", "1:8", {"expected a probability", "[]"}},
                    Mistake{"S -> a [b] c", "1:8", {"expected a probability", "[b]", "quoted"}},
                    Mistake{"S -> a | b [1.5]", "1:12", {"expected a probability", "[1.5]"}},
                    Mistake{"S -> a [-0.5]", "1:8", {"expected a probability", "[-0.5]"}},
                    Mistake{"S -> a [1/0]", "1:8", {"expected a probability", "[1/0]"}},
                    Mistake{"S -> a [nan]", "1:8", {"expected a probability", "[nan]"}},
                    Mistake{"S -> a [50%]", "1:8", {"expected a probability", "[50%]"}},
                    Mistake{"S -> a [0.5] b", "1:14", {"expected |", "found b"}},
                    Mistake{"S -> a [0.5] [0.5]", "1:14", {"expected |", "[0.5]"}},
                    // Of a nonterminal, where its rules begin.
                    Mistake{"S -> a T\nT -> b [0.5] | c [0.4]", "2:1", {"T", "0.9", "expected 1"}},
                    Mistake{"S -> a [0.5] | b [0.75]", "1:1", {"S", "1.25", "expected 1"}},
                    Mistake{"S -> a [0.5]\nS -> b [0.4]\n", "1:1", {"S", "0.9"}},
                    Mistake{"S -> a [0.999]", "1:1", {"S", "0.999"}},
                    Mistake{"S -> a [1] | b", "1:1", {"S", "nothing"}},
                    Mistake{"S -> a [0.7] | b [0.7] | c", "1:1", {"S", "1.4"}}));

INSTANTIATE_TEST_SUITE_P(
    Start, GrammarMistake,
    testing::Values(Mistake{"S -> a\nstart: X", "2:8", {"X", "no rules"}},
                    Mistake{"S -> a\nstart: a", "2:8", {"a", "no rules"}},
                    Mistake{"start: S\nS -> a\nstart: S", "3:1", {"twice"}},
                    Mistake{"start:\nS -> a", "1:7", {"expected a nonterminal", "end of the line"}},
                    Mistake{"start: S T\nS -> a", "1:10", {"expected the end of the line", "T"}},
                    Mistake{"start S\nS -> a", "1:7", {"expected", "S"}},
                    Mistake{"start: S", "1:9", {"empty", "expected a rule"}}));

INSTANTIATE_TEST_SUITE_P(
    Useless, GrammarMistake,
    testing::Values(Mistake{"S -> a Foo", "1:8", {"Foo", "no rules", "quoted"}},
                    Mistake{"S -> a\n | b Foo | Foo", "2:6", {"Foo", "no rules"}},
                    Mistake{"S -> ä b Foo", "1:10", {"Foo", "no rules"}},
                    Mistake{"S -> a\tFoo", "1:8", {"Foo", "no rules"}},
                    Mistake{"S -> a S", "1:1", {"S", "no string"}},
                    Mistake{"S -> a | T\n  T -> b T", "2:3", {"T", "no string"}},
                    Mistake{"S -> a | A\nA -> B\nB -> A", "2:1", {"A", "no string"}},
                    Mistake{"S -> a\nT -> T", "2:1", {"T", "no string"}},
                    Mistake{"S -> S [1] | a [0]", "1:1", {"S", "no string"}}));

TEST(GrammarErrors, NameTheFunctionAndTheDefaultName) {
  try {
    ParseGrammar("S");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("[pushdown::ParseGrammar] grammar:1:2: "), 0u)
        << error.what();
  }
}

TEST(GrammarErrors, AreTheSameIfOnlyTheLanguageMatters) {
  for (const char* text : {"S -> a T", "S -> a [0.5]", "S -> a | b [1]", "S -> a [2]", "S a", "",
                           "start: T\nS -> a", "S -> \"a"}) {
    try {
      ParseGrammar(text, "dir/my.cfg", GrammarUse::kLanguage);
      ADD_FAILURE() << "no error for " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), ErrorOf(text));
    }
  }
}

// Strings are written with spaces between their symbols, so that such a terminal could not be told
// from two.
TEST(GrammarErrors, TerminalsCannotContainSpaces) {
  const std::string message = ErrorOf("S -> a 'b c'");
  EXPECT_NE(message.find("my.cfg:1:"), std::string::npos) << message;
  EXPECT_NE(message.find("space"), std::string::npos) << message;
}

TEST(GrammarErrors, WhateverTheTextThereIsAGrammarOrAnError) {
  // Every text of a few pieces; what matters is that nothing else happens.
  const std::vector<std::string> pieces = {"S",      "->",    "|",    "a",       "eps", "[0.5]",
                                           "[",      "\"b\"", "\"",   "'",       "\n",  "#",
                                           "start:", " ",     "\xC3", "T -> c\n"};
  int grammars = 0;
  int errors = 0;
  for (std::size_t n = 0; n < 16 * 16 * 16 * 16; ++n) {
    const std::string text =
        pieces[n % 16] + pieces[n / 16 % 16] + " " + pieces[n / 256 % 16] + pieces[n / 4096];
    try {
      ParseGrammar(text);
      ++grammars;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("grammar:"), std::string::npos) << error.what();
      ++errors;
    }
  }
  EXPECT_GT(grammars, 100);
  EXPECT_GT(errors, 1000);
}

// Would take hours if every space were followed by a look at the rest of the line.
TEST(HugeGrammar, AnOpenQuoteIsFoundAtOnce) {
  const std::string message = ErrorOf("S -> \"" + std::string(3000000, ' '));
  EXPECT_NE(message.find("dir/my.cfg:1:6: expected a closing \""), std::string::npos) << message;
}

TEST(HugeGrammar, TooManySymbolsAreRefused) {
  std::string text = "S ->";
  for (int n = 0; n <= 1 << 20; ++n) text += " a";
  EXPECT_NE(ErrorOf(text).find("dir/my.cfg:1:2097158: the grammar has more than 1048576 symbols"),
            std::string::npos);
}

}  // namespace
}  // namespace pushdown
