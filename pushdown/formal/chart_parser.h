#pragma once

#include <span>
#include <vector>

#include "pushdown/formal/normal_grammar.h"

namespace pushdown {

// The weight of a string of terminals, summed over all its derivations; zero if it has none.
//
// This is a bottom-up chart parser that only combines constituents that it has found. So its cost
// depends on the symbols in the string, and not on other symbols of the grammar; it is quadratic in
// the length or less if few substrings are constituents. Throws Error (kLimit) if the chart gets
// too large (kMaxChartItems).
Weight StringWeight(const NormalGrammar& grammar, std::span<const int> string);

// A symbol that derives the substring from `start` to some end, with the weight of all its
// derivations.
struct Constituent {
  int symbol = 0;
  int start = 0;
  Weight weight;
};
// By end, 0 .. length: the constituents that can be the left symbol of a pair. Throws Error as
// StringWeight does.
std::vector<std::vector<Constituent>> LeftConstituents(const NormalGrammar& grammar,
                                                       std::span<const int> string);

inline constexpr int kMaxChartItems = 1 << 25;

}  // namespace pushdown
