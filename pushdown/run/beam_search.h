#pragma once

#include <functional>
#include <vector>

#include "pushdown/run/predictor.h"
#include "pushdown/run/sampling.h"

namespace pushdown {

struct BeamOptions {
  int beams = 1;                 // how many hypotheses go on after each symbol, at least one
  int max_length = 0;            // of the strings, the prompt included
  std::vector<int> prompt = {};  // every string begins with it
};

// The most probable strings or sentences that a beam search finds, at most `beams` of them, the
// most probable first; equally probable ones are in the order in which they were found. All of them
// have ended. Nothing is random.
//
// The search keeps a list of strings that have not ended, which is the prompt in the beginning. In
// each step, every string of the list is taken as if it ended there, and the `beams` best of all
// strings with an end so far are kept. Then every string of the list is extended by every symbol,
// and the `beams` most probable extensions are the new list, without those that are not more
// probable than the last of `beams` ended strings, since a string only becomes less probable. The
// search ends when the list is empty, or its strings have max_length symbols. Probabilities are not
// normalised for length. If `beams` is at least the number of strings of each length, the result is
// exact.
//
// `progress`, if there is one, is called before each extension with a fraction, which may jump to
// the end, and may throw. Throws Error if the hypotheses would not fit into the memory.
std::vector<SampledString> BeamSearch(Predictor& predictor, const BeamOptions& options,
                                      const std::function<void(double)>& progress = {});

}  // namespace pushdown
