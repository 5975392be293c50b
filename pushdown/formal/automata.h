#pragma once

#include <cstddef>
#include <span>

#include "pushdown/formal/grammar.h"
#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// The constructions of the paper's appendix B on automata. Each keeps the languages.

// Lemma 2: of a grammar in 2-Greibach normal form. The stack has what is still to come. State 0 is
// q_0, state 1 q_loop, and the others lie between the two symbols of a rule: there is one for each
// set of ways to go on, which are fewer than rules.
PushdownAutomaton AutomatonOfGrammar(const Grammar& two_greibach);

// Whether all transitions read a symbol, and pop, replace, or push symbols on one that stays: what
// RestrictedForm takes.
bool IsNearlyRestricted(const PushdownAutomaton& automaton);

// The grammar of one of an automaton's languages, whatever its transitions, with the automaton's
// inputs as terminals: the way to RestrictedForm for all others. Nonterminals are what takes a
// state with some symbols on top to another one without them, or to where it accepts; with n
// states, a transition that pushes makes up to n^2 rules for each symbol. Throws Error if there are
// more than max_size symbols in all rules.
Grammar GrammarOfAutomaton(const PushdownAutomaton& automaton, int language, std::size_t max_size);

// Lemma 3: restricted form. A stack symbol is a string of the given automaton's, of which only
// those are made that can be on a stack: beginnings of strings that are pushed, and what may stand
// for their last symbols. Throws Error if they are more than max_symbols, or if a transition
// neither pops, replaces nor pushes.
PushdownAutomaton RestrictedForm(const PushdownAutomaton& automaton, int max_symbols);

// Proposition 2: one automaton for the languages of several restricted ones with the same inputs.
// Runs choose their automaton with the first symbol; since they stay in its states, the automata
// can share the stack symbols.
PushdownAutomaton Union(std::span<const PushdownAutomaton> automata);

// Lemma 4: with a run for every string, which does not accept, in a state of its own; nothing leads
// to the start state with the bottom symbol on top.
PushdownAutomaton WithTrap(const PushdownAutomaton& restricted);

// Whether a run can come back to the start state with the bottom symbol on top (or, since not all
// that happens below a symbol is followed, perhaps can).
bool ReturnsToStart(const PushdownAutomaton& restricted);

// States that are never there with the same symbol on top become one. The runs stay the same.
PushdownAutomaton PackedStates(const PushdownAutomaton& restricted);

}  // namespace pushdown
