#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/formal/pushdown_automaton.h"
#include "pushdown/random.h"

namespace pushdown::testing_oracle {

// Names that need not be quoted, names that must be, and words of the format.
inline const std::vector<std::string> kAwkwardNames = {
    "a",      "b",       "q",      "X",       "$",      "(",      ")",
    "+",      "*",       "-",      "->",      "a->b",   "|",      "#",
    "a#b",    "[",       "]",      "[0.5]",   "\"",     "'",      "\"'",
    "\\",     "\\\"",    "a\\",    "'a",      "a'",     ",",      ":",
    "start:", "start",   "eps",    "epsilon", "bottom", "accept", "inputs",
    "states", "stack",   "\u03b5", "\u03bb",  "\u22a5", "\u2205", "\u201ca",
    "\u2192", "a\u2192", "\u72ac", "1.5",     "q.1",    "a,b",    std::string(1000, 'n')};

// A random automaton, whose states and symbols have such names. Nothing is in it twice.
inline PushdownAutomaton AwkwardlyNamedAutomaton(Random& random) {
  const auto below = [&](std::size_t limit) { return static_cast<int>(random.Below(limit)); };
  const auto names = [&](std::size_t count) {
    std::vector<std::string> chosen = kAwkwardNames;
    for (std::size_t n = 0; n < count; ++n) {
      std::swap(chosen[n], chosen[n + random.Below(chosen.size() - n)]);
    }
    chosen.resize(count);
    return chosen;
  };
  PushdownAutomaton automaton;
  automaton.states = names(1 + random.Below(4));
  automaton.stack_symbols = names(1 + random.Below(4));
  for (const std::string& name : names(random.Below(4))) automaton.inputs.Add(name);
  const auto head = [&] {
    return AutomatonHead{below(automaton.states.size()), below(automaton.stack_symbols.size())};
  };
  std::set<AutomatonTransition> seen;
  for (std::size_t n = random.Below(8); n > 0; --n) {
    const int input = below(automaton.inputs.names().size() + 1) - 1;  // perhaps kNoInput
    AutomatonTransition transition = {head(), input, below(automaton.states.size()), {}};
    for (std::size_t k = random.Below(4); k > 0; --k) {
      transition.pushed.push_back(below(automaton.stack_symbols.size()));
    }
    if (seen.insert(transition).second) automaton.transitions.push_back(transition);
  }
  automaton.accepting.resize(1 + random.Below(3));
  for (std::vector<AutomatonHead>& heads : automaton.accepting) {
    std::set<AutomatonHead> heads_seen;
    for (std::size_t n = random.Below(4); n > 0; --n) {
      const AutomatonHead accepting = head();
      if (heads_seen.insert(accepting).second) heads.push_back(accepting);
    }
  }
  return automaton;
}

}  // namespace pushdown::testing_oracle
