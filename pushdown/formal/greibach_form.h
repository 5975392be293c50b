#pragma once

#include <cstddef>

#include "pushdown/formal/grammar.h"

namespace pushdown {

// Normal forms of any grammar that keep its language and its terminals, not its weights: those of
// the results are all one. Both throw Error if the result, or something on the way to it, has more
// than max_size symbols, left sides included.

// Greibach normal form: rules are A -> a A_1 ... A_m, m >= 0, and perhaps start -> epsilon. The
// start symbol is on no right side. A grammar of the empty language has no rules.
//
// Left recursion goes by left corners, which takes at most a cubic number of symbols once epsilon
// and unary rules are gone: A-B is what is missing of an A that begins with a B.
Grammar GreibachForm(const Grammar& grammar, std::size_t max_size);

// 2-Greibach normal form (Lemma 1 of the paper) of a grammar in Greibach normal form: rules are
// A -> a, A -> a b B_1 ... B_p, p >= 0, and perhaps start -> epsilon. Each rule A -> a A_1 ... A_m
// becomes as many as A_1 has.
Grammar TwoGreibachForm(const Grammar& greibach, std::size_t max_size);

}  // namespace pushdown
