// From the definitions of languages to a network in one call. What each language is, is a predicate
// on strings that is written by hand.

#include "pushdown/recognizer/compile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/data/token_format.h"
#include "pushdown/error.h"
#include "pushdown/formal/automaton_format.h"
#include "pushdown/formal/grammar_format.h"
#include "tests/formal/automaton_runs.h"
#include "tests/formal/earley.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::AutomatonRuns;
using testing_oracle::Earley;
using testing_oracle::ForEachString;

// All that a program needs to ask whether strings are in a language.
TEST(CompileRecognizer, TenLinesFromAGrammarToAnswers) {
  const LanguageSource sources[] = {{"n a's and n b's", ParseGrammar("S -> a S b | eps").grammar}};
  const CompiledRecognizer compiled = CompileRecognizer(sources);
  Recognizer recognizer(compiled.automaton, compiled.network, /*max_length=*/10);
  std::vector<bool> accepted;
  for (const std::vector<int>& string :
       ParseStrings("a a b b\na b a b\n\na a b\na b\n", compiled.automaton.inputs, "strings")) {
    accepted.push_back(recognizer.Recognize(string).accepted);
  }
  EXPECT_EQ(accepted, (std::vector<bool>{true, false, true, false, true}));
}

LanguageSource GrammarSource(const std::string& text) {
  return {text, ParseGrammar(text, "grammar", GrammarUse::kLanguage).grammar};
}

LanguageSource AutomatonSource(const std::string& text) { return {text, ParseAutomaton(text)}; }

// The network accepts a string over these symbols, each of one character, if and only if the
// predicate is true.
void ExpectLanguage(const CompiledRecognizer& compiled, std::string_view symbols, int max_length,
                    const std::function<bool(const std::string&)>& is_in) {
  ASSERT_EQ(compiled.automaton.inputs.names().size(), symbols.size());
  Recognizer recognizer(compiled.automaton, compiled.network, max_length);
  int in = 0;
  for (int length = 0; length <= max_length; ++length) {
    ForEachString(static_cast<int>(symbols.size()), length, [&](const std::vector<int>& string) {
      std::string text;
      std::vector<int> numbers;
      for (int symbol : string) {
        text += symbols[static_cast<std::size_t>(symbol)];
        numbers.push_back(compiled.automaton.inputs.Find(text.substr(text.size() - 1)).value());
      }
      EXPECT_EQ(recognizer.Recognize(numbers).accepted, is_in(text)) << text;
      in += is_in(text);
    });
  }
  EXPECT_GT(in, 0);
}

