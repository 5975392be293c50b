#pragma once

#include <cstddef>

#include "pushdown/formal/grammar.h"

namespace pushdown {

// Normal forms of any grammar. They keep its language and its terminals, but not its weights: all
// rules of the results have the weight 1. Both throw Error of the kind kLimit if the result, or an
// intermediate one, has more than max_size symbols, including left sides.

// Greibach normal form: rules are A -> a A_1 ... A_m, m >= 0, and perhaps start -> epsilon. The
// start symbol is on no right side. A grammar of the empty language has no rules.
//
// The left-corner transformation removes left recursion. Without epsilon and unary rules, the
// number of symbols at most becomes its cube. The nonterminal A-B derives what must follow a B to
// make it an A.
Grammar GreibachForm(const Grammar& grammar, std::size_t max_size);

// 2-Greibach normal form (Lemma 1 of the paper) of a grammar in Greibach normal form: rules are
// A -> a, A -> a b B_1 ... B_p, p >= 0, and perhaps start -> epsilon. Each rule A -> a A_1 ... A_m
// becomes as many rules as A_1 has.
Grammar TwoGreibachForm(const Grammar& greibach, std::size_t max_size);

}  // namespace pushdown
