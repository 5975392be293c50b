#pragma once

#include <span>
#include <vector>

#include "pushdown/formal/inside_weights.h"
#include "pushdown/formal/normal_grammar.h"

namespace pushdown {

// For t = 0 .. n and each length of 0 .. longest, which is at most inside.max_length(): the weight
// of all strings of this length that begin with the first t symbols of a string of n symbols. Takes
// time in the cube of the lengths for all t together. Throws Error (kLimit) if that is too much
// time or memory.
std::vector<std::vector<Weight>> PrefixWeights(const NormalGrammar& grammar,
                                               const InsideWeights& inside,
                                               std::span<const int> string, int longest);

}  // namespace pushdown
