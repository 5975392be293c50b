#pragma once

#include <span>

#include "pushdown/formal/grammar.h"
#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// Constructions of the paper's appendix B, which make automata from grammars and from other
// automata. None of them changes a language.

// Lemma 2: the automaton of a grammar in 2-Greibach normal form. Its stack holds the nonterminals
// that are still to be derived. State 0 is q_0 and state 1 is q_loop. A run is in one of the other
// states after the first and before the second terminal of a rule. Rules that can go on in the same
// ways after their first terminal share a state, so that there are fewer states than rules.
PushdownAutomaton AutomatonOfGrammar(const Grammar& two_greibach);

// Proposition 2: one automaton that has the languages of several restricted automata, which must
// have the same input symbols. A run chooses one of the automata with its first symbol, and then
// stays in that automaton's states; so the automata can share their stack symbols.
PushdownAutomaton Union(std::span<const PushdownAutomaton> automata);

// Lemma 4: adds a trap state, so that every string has a run. The run through the trap state does
// not accept. In the result, no transition leads to the start state with the bottom symbol on top.
PushdownAutomaton WithTrap(const PushdownAutomaton& restricted);

}  // namespace pushdown