// a opens, b closes.
bool IsBalanced(const std::string& string) {
  int depth = 0;
  for (char c : string) {
    depth += c == 'a' ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth == 0;
}

bool HasEvenlyMany(char symbol, const std::string& string) {
  return std::count(string.begin(), string.end(), symbol) % 2 == 0;
}

TEST(CompileRecognizer, OneGrammar) {
  const LanguageSource sources[] = {GrammarSource("S -> a S b S | eps")};
  ExpectLanguage(CompileRecognizer(sources), "ab", 9, IsBalanced);
}

TEST(CompileRecognizer, TheStringsThatAreInAllLanguages) {
  const LanguageSource sources[] = {GrammarSource("S -> S c | T \n T -> a T b | eps"),
                                    GrammarSource("S -> a S | T \n T -> b T c | eps")};
  ExpectLanguage(CompileRecognizer(sources), "abc", 7, [](const std::string& string) {
    const std::size_t n = string.size() / 3;
    return string == std::string(n, 'a') + std::string(n, 'b') + std::string(n, 'c');
  });
}

TEST(CompileRecognizer, AnAutomatonAndAGrammar) {
  const LanguageSource sources[] = {
      AutomatonSource("bottom: $\naccept: q\n"
                      "q a $ -> q $ A\nq a A -> q A A\nq b A -> q eps\n"),
      GrammarSource("Even -> a Odd | b Even | eps \n Odd -> a Even | b Odd")};
  ExpectLanguage(CompileRecognizer(sources), "ab", 9, [](const std::string& string) {
    return IsBalanced(string) && HasEvenlyMany('a', string);
  });
}

// It has to go through a grammar for each of its two languages.
TEST(CompileRecognizer, AnAutomatonOfTwoLanguagesThatReadsNothing) {
  const LanguageSource sources[] = {
      AutomatonSource("start: i\nbottom: $\naccept: q\naccept: even\n"
                      "i eps $ -> q $ | even $\n"
                      "q a $ -> q $ A\nq a A -> q A A\nq b A -> q eps\n"
                      "even a $ -> odd $\nodd a $ -> even $\n"
                      "even b $ -> even $\nodd b $ -> odd $\n")};
  ExpectLanguage(CompileRecognizer(sources), "ab", 9, [](const std::string& string) {
    return IsBalanced(string) && HasEvenlyMany('a', string);
  });
  const RecognizerStages stages = CompileStages(sources);
  ASSERT_EQ(stages.sources.size(), 2U);
  for (int language : {0, 1}) {
    const SourceStages& source = stages.sources[static_cast<std::size_t>(language)];
    EXPECT_EQ(source.source, 0U);
    EXPECT_EQ(source.language, language);
    EXPECT_TRUE(source.grammar && source.greibach && source.two_greibach);
  }
}

TEST(CompileRecognizer, SymbolsThatALanguageDoesNotUse) {
  const LanguageSource sources[] = {GrammarSource("S -> a"), GrammarSource("S -> S b | a")};
  ExpectLanguage(CompileRecognizer(sources, {.alphabet = {"b", "c"}}), "abc", 4,
                 [](const std::string& string) { return string == "a"; });
}

TEST(CompileRecognizer, KeepsTheNamesOfItsSources) {
  const Grammar grammar = ParseGrammar("S -> a").grammar;
  const LanguageSource sources[] = {{"one", grammar}, {"another", grammar}};
  EXPECT_EQ(CompileRecognizer(sources).sources, (std::vector<std::string>{"one", "another"}));
}

TEST(CompileStages, EveryStageHasTheLanguage) {
  const LanguageSource sources[] = {GrammarSource("S -> a S b S | eps")};
  const RecognizerStages all = CompileStages(sources);
  ASSERT_EQ(all.sources.size(), 1U);
  const SourceStages& stages = all.sources[0];
  std::vector<Earley> grammars;
  for (const auto* grammar : {&stages.grammar, &stages.greibach, &stages.two_greibach}) {
    grammars.emplace_back(grammar->value());
  }
  std::vector<AutomatonRuns> automata;
  for (const auto* automaton : {&stages.automaton, &stages.restricted, &all.recognizer}) {
    automata.emplace_back(*automaton);
  }
  for (int length = 0; length <= 8; ++length) {
    ForEachString(2, length, [&](const std::vector<int>& string) {
      std::string text;
      for (int symbol : string) text += stages.grammar->terminals.name(symbol);
      for (Earley& grammar : grammars) EXPECT_EQ(grammar.Accepts(string), IsBalanced(text)) << text;
      for (const AutomatonRuns& automaton : automata) {
        EXPECT_EQ(automaton.Accepts(automaton.After(string)), IsBalanced(text)) << text;
      }
    });
  }
}

// That the construction throws an error of this kind, with these words.
void ExpectRefused(const std::vector<LanguageSource>& sources, const CompileOptions& options,
                   ErrorKind kind, const std::string& message) {
  try {
    CompileRecognizer(sources, options);
    ADD_FAILURE() << "no error; expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
  }
}

TEST(CompileRecognizer, Refuses) {
  const Grammar brackets = ParseGrammar("S -> a S b S | eps").grammar;
  const LanguageSource source = {"my brackets", brackets};
  ExpectRefused({}, {}, ErrorKind::kInput, "there is no language");
  ExpectRefused({source, {"one a", ParseGrammar("S -> a").grammar}}, {}, ErrorKind::kInput,
                "one a has no symbol \"b\", which my brackets has");
  ExpectRefused({{"one a", ParseGrammar("S -> a").grammar}, source}, {}, ErrorKind::kInput,
                "one a has no symbol \"b\", which my brackets has");
  ExpectRefused({source}, {.max_size = 3}, ErrorKind::kLimit, "my brackets: ");
  ExpectRefused({source}, {.max_parameters = 3}, ErrorKind::kLimit, "my brackets: ");
  ExpectRefused({source}, {.max_parameters = 300}, ErrorKind::kLimit,
                "parameters, more than 300, which is the limit");
  PushdownAutomaton invalid = ParseAutomaton("bottom: $\naccept: q\nq a $ -> q $\n");
  invalid.transitions[0].to = 7;
  ExpectRefused({{"mine", invalid}}, {}, ErrorKind::kInput, "mine: ");
}

}  // namespace
}  // namespace pushdown
