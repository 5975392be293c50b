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
// A transition has, before ->, a state, the input symbol that it reads (or eps if it reads none)
// and the symbol on top of the stack; after ->, the next state and the symbols that take the place
// of the symbol on top, the lowest first (or eps to pop it). Further alternatives follow after |,
// each with its next state. A transition ends with its line, unless that line ends with | or the
// next line begins with |. A transition that is written twice counts once.
//
// The other lines may stand anywhere. There can be several with accept:, and one of each other
// kind:
//
//   start: q        the start state; without it, the first transition's
//   bottom: $       the symbol that a run begins with; always needed
//   accept: q, r X  q accepts with the bottom symbol on top of the stack, r with X; always needed
//   inputs: a b     input symbols, states and stack symbols that are numbered before all others,
//   states: q r     in this order (but the start state and the bottom symbol are always the first);
//   stack: $ X      they need not be in any transition
//
// All other names are numbered in the order of their appearance in transitions. Several lines with
// accept: are several languages, and a string is accepted if each of them has an accepting run. An
// accept: line without states is an empty language. A state or stack symbol that is only in an
// accept: line is an error, since it is most likely misspelt.
//
// States and symbols are names (letters, digits, _ ' -), one other character, or quoted, "..." and
// '...', as in grammars (grammar_format.h); there is no difference between a and "a". Unlike in
// grammars, spaces must separate them, and the symbols : and , must be quoted. A name that is eps
// must be quoted too. # begins a comment.
//
// Throws Error, which says "NAME:LINE:COLUMN: " and what is wrong.
PushdownAutomaton ParseAutomaton(std::string_view text, std::string_view name = "automaton");

// Writes an automaton in this format. ParseAutomaton makes the same automaton of the result, with
// the same names, numbers and order, except that equal transitions and equal accepting heads are
// written once. Throws Error if Validate refuses the automaton, and for names that cannot be
// written: the empty name, names with spaces or control characters, and names of more than 1000
// bytes.
std::string SerializeAutomaton(const PushdownAutomaton& automaton);

}  // namespace pushdown
