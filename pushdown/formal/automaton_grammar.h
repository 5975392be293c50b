#pragma once

#include <cstddef>

#include "pushdown/formal/grammar.h"
#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// The grammar of one of an automaton's languages, with the automaton's inputs as terminals. The
// automaton may have any transitions; those that RestrictedForm does not take get there through
// this grammar. A nonterminal stands for the strings that lead from a state with some symbols on
// top to another state without these symbols, or to acceptance. With n states, a transition that
// pushes makes up to n^2 rules for each symbol. Throws Error if all rules together have more than
// max_size symbols.
Grammar GrammarOfAutomaton(const PushdownAutomaton& automaton, int language, std::size_t max_size);

}  // namespace pushdown
