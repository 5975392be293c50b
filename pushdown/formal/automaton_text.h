#pragma once

#include <string>
#include <string_view>

#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// Reads an automaton:
//
//   # Balanced brackets.
//   start: even
//   bottom: $
//   accept: even
//   even "(" $ -> even $ X
//   even "(" X -> even X X
//   even ")" X -> even eps
//
// A transition is a state, the symbol that it reads, or eps, the symbol on top of the stack, ->,
// the next state, and what stands for the symbol on top then, the lowest first; eps pops it.
// Further alternatives follow after |, each with its state. A line ends a transition, unless it
// ends with | or the next one begins with |. A transition that is there twice counts once.
//
// The other lines may be anywhere, accept: several times, others once:
//
//   start: q        the start state; without it, the first transition's
//   bottom: $       the symbol that a run begins with; always needed
//   accept: q, r X  q accepts with the bottom symbol on top of the stack, r with X; always needed
//   inputs: a b     these symbols are numbered before others, in this order, and need not be in
//   states: q r     transitions; the start state and the bottom symbol come first all the same
//   stack: $ X
//
// All else is numbered as it appears in transitions. Several lines with accept: are several
// languages, and a string is accepted if each of them has a run. An accept: line without states is
// an empty language. Since it is most likely misspelt, a state or stack symbol that only an accept:
// line has is an error.
//
// States and symbols are names (letters, digits, _ ' -), one other character, or quoted, "..." and
// '...', as in grammars (grammar_text.h); there is no difference between a and "a". Here, spaces
// must separate them, : and , must be quoted as well, and so must a name that is eps. # begins a
// comment.
//
// Throws Error, which says "NAME:LINE:COLUMN: " and what is wrong.
PushdownAutomaton ParseAutomaton(std::string_view text, std::string_view name = "automaton");

// The automaton in this format, from which ParseAutomaton makes the same one: same names, numbers
// and order, except that what is there twice, transitions and where runs accept, is written once.
// Throws Error for what Validate refuses, and for names that cannot be written: the empty one,
// those with spaces or control characters, and those of more than 1000 bytes.
std::string AutomatonText(const PushdownAutomaton& automaton);

// A drawing for Graphviz. Transitions between the same states share an arrow, with a line "a, X ->
// Y Z" for each. States that accept with the bottom symbol on top have a double circle; if there
// are other ways to accept, or several languages, the states say how.
std::string AutomatonDot(const PushdownAutomaton& automaton);

}  // namespace pushdown
