#include "pushdown/formal/automaton_drawing.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/formal/automaton_format.h"
#include "pushdown/random.h"
#include "tests/formal/awkwardly_named_automaton.h"

namespace pushdown {
namespace {

using testing_oracle::AwkwardlyNamedAutomaton;

const char* const kBrackets =
    "start: even\n"
    "bottom: $\n"
    "accept: even\n"
    "even \"(\" $ -> even $ X\n"
    "even \"(\" X -> even X X\n"
    "even \")\" X -> even eps\n";

TEST(DrawAutomaton, Brackets) {
  EXPECT_EQ(AutomatonDot(ParseAutomaton(kBrackets)),
            "digraph automaton {\n"
            "  rankdir=LR;\n"
            "  node [shape=circle];\n"
            "  start [shape=point, label=\"\"];\n"
            "  q0 [label=\"even\", shape=doublecircle];\n"
            "  start -> q0;\n"
            "  q0 -> q0 [label=\"(, $ -> $ X\\n(, X -> X X\\n), X -> eps\"];\n"
            "}\n");
}

TEST(DrawAutomaton, WhatIsThereTwiceIsDrawnOnce) {
  const PushdownAutomaton automaton = ParseAutomaton(kBrackets);
  PushdownAutomaton twice = automaton;
  twice.transitions.push_back(twice.transitions[0]);
  twice.accepting[0].push_back(twice.accepting[0][0]);
  EXPECT_EQ(AutomatonDot(twice), AutomatonDot(automaton));
}

TEST(DrawAutomaton, WhatIsNotValidIsRefused) {
  PushdownAutomaton automaton = ParseAutomaton(kBrackets);
  automaton.transitions[0].to = 1;
  EXPECT_THROW(AutomatonDot(automaton), Error);
}

// Names that the format of automata refuses can be drawn all the same.
TEST(DrawAutomaton, AnyNameCanBeDrawn) {
  for (const std::string& name : {std::string(), std::string("a b"), std::string("a\nb"),
                                  std::string("a\0b", 3), std::string("\xff")}) {
    PushdownAutomaton automaton = ParseAutomaton(kBrackets);
    automaton.states[0] = name;
    automaton.stack_symbols[1] = name;
    automaton.inputs.Add(name);
    EXPECT_NO_THROW(AutomatonDot(automaton));
  }
}

TEST(DrawAutomaton, LabelsCanBeCut) {
  const PushdownAutomaton automaton = ParseAutomaton(kBrackets);
  EXPECT_EQ(AutomatonDot(automaton, 3), AutomatonDot(automaton));
  const std::string dot = AutomatonDot(automaton, 2);
  EXPECT_NE(dot.find("[label=\"(, $ -> $ X\\n... 2 more\"];"), std::string::npos) << dot;
}

TEST(DrawAutomaton, TransitionsThatReadNothing) {
  const std::string dot =
      AutomatonDot(ParseAutomaton("bottom: $\naccept:\nq eps $ -> r $ X\nq a $ -> r eps"));
  EXPECT_NE(dot.find("q0 -> q1 [label=\"eps, $ -> $ X\\na, $ -> eps\"];"), std::string::npos)
      << dot;
}

TEST(DrawAutomaton, StatesSayHowTheyAcceptIfThereIsMoreThanOneWay) {
  const std::string rest = "\nbottom: $\nq a $ -> r $ X\n";
  const std::string tops = AutomatonDot(ParseAutomaton("accept: q X, r, r X" + rest));
  EXPECT_NE(tops.find("q0 [label=\"q\\naccepts with X\"];"), std::string::npos) << tops;
  EXPECT_NE(tops.find("q1 [label=\"r\\naccepts with X\", shape=doublecircle];"), std::string::npos)
      << tops;
  const std::string languages = AutomatonDot(ParseAutomaton("accept: q\naccept: q, r X" + rest));
  EXPECT_NE(languages.find("q0 [label=\"q\\naccepts 1\\naccepts 2\", shape=doublecircle];"),
            std::string::npos)
      << languages;
  EXPECT_NE(languages.find("q1 [label=\"r\\naccepts 2 with X\"];"), std::string::npos) << languages;
}

TEST(DrawAutomaton, SpecialCharactersAreEscaped) {
  PushdownAutomaton automaton = ParseAutomaton(kBrackets);
  automaton.states[0] = "a\"b\\n&lt;\n";
  const std::string dot = AutomatonDot(automaton);
  EXPECT_NE(dot.find("q0 [label=\"a\\\"b\\\\n&amp;lt;?\", shape"), std::string::npos) << dot;
}

// Whether a line is a statement of Graphviz: words, = -> [ ] , and strings, with ; at its end.
bool IsDotStatement(const std::string& line) {
  bool quoted = false;
  for (std::size_t n = 0; n < line.size(); ++n) {
    const char c = line[n];
    if (quoted && c == '\\' && ++n == line.size()) return false;
    if (c == '"') quoted = !quoted;
    const bool word =
        std::string("abcdefghijklmnopqrstuvwxyzLR0123456789=->[], ").find(c) != std::string::npos;
    if (!quoted && !word && c != '"' && (c != ';' || n + 1 < line.size())) return false;
  }
  return !quoted && line.starts_with("  ") && line.ends_with(';');
}

TEST(DrawAutomaton, AnyAutomatonIsAGraph) {
  Random random(2);
  for (int n = 0; n < 500; ++n) {
    const PushdownAutomaton automaton = AwkwardlyNamedAutomaton(random);
    const std::string dot = AutomatonDot(automaton);
    std::set<std::string> arrows;
    std::size_t states = 0;
    std::size_t line_count = 0;
    for (std::size_t begin = 0; begin < dot.size(); ++line_count) {
      const std::size_t end = dot.find('\n', begin);
      ASSERT_NE(end, std::string::npos) << dot;
      const std::string line = dot.substr(begin, end - begin);
      begin = end + 1;
      if (line_count == 0 || begin == dot.size()) {
        EXPECT_EQ(line, line_count == 0 ? "digraph automaton {" : "}");
        continue;
      }
      EXPECT_TRUE(IsDotStatement(line)) << line;
      const std::string head = line.substr(0, line.find(" ["));
      if (!line.starts_with("  q")) continue;
      if (head.find("->") == std::string::npos) {
        ++states;
      } else {
        EXPECT_TRUE(arrows.insert(head).second) << dot;
      }
    }
    EXPECT_EQ(states, automaton.states.size()) << dot;
    std::set<std::pair<int, int>> connected;
    for (const AutomatonTransition& t : automaton.transitions)
      connected.emplace(t.from.state, t.to);
    EXPECT_EQ(arrows.size(), connected.size()) << dot;
  }
}

}  // namespace
}  // namespace pushdown
