#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/stack_simulation.h"
#include "pushdown/error.h"
#include "pushdown/formal/automata.h"
#include "pushdown/formal/automaton_drawing.h"
#include "pushdown/formal/automaton_format.h"
#include "pushdown/formal/automaton_grammar.h"
#include "pushdown/formal/chart_parser.h"
#include "pushdown/formal/greibach_form.h"
#include "pushdown/formal/normal_grammar.h"
#include "pushdown/formal/restricted_form.h"
#include "pushdown/random.h"

namespace pushdown {

// Compares the grammars of an automaton's first two languages with its runs.
inline void CheckGrammarOfAutomaton(const PushdownAutomaton& automaton) {
  constexpr std::size_t kMaxSize = 5000;
  constexpr std::size_t kMaxLength = 3;
  constexpr std::size_t kMaxStacks = 100;
  const StackSimulation runs(automaton);
  for (int language = 0; language < std::min(automaton.languages(), 2); ++language) {
    Grammar greibach;
    try {
      greibach = GreibachForm(GrammarOfAutomaton(automaton, language, kMaxSize), kMaxSize);
    } catch (const Error&) {  // too large
      return;
    }
    const NormalGrammar normal(greibach);
    ForShortStrings(automaton.inputs.size(), kMaxLength, [&](const std::vector<int>& string) {
      const auto accepting = runs.Accepting(string, kMaxStacks);
      if (accepting && (*accepting)[language] == StringWeight(normal, string).IsZero()) {
        throw std::logic_error("the grammar of the automaton has other strings");
      }
    });
  }
}

// Reads any text as an automaton and, if it is one, checks what must be true of all of them: it can
// be written and read again, it can be drawn, and no construction changes its languages. Only what
// the library reports as an error is caught; returns whether the text was an automaton.
inline bool CheckAutomatonFormat(std::string_view text) {
  constexpr std::size_t kSmall = 2000;  // bytes
  constexpr int kMaxSymbols = 64;
  constexpr std::size_t kMaxLength = 4;
  constexpr int kMaxTransitions = 12;
  constexpr std::size_t kMaxStacks = 100;
  PushdownAutomaton automaton;
  try {
    automaton = ParseAutomaton(text);
  } catch (const Error&) {
    return false;
  }
  const auto expect = [](bool condition, const char* what) {
    if (!condition) throw std::logic_error(what);
  };
  Validate(automaton);
  expect(ParseAutomaton(SerializeAutomaton(automaton)) == automaton,
         "the automaton differs after writing and reading");
  expect(AutomatonDot(automaton).ends_with("}\n"), "the drawing has no end");
  if (text.size() > kSmall) return true;

  CheckGrammarOfAutomaton(automaton);
  if (!IsNearlyRestricted(automaton)) return true;
  PushdownAutomaton restricted;
  try {
    restricted = RestrictedForm(automaton, kMaxSymbols);
  } catch (const Error&) {  // too many strings to push
    return true;
  }
  const PushdownAutomaton with_trap = WithTrap(restricted);
  const PushdownAutomaton packed = PackedStates(with_trap);
  const std::vector<const PushdownAutomaton*> all = {&restricted, &with_trap, &packed};
  for (const PushdownAutomaton* other : all) {
    Validate(*other);
    expect(IsRestricted(*other), "a construction is not in restricted form");
    expect(other->inputs == automaton.inputs, "a construction has other inputs");
    expect(other->languages() == automaton.languages(), "a construction has other languages");
    // Not the automaton itself: pops that end a run may have become the same transition.
    const std::string written = SerializeAutomaton(*other);
    expect(SerializeAutomaton(ParseAutomaton(written)) == written,
           "a construction differs after writing and reading");
  }
  const StackSimulation runs(automaton);
  const StackSimulation restricted_runs(restricted);
  const StackSimulation with_trap_runs(with_trap);
  const StackSimulation packed_runs(packed);
  const auto check = [&](const std::vector<int>& string) {
    const auto expected = runs.Accepting(string, kMaxStacks);
    const auto expect_same = [&](const StackSimulation& other, const char* what) {
      // The construction may have more stacks than the automaton, perhaps too many to follow.
      const auto found = other.Accepting(string, kMaxStacks);
      expect(!expected || !found || *found == *expected, what);
    };
    expect_same(restricted_runs, "the restricted form accepts other strings");
    expect_same(with_trap_runs, "with a trap, other strings are accepted");
    expect_same(packed_runs, "with packed states, other strings are accepted");
  };
  ForShortStrings(automaton.inputs.size(), kMaxLength, check);
  // Longer strings too: some symbols can only be reached after many transitions.
  Random random(1);
  for (int n = 0; n < 20; ++n) check(runs.RandomString(kMaxTransitions, random));
  return true;
}

}  // namespace pushdown
