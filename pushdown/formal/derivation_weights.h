#pragma once

#include <vector>

#include "pushdown/formal/grammar.h"

namespace pushdown {

// For each symbol, the total weight of its finite derivations if every terminal has the weight
// `terminal_weight`: the least solution of the grammar's equations. If terminals have the weight 1,
// this is the probability that a derivation ends; if they have the weight 0, it is the weight of
// the empty string. The weights of a nonterminal's rules must not add up to more than 1. Throws
// Error if the grammar is too recursive to be solved (kMaxRecursive).
std::vector<Weight> DerivationWeights(const Grammar& grammar, double terminal_weight);

// The most nonterminals that may derive each other. Their equations are solved together.
inline constexpr int kMaxRecursive = 400;

}  // namespace pushdown
