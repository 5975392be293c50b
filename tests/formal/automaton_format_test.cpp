// What ParseAutomaton reads, what it says about mistakes, and what SerializeAutomaton writes.

#include "pushdown/formal/automaton_format.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/random.h"
#include "tests/formal/awkwardly_named_automaton.h"
#include "tests/formal/mistake.h"

namespace pushdown {
namespace {

using testing_oracle::AwkwardlyNamedAutomaton;
using testing_oracle::ExpectReported;
using testing_oracle::Mistake;

using Names = std::vector<std::string>;
using Heads = std::vector<AutomatonHead>;
using Transitions = std::vector<AutomatonTransition>;

const char* const kBrackets =
    "# Balanced brackets.\n"
    "start: even\n"
    "bottom: $\n"
    "accept: even\n"
    "even \"(\" $ -> even $ X\n"
    "even \"(\" X -> even X X\n"
    "even \")\" X -> even eps\n";

TEST(ReadAutomaton, TheExampleOfTheDocumentation) {
  const PushdownAutomaton automaton = ParseAutomaton(kBrackets);
  EXPECT_NO_THROW(Validate(automaton));
  EXPECT_EQ(automaton.inputs.names(), (Names{"(", ")"}));
  EXPECT_EQ(automaton.states, Names{"even"});
  EXPECT_EQ(automaton.stack_symbols, (Names{"$", "X"}));
  EXPECT_EQ(automaton.transitions,
            (Transitions{{{0, 0}, 0, 0, {0, 1}}, {{0, 1}, 0, 0, {1, 1}}, {{0, 1}, 1, 0, {}}}));
  EXPECT_EQ(automaton.accepting, std::vector<Heads>{(Heads{{0, 0}})});
}

TEST(ReadAutomaton, AlternativesHaveStatesOfTheirOwn) {
  const PushdownAutomaton expected = ParseAutomaton(
      "bottom: $\naccept: r\n"
      "q a $ -> q $ X\nq a $ -> r $\nq a $ -> r eps\nr a $ -> r $\n");
  for (const char* text : {
           "bottom: $\naccept: r\nq a $ -> q $ X | r $ | r eps\nr a $ -> r $",
           "bottom: $\naccept: r\nq a $ -> q $ X\n  | r $ # why\n\n | r eps\nr a $ -> r $",
           "bottom: $\naccept: r\nq a $ -> q $ X |\n r $ | # why\n r eps\nr a $ -> r $",
       }) {
    EXPECT_EQ(ParseAutomaton(text), expected) << text;
  }
}

TEST(ReadAutomaton, TransitionsMayDoAnythingToTheStack) {
  const PushdownAutomaton automaton =
      ParseAutomaton("bottom: $\naccept:\nq a X -> q Y Z\nq a $ -> q $ X Y Z | q X | q Z $");
  EXPECT_EQ(automaton.stack_symbols, (Names{"$", "X", "Y", "Z"}));
  EXPECT_EQ(automaton.transitions, (Transitions{{{0, 1}, 0, 0, {2, 3}},
                                                {{0, 0}, 0, 0, {0, 1, 2, 3}},
                                                {{0, 0}, 0, 0, {1}},
                                                {{0, 0}, 0, 0, {3, 0}}}));
}

TEST(ReadAutomaton, TransitionsNeedNotReadASymbol) {
  for (const char* eps : {"eps", "epsilon", "\"\"", "\u03b5"}) {
    const PushdownAutomaton automaton = ParseAutomaton(std::string("bottom: $\naccept:\nq ") + eps +
                                                       " $ -> q $ X | q eps\nq a X -> q X");
    EXPECT_EQ(automaton.inputs.names(), Names{"a"});
    EXPECT_EQ(automaton.transitions,
              (Transitions{
                  {{0, 0}, kNoInput, 0, {0, 1}}, {{0, 0}, kNoInput, 0, {}}, {{0, 1}, 0, 0, {1}}}))
        << eps;
  }
}

TEST(ReadAutomaton, ATransitionThatIsThereTwiceCountsOnce) {
  const PushdownAutomaton automaton = ParseAutomaton(
      "bottom: $\naccept: q, q\nq b $ -> q $\nq a $ -> q $ | q eps | q $\nq b $ -> q $");
  EXPECT_EQ(automaton.transitions,
            (Transitions{{{0, 0}, 0, 0, {0}}, {{0, 0}, 1, 0, {0}}, {{0, 0}, 1, 0, {}}}));
  EXPECT_EQ(automaton.accepting, std::vector<Heads>{(Heads{{0, 0}})});
}

TEST(ReadAutomaton, TheStartStateIsDeclaredOrTheFirst) {
  const std::string rest = "bottom: $\naccept: q\nq a $ -> r $ X\nr b X -> q eps\n";
  EXPECT_EQ(ParseAutomaton(rest).states, (Names{"q", "r"}));
  EXPECT_EQ(ParseAutomaton("start: r\n" + rest).states, (Names{"r", "q"}));
  EXPECT_EQ(ParseAutomaton(rest + "start: r # at the end").states, (Names{"r", "q"}));
  EXPECT_EQ(ParseAutomaton(rest + "start: s").states, (Names{"s", "q", "r"})) << "nothing to read";
  EXPECT_EQ(ParseAutomaton("bottom: $\naccept: q\nstart: q").transitions, Transitions());
}

TEST(ReadAutomaton, NumbersAreThoseOfTheListsAndThenOfTheTransitions) {
  const std::string transitions = "q a X -> r X Y\nr b $ -> s Z\n";
  const PushdownAutomaton plain = ParseAutomaton("bottom: $\naccept:\n" + transitions);
  EXPECT_EQ(plain.inputs.names(), (Names{"a", "b"}));
  EXPECT_EQ(plain.states, (Names{"q", "r", "s"}));
  EXPECT_EQ(plain.stack_symbols, (Names{"$", "X", "Y", "Z"}));
  EXPECT_EQ(plain.transitions, (Transitions{{{0, 1}, 0, 1, {1, 2}}, {{1, 0}, 1, 2, {3}}}));
  const PushdownAutomaton listed = ParseAutomaton("bottom: $\naccept:\n" + transitions +
                                                  "inputs: c b\nstates: t s q\nstack: W Z $\n");
  EXPECT_EQ(listed.inputs.names(), (Names{"c", "b", "a"}));
  EXPECT_EQ(listed.states, (Names{"q", "t", "s", "r"})) << "the start state is the first one";
  EXPECT_EQ(listed.stack_symbols, (Names{"$", "W", "Z", "X", "Y"})) << "and so is the bottom";
  EXPECT_EQ(listed.transitions, (Transitions{{{0, 3}, 2, 3, {3, 4}}, {{3, 0}, 1, 2, {2}}}));
  const PushdownAutomaton empty =
      ParseAutomaton("bottom: $\naccept:\ninputs:\nstates:\nstack:\n" + transitions);
  EXPECT_EQ(empty, plain);
}

TEST(ReadAutomaton, AcceptNamesStatesAndPerhapsTheTop) {
  const std::string rest = "\nbottom: $\nq a $ -> r $ X\n";
  const auto accepting = [&](const std::string& lines) {
    return ParseAutomaton(lines + rest).accepting;
  };
  EXPECT_EQ(accepting("accept:"), std::vector<Heads>{Heads{}});
  EXPECT_EQ(accepting("accept: # none"), std::vector<Heads>{Heads{}});
  EXPECT_EQ(accepting("accept: r"), std::vector<Heads>{(Heads{{1, 0}})});
  EXPECT_EQ(accepting("accept: r, q"), std::vector<Heads>{(Heads{{1, 0}, {0, 0}})});
  EXPECT_EQ(accepting("accept: q X,r , r X"), std::vector<Heads>{(Heads{{0, 1}, {1, 0}, {1, 1}})});
  EXPECT_EQ(accepting("accept: q $, q"), std::vector<Heads>{(Heads{{0, 0}})});
  EXPECT_EQ(accepting("accept: q\naccept:\naccept: r X, q"),
            (std::vector<Heads>{{{0, 0}}, {}, {{1, 1}, {0, 0}}}));
  EXPECT_EQ(accepting("accept: s\nstart: s"), std::vector<Heads>{(Heads{{0, 0}})});
  EXPECT_EQ(accepting("accept: s S\nstates: s\nstack: S"), std::vector<Heads>{(Heads{{1, 1}})});
}

TEST(ReadAutomaton, NamesAreLikeThoseOfGrammars) {
  const PushdownAutomaton automaton = ParseAutomaton(
      "bottom: \u22a5\naccept: q'\n"
      "q' \"#\" '\u22a5' -> start \u22a5 \"it's\"\n"
      "start \":\" it's\u2192q-1 '\"' \"eps\" ',' '|' + \"\\\\\"\n");
  EXPECT_EQ(automaton.states, (Names{"q'", "start", "q-1"}));
  EXPECT_EQ(automaton.inputs.names(), (Names{"#", ":"}));
  EXPECT_EQ(automaton.stack_symbols, (Names{"\u22a5", "it's", "\"", "eps", ",", "|", "+", "\\"}));
}

TEST(ReadAutomaton, AKeywordWithoutAColonIsAName) {
  const PushdownAutomaton automaton =
      ParseAutomaton("bottom : bottom\naccept: accept\naccept start bottom -> states bottom stack");
  EXPECT_EQ(automaton.states, (Names{"accept", "states"}));
  EXPECT_EQ(automaton.stack_symbols, (Names{"bottom", "stack"}));
}

TEST(ReadAutomaton, LineEndsAndMarksOfOtherSystems) {
  std::string windows = "\xEF\xBB\xBF";
  for (const char* c = kBrackets; *c != 0; ++c) {
    if (*c == '\n') windows += '\r';
    windows += *c;
  }
  EXPECT_EQ(ParseAutomaton(windows), ParseAutomaton(kBrackets));
}

std::string ErrorOf(const std::string& text) {
  try {
    ParseAutomaton(text, "dir/my.pda");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class AutomatonMistake : public testing::TestWithParam<Mistake> {};
TEST_P(AutomatonMistake, IsReportedWhereItIs) {
  ExpectReported(GetParam(), "[pushdown::ParseAutomaton] dir/my.pda:", ErrorOf(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Transitions, AutomatonMistake,
    testing::Values(
        Mistake{
            "q", "1:2", {"expected the symbol that is read in state q", "found the end of the"}},
        Mistake{"q -> r X", "1:3", {"expected the symbol that is read", "found ->"}},
        Mistake{"q a -> r X", "1:5", {"expected the symbol on top of the stack", "found ->"}},
        Mistake{"q a\n", "1:4", {"expected the symbol on top", "found the end of the line"}},
        Mistake{"q a X r Y", "1:7", {"expected ->", "found r", "a state, an input symbol and"}},
        Mistake{"q a X = r", "1:7", {"expected ->", "found ="}},
        Mistake{"q a X\n-> r", "1:6", {"expected ->", "end of the line"}},
        Mistake{"q eps -> r Y", "1:7", {"expected the symbol on top of the stack", "found ->"}},
        Mistake{"q eps a X -> r Y", "1:9", {"expected ->", "found X"}},
        Mistake{"q a eps -> r Y", "1:5", {"found eps", "on top"}},
        Mistake{"eps a X -> r Y", "1:1", {"expected a transition", "found eps"}},
        Mistake{"-> r", "1:1", {"expected a transition", "found ->"}},
        Mistake{"| r", "1:1", {"expected a transition", "found |"}},
        Mistake{"q a X ->", "1:9", {"expected the next state", "found the end of the automaton"}},
        Mistake{"q a X ->\n r X", "1:9", {"expected the next state", "end of the line"}},
        Mistake{
            "q a X -> eps", "1:10", {"expected the next state", "eps", "before what is pushed"}},
        Mistake{"q a X -> r", "1:11", {"expected stack symbols, or eps", "end"}},
        Mistake{"q a X -> r | s X", "1:12", {"expected stack symbols, or eps", "found |"}},
        Mistake{"q a X -> r X |", "1:15", {"expected the next state"}},
        Mistake{"q a X -> r X | | s X", "1:16", {"expected the next state", "found |"}},
        Mistake{"q a X -> r X eps", "1:14", {"eps must be the only symbol"}},
        Mistake{"q a X -> r eps X", "1:16", {"eps must be the only symbol"}},
        Mistake{"q a X -> r eps eps", "1:16", {"eps must be the only symbol"}},
        Mistake{"q a X -> r X -> s", "1:14", {"expected |", "found ->"}},
        Mistake{"q a X -> r X |\nq b X -> s X", "2:7", {"expected |", "must not end with |"}},
        Mistake{"start: q\n| r X", "2:1", {"expected a transition", "found |"}}));

INSTANTIATE_TEST_SUITE_P(
    Symbols, AutomatonMistake,
    testing::Values(
        Mistake{"q, a, X -> r X", "1:2", {"found ,", "quoted"}},
        Mistake{"(q, a, X) -> r X", "1:2", {"expected a space between ( and q"}},
        Mistake{"q a X -> r, X", "1:11", {"expected stack symbols", "found ,", "quoted"}},
        Mistake{"q a X -> r X Y : Z", "1:16", {"expected |", "found :", "quoted"}},
        Mistake{"q1.a X $ -> q $", "1:3", {"expected a space between q1 and ."}},
        Mistake{"q a $ -> q $X", "1:13", {"expected a space between $ and X", "quotes"}},
        Mistake{"q a X [0.5] -> r X", "1:7", {"expected ->", "[0.5]", "bracket", "quoted"}},
        Mistake{"q a X -> r X [0.5]", "1:14", {"expected |", "[0.5]", "bracket"}},
        Mistake{"q [ X -> r X", "1:3", {"expected ]", "bracket that is a symbol"}},
        Mistake{"q ] X -> r X", "1:3", {"] without [", "bracket that is a symbol"}},
        Mistake{"q # X -> r X", "1:13", {"found the end", "# begins a comment"}},
        Mistake{"bottom: $\naccept: q\nq a $ -> q $# why", "3:13", {"# begins a comment here"}},
        Mistake{"q \u03bb X -> r X", "1:3", {"eps", "a symbol \u03bb must be quoted"}},
        Mistake{"q \u201ca\u201d X -> r X", "1:3", {"straight quote"}},
        Mistake{"q \"a X -> r X", "1:3", {"closing \""}},
        Mistake{"q \"a b\" X -> r X", "1:5", {"a symbol cannot contain a space", "column 3"}},
        Mistake{"q \"\x01\" X -> r X", "1:4", {"a symbol cannot contain a control character"}},
        Mistake{"q \xff X -> r X", "1:3", {"not UTF-8"}},
        Mistake{"q " + std::string(1001, 'n') + " X -> r X", "1:3", {"more than 1000 bytes"}}));

INSTANTIATE_TEST_SUITE_P(
    Declarations, AutomatonMistake,
    testing::Values(
        Mistake{"", "1:1", {"empty", "bottom:", "accept:"}},
        Mistake{"# nothing\nstart: q\n", "3:1", {"empty"}},
        Mistake{"accept: q\nq a $ -> q $", "2:13", {"expected a line such as bottom: $"}},
        Mistake{"accept:", "1:8", {"expected a line such as bottom: $"}},
        Mistake{"bottom: $\nq a $ -> q $\n", "3:1", {"expected a line such as accept: q"}},
        Mistake{"bottom: $\naccept:\n", "3:1", {"expected a line such as start: q"}},
        Mistake{"start: q\nstart: q", "2:1", {"start: is there twice"}},
        Mistake{"bottom: q\n\nbottom: r", "3:1", {"bottom: is there twice"}},
        Mistake{"inputs: q\n inputs: r", "2:2", {"inputs: is there twice"}},
        Mistake{"states:\nstates:", "2:1", {"states: is there twice"}},
        Mistake{"stack:\nstack:", "2:1", {"stack: is there twice"}},
        Mistake{"start:\n", "1:7", {"expected a state after start:", "end of the line"}},
        Mistake{"bottom: eps", "1:9", {"expected a stack symbol after bottom:", "eps"}},
        Mistake{"bottom: # as always", "1:20", {"expected a stack symbol", "# begins a comment"}},
        Mistake{"start: q r", "1:10", {"expected the end of the line", "found r"}},
        Mistake{"bottom: $, X", "1:10", {"expected the end of the line", "found ,"}},
        Mistake{"inputs: a, b", "1:10", {"expected an input symbol or the end", "found ,"}},
        Mistake{"states: q eps", "1:11", {"expected a state or the end", "eps"}},
        Mistake{"stack: $ -> X", "1:10", {"expected a stack symbol or the end", "->"}},
        Mistake{"inputs: a b 'a'", "1:13", {"\"a\" is there twice"}},
        Mistake{"final: q", "1:1", {"expected start:, bottom:, accept:", "found final:"}},
        Mistake{"\"start\": q", "1:1", {"expected start:", "found \"start\":"}},
        Mistake{"accept q", "1:9", {"expected the symbol on top", "colon missing after accept"}},
        Mistake{"start q\n", "1:8", {"colon missing after start"}},
        Mistake{"stack X Y Z\n", "1:11", {"expected ->", "colon missing after stack"}},
        Mistake{": q", "1:1", {"expected a transition", "found :"}},
        Mistake{"start: q |", "1:10", {"expected the end of the line", "found |"}}));

INSTANTIATE_TEST_SUITE_P(
    Accept, AutomatonMistake,
    testing::Values(
        Mistake{"bottom: $\naccept: q, p\nq a $ -> r $", "2:12", {"state p", "no transition"}},
        Mistake{"bottom: $\naccept: q r\nq a $ -> r $", "2:11", {"stack symbol r", "by commas"}},
        Mistake{"bottom: $\naccept: q $ r\nq a $ -> r $", "2:13", {"expected a comma", "found r"}},
        Mistake{"accept: q,", "1:11", {"expected a state", "end"}},
        Mistake{"accept: , q", "1:9", {"expected a state", "found ,"}},
        Mistake{"accept: eps", "1:9", {"expected a state", "eps"}},
        Mistake{"accept: q eps", "1:11", {"expected a stack symbol, a comma or the end", "eps"}},
        Mistake{"accept: q | r", "1:11", {"a comma or the end", "found |"}}));

TEST(AutomatonErrors, NameTheDefaultName) {
  try {
    ParseAutomaton("q");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("[pushdown::ParseAutomaton] automaton:1:2: "), 0u)
        << error.what();
  }
}

TEST(AutomatonErrors, WhateverTheTextThereIsAnAutomatonOrAnError) {
  // Every text of a few pieces; what matters is that nothing else happens.
  const std::vector<std::string> pieces = {"q",       "a $ ",    "->", "|",   "eps", ",",
                                           "bottom:", ":",       "\"", "[x]", "\n",  "# \n",
                                           "accept:", "states:", " ",  "\xC3"};
  const std::string rest = "\nbottom: $\naccept: q\nq a $ -> q $ X";
  int automata = 0;
  int errors = 0;
  for (std::size_t n = 0; n < 16 * 16 * 16 * 16; ++n) {
    const std::string text =
        pieces[n % 16] + pieces[n / 16 % 16] + " " + pieces[n / 256 % 16] + pieces[n / 4096] + rest;
    try {
      Validate(ParseAutomaton(text));
      ++automata;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("automaton:"), std::string::npos) << error.what();
      ++errors;
    }
  }
  EXPECT_GT(automata, 50);
  EXPECT_GT(errors, 1000);
}

TEST(HugeAutomaton, IsReadInNoTime) {
  std::string text = "bottom: $\naccept: q1, q99999\n";
  for (int n = 0; n < 100000; ++n) {
    text += "q" + std::to_string(n) + " a" + std::to_string(n) + " $ -> q" + std::to_string(n + 1) +
            " $ X" + std::to_string(n) + "\n";
  }
  const PushdownAutomaton automaton = ParseAutomaton(text);
  EXPECT_EQ(automaton.states.size(), 100001u);
  EXPECT_EQ(ParseAutomaton(SerializeAutomaton(automaton)), automaton);
}

TEST(HugeAutomaton, TooManySymbolsAreRefused) {
  std::string pushed = "q a $ -> q";
  std::string accepting = "accept: q";
  std::string listed = "inputs:";
  std::string languages;
  for (int n = 0; n <= 1 << 20; ++n) {
    pushed += " a";
    accepting += ",q";
    listed += " a" + std::to_string(n);
    languages += "accept:\n";
  }
  for (const std::string& text : {pushed, accepting, listed, languages}) {
    EXPECT_NE(ErrorOf(text).find("the automaton has more than 1048576 symbols"), std::string::npos);
  }
}

TEST(HugeAutomaton, TooManyTransitionsAreRefused) {
  std::string text = "q a $ -> q eps";
  for (int n = 0; n < 1 << 20; ++n) text += "|q eps";
  EXPECT_NE(ErrorOf(text).find("the automaton has more than 1048576 transitions"),
            std::string::npos);
}

TEST(WriteAutomaton, IsReadBackAsItWas) {
  Random random(1);
  for (int n = 0; n < 2000; ++n) {
    const PushdownAutomaton automaton = AwkwardlyNamedAutomaton(random);
    const std::string text = SerializeAutomaton(automaton);
    ASSERT_EQ(ParseAutomaton(text), automaton) << text;
  }
}

TEST(WriteAutomaton, IsReadable) {
  EXPECT_EQ(SerializeAutomaton(ParseAutomaton(kBrackets)),
            "start: even\n"
            "bottom: $\n"
            "inputs: \"(\" \")\"\n"
            "accept: even\n"
            "even \"(\" $ -> even $ X\n"
            "even \"(\" X -> even X X\n"
            "even \")\" X -> even eps\n");
  // Lists only where the order of the transitions does not give the numbers; alternatives together.
  const std::string text =
      "start: q\n"
      "bottom: $\n"
      "inputs: b a\n"
      "states: q r s\n"
      "stack: $ X W\n"
      "accept: q, s X\n"
      "accept:\n"
      "q a $ -> r $ X\n"
      "  | r $\n"
      "r b X -> r eps\n";
  EXPECT_EQ(SerializeAutomaton(ParseAutomaton(text)), text);
}

TEST(WriteAutomaton, WhatIsThereTwiceIsWrittenOnce) {
  PushdownAutomaton automaton = ParseAutomaton(kBrackets);
  PushdownAutomaton twice = automaton;
  twice.transitions.push_back(twice.transitions[0]);
  twice.accepting[0].push_back(twice.accepting[0][0]);
  EXPECT_EQ(SerializeAutomaton(twice), SerializeAutomaton(automaton));
}

TEST(WriteAutomaton, NamesThatCannotBeReadAreRefused) {
  for (const std::string& name :
       {std::string(), std::string("a b"), std::string("a\tb"), std::string(" "), std::string("\n"),
        std::string("a\nb"), std::string("\x01"), std::string("a\0b", 3), std::string("\x7f"),
        std::string("\xff"), std::string("a\u00a0b"), std::string("\u200b"), std::string("\ufeffa"),
        std::string(1001, 'n')}) {
    for (int where = 0; where < 3; ++where) {
      PushdownAutomaton automaton = ParseAutomaton(kBrackets);
      if (where == 0) automaton.states[0] = name;
      if (where == 1) automaton.stack_symbols[1] = name;
      if (where == 2) automaton.inputs.Add(name);
      EXPECT_NO_THROW(Validate(automaton));
      try {
        SerializeAutomaton(automaton);
        ADD_FAILURE() << "no error for " << testing::PrintToString(name);
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find("[pushdown::SerializeAutomaton] the name \""), 0u)
            << error.what();
      }
    }
  }
}

TEST(WriteAutomaton, WhatIsNotValidIsRefused) {
  PushdownAutomaton automaton = ParseAutomaton(kBrackets);
  automaton.transitions[0].to = 1;
  EXPECT_THROW(SerializeAutomaton(automaton), Error);
}

}  // namespace
}  // namespace pushdown
