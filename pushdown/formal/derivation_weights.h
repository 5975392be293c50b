#pragma once

#include <vector>

#include "pushdown/formal/grammar.h"

namespace pushdown {

// By symbol, the total weight of its finite derivations if terminals weigh `terminal_weight`, the
// least solution of the grammar's equations: with 1 the probability that a derivation ends, with 0
// the weight of the empty string. The rules of a nonterminal must not weigh more than 1 together.
// Throws Error if the grammar is too recursive to solve (kMaxRecursive).
std::vector<Weight> DerivationWeights(const Grammar& grammar, double terminal_weight);

// The most nonterminals that may derive each other: equations among them are solved together.
inline constexpr int kMaxRecursive = 400;

}  // namespace pushdown
