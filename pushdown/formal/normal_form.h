#pragma once

#include "pushdown/formal/grammar.h"

namespace pushdown {

// Transformations that keep the weight of every string. They throw Error if the result would be
// too large to be of use, or the grammar is too recursive (kMaxRecursive).

// No rule has more than `most` symbols, two or more, on its right side. Equal ends of rules share
// nonterminals.
Grammar WithShortRules(const Grammar& grammar, int most);
inline Grammar Binarized(const Grammar& grammar) { return WithShortRules(grammar, 2); }

// No nonterminal but the start symbol derives the empty string, and the start symbol, if it does,
// by one rule and is on no right side. The result is binarized too: otherwise it could be
// exponentially large.
Grammar WithoutEpsilon(const Grammar& grammar);

// No rule has a single nonterminal on its right side; cycles of such rules are summed to their
// limit. The grammar must be without epsilon.
Grammar WithoutUnary(const Grammar& grammar);

// Without symbols and rules that are in no derivation of a string. Terminals are kept.
Grammar Trimmed(const Grammar& grammar);

// All of them: rules are A -> X Y, A -> a, and perhaps start -> epsilon.
Grammar NormalForm(const Grammar& grammar);

}  // namespace pushdown
