#pragma once

#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// Whether every transition reads a symbol, and pops the top, replaces it, or pushes any number of
// symbols on it. RestrictedForm takes such automata.
bool IsNearlyRestricted(const PushdownAutomaton& automaton);

// Lemma 3: restricted form, in which a transition pushes one symbol at most. A stack symbol of the
// result stands for a string of the given automaton's stack symbols. Only those strings become
// symbols that can be on a stack: the beginnings of strings that are pushed, also with their last
// symbols replaced. Throws Error of the kind kLimit if there are more than max_symbols of them, and
// Error if the automaton is not nearly restricted.
PushdownAutomaton RestrictedForm(const PushdownAutomaton& automaton, int max_symbols);

// Whether a run can come back to the start state with the bottom symbol on top. Since this does not
// follow which symbols lie below which, it may say yes although no run does.
bool ReturnsToStart(const PushdownAutomaton& restricted);

// Merges states that never have the same symbol on top. The number of runs stays the same.
PushdownAutomaton PackedStates(const PushdownAutomaton& restricted);

}  // namespace pushdown
