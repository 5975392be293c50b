#pragma once

#include <span>

#include "pushdown/formal/grammar.h"
#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// Automata from grammars and from other automata: constructions of the paper's appendix B. Each
// keeps the languages.

// Lemma 2: of a grammar in 2-Greibach normal form. The stack has what is still to come. State 0 is
// q_0, state 1 q_loop, and the others lie between the two symbols of a rule: there is one for each
// set of ways to go on, which are fewer than rules.
PushdownAutomaton AutomatonOfGrammar(const Grammar& two_greibach);

// Proposition 2: one automaton for the languages of several restricted ones with the same inputs.
// Runs choose their automaton with the first symbol; since they stay in its states, the automata
// can share the stack symbols.
PushdownAutomaton Union(std::span<const PushdownAutomaton> automata);

// Lemma 4: with a run for every string, which does not accept, in a state of its own; nothing leads
// to the start state with the bottom symbol on top.
PushdownAutomaton WithTrap(const PushdownAutomaton& restricted);

}  // namespace pushdown
