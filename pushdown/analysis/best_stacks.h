#pragma once

#include <vector>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/analysis/best_weights.h"

namespace pushdown {

// For each of the `count` best stacks, the best run that leaves it, best first; their log weights,
// but not their probabilities. Stacks are built from the top down. The best run that leaves a stack
// with a given upper part is known exactly (alpha), so that the search never goes astray: its time
// grows with the heights of the stacks that it returns, not with the number of runs.
std::vector<AutomatonRun> BestRunsByStack(const BestWeights& weights, int count);

}  // namespace pushdown
