#include "pushdown/interruption.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "pushdown/formal/automaton_format.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/grammar_language.h"
#include "pushdown/recognizer/compile.h"

namespace pushdown {
namespace {

struct Stopped {};

int Checks(const std::function<void()>& work) {
  int checks = 0;
  const InterruptionScope scope([&] { ++checks; });
  work();
  return checks;
}

// Work that is asked at least so many times whether it is to end. It ends when the answer is yes,
// the first time and the last time.
void ExpectInterruptible(const std::function<void()>& work, int at_least) {
  const int most = Checks(work);
  EXPECT_GE(most, at_least);
  for (const int last : {1, most}) {
    int checks = 0;
    const InterruptionScope scope([&] {
      if (++checks == last) throw Stopped();
    });
    EXPECT_THROW(work(), Stopped);
    EXPECT_EQ(checks, last);
  }
}

TEST(Interruption, NothingIsCalledWithoutAScope) {
  int checks = 0;
  {
    const InterruptionScope scope([&] { ++checks; });
  }
  CheckInterruption();
  EXPECT_EQ(checks, 0);
}

TEST(Interruption, TheInnermostScopeCounts) {
  int outer = 0;
  int inner = 0;
  const InterruptionScope outer_scope([&] { ++outer; });
  {
    const InterruptionScope inner_scope([&] { ++inner; });
    CheckInterruption();
  }
  CheckInterruption();
  CheckInterruption();
  EXPECT_EQ(outer, 2);
  EXPECT_EQ(inner, 1);
}

TEST(Interruption, AScopeEndsWithTheWorkThatItEnds) {
  try {
    const InterruptionScope scope([] { throw Stopped(); });
    CheckInterruption();
    FAIL();
  } catch (const Stopped&) {
  }
  EXPECT_NO_THROW(CheckInterruption());
}

TEST(Interruption, AScopeWithoutACheckProtects) {
  EXPECT_EQ(Checks([] {
              const InterruptionScope protection(std::function<void()>{});
              CheckInterruption();
            }),
            0);
}

TEST(Interruption, OtherThreadsAreNotInterrupted) {
  EXPECT_EQ(Checks([] { std::thread(CheckInterruption).join(); }), 0);
}

TEST(Interruption, PreparingALanguage) {
  const Grammar grammar = ParseGrammar("S -> S S [0.1] | a [0.4] | T [0.5]\nT -> S").grammar;
  ExpectInterruptible([&] { GrammarLanguage(grammar, /*max_length=*/100); }, 100);
}

TEST(Interruption, WorkWithAString) {
  const GrammarLanguage language(ParseGrammar("S -> S S [0.1] | a [0.9]").grammar, 100);
  const std::vector<int> string(100, 0);
  ExpectInterruptible([&] { language.LogWeight(string); }, 100);
  ExpectInterruptible([&] { language.FindObjection(string); }, 100);
  ExpectInterruptible([&] { language.LogPrefixWeights(string, 100); }, 100);
}

TEST(Interruption, CompilingGrammarsAndAutomata) {
  const LanguageSource grammar[] = {
      {"grammar", ParseGrammar("S -> S S [0.1] | a S b [0.2] | T [0.7]\nT -> c").grammar}};
  ExpectInterruptible([&] { CompileRecognizer(grammar); }, 10);
  // Transitions that write three symbols take it through a grammar.
  const LanguageSource automaton[] = {{"automaton", ParseAutomaton("bottom: $\n"
                                                                   "accept: q\n"
                                                                   "q a $ -> q $ X X X\n"
                                                                   "q a X -> q X X X X\n"
                                                                   "q b X -> q eps\n")}};
  ExpectInterruptible([&] { CompileRecognizer(automaton); }, 10);
}

TEST(Interruption, RecognizersCanBeUsedAgain) {
  const LanguageSource sources[] = {{"grammar", ParseGrammar("S -> a S b | eps").grammar}};
  const CompiledRecognizer compiled = CompileRecognizer(sources);
  Recognizer recognizer(compiled.automaton, compiled.network, /*max_length=*/40);
  std::vector<int> string(40, 0);
  std::fill(string.begin() + 20, string.end(), 1);
  ExpectInterruptible([&] { recognizer.Recognize(string); }, 40);
  EXPECT_TRUE(recognizer.Recognize(string).accepted);
  EXPECT_FALSE(recognizer.Recognize(std::span(string).first(39)).accepted);
}

}  // namespace
}  // namespace pushdown
