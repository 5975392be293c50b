#pragma once

#include <cstddef>

#include "pushdown/formal/grammar.h"
#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// The grammar of one of an automaton's languages, whatever its transitions, with the automaton's
// inputs as terminals: the way to RestrictedForm for all others. Nonterminals are what takes a
// state with some symbols on top to another one without them, or to where it accepts; with n
// states, a transition that pushes makes up to n^2 rules for each symbol. Throws Error if there are
// more than max_size symbols in all rules.
Grammar GrammarOfAutomaton(const PushdownAutomaton& automaton, int language, std::size_t max_size);

}  // namespace pushdown
