#pragma once

#include "pushdown/formal/grammar.h"

namespace pushdown {

// Transformations that keep the weight of every string. They throw Error if the result would be
// too large to be of use, or the grammar is too recursive (kMaxRecursive).

// The result has no rule with more than `most` symbols on its right side; `most` must be at least
// 2. Rules that end in the same symbols share nonterminals.
Grammar WithShortRules(const Grammar& grammar, int most);
inline Grammar Binarized(const Grammar& grammar) { return WithShortRules(grammar, 2); }

// In the result, no nonterminal but the start symbol derives the empty string. If the start symbol
// does, it has one rule for it, and is on no right side. The result is binarized too, since it
// could be exponentially large otherwise.
Grammar WithoutEpsilon(const Grammar& grammar);

// The result has no rule whose right side is a single nonterminal. Cycles of such rules
// make infinite sums of weights, which are replaced by their limits. The grammar must have no
// epsilon rules (WithoutEpsilon).
Grammar WithoutUnary(const Grammar& grammar);

// Removes nonterminals and rules that are in no derivation of a string. Terminals are kept.
Grammar Trimmed(const Grammar& grammar);

// All of these transformations: rules are A -> X Y, A -> a, and perhaps start -> epsilon.
Grammar NormalForm(const Grammar& grammar);

}  // namespace pushdown
