#pragma once

#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// Whether all transitions read a symbol, and pop, replace, or push symbols on one that stays: what
// RestrictedForm takes.
bool IsNearlyRestricted(const PushdownAutomaton& automaton);

// Lemma 3: restricted form. A stack symbol is a string of the given automaton's, of which only
// those are made that can be on a stack: beginnings of strings that are pushed, and what may stand
// for their last symbols. Throws Error if they are more than max_symbols, or if a transition
// neither pops, replaces nor pushes.
PushdownAutomaton RestrictedForm(const PushdownAutomaton& automaton, int max_symbols);

// Whether a run can come back to the start state with the bottom symbol on top (or, since not all
// that happens below a symbol is followed, perhaps can).
bool ReturnsToStart(const PushdownAutomaton& restricted);

// States that are never there with the same symbol on top become one. The runs stay the same.
PushdownAutomaton PackedStates(const PushdownAutomaton& restricted);

}  // namespace pushdown
