#pragma once

#include <span>

#include "pushdown/formal/normal_grammar.h"

namespace pushdown {

// The weight of a string of terminals, summed over all its derivations; zero if it has none.
//
// A bottom-up chart parser that looks at what it found only: the cost depends on the symbols that
// occur in the string, not on those that the grammar has besides, and is quadratic or less where
// few substrings are constituents. Throws Error if the chart gets too large (kMaxChartItems).
Weight StringWeight(const NormalGrammar& grammar, std::span<const int> string);

inline constexpr int kMaxChartItems = 1 << 25;

}  // namespace pushdown
