#pragma once

#include <array>
#include <vector>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/analysis/automaton_runs.h"
#include "pushdown/kernels/stack_spec.h"

namespace pushdown {

// A transition with the configuration that it leaves.
struct TransitionMarginal {
  int state = 0;   // q
  int symbol = 0;  // x, the symbol on top
  RunTransition transition = {};
  double probability = 0;  // that a run takes it in this step, given all steps
};

// The transitions of a step t = 1 .. T with at least this probability, the most probable first.
std::vector<TransitionMarginal> TransitionMarginals(const NondeterministicStackSpec& spec,
                                                    const RunMarginals& marginals, int t,
                                                    double min_probability);

// What a run does in a step t = 1 .. T, given all: the probabilities of push, replace and pop.
std::array<double, 3> OperationMarginals(const NondeterministicStackSpec& spec,
                                         const RunMarginals& marginals, int t);
// [P]: the probability of each pair of state and top symbol before a step t = 1 .. T, given all.
std::vector<double> PairMarginals(const NondeterministicStackSpec& spec,
                                  const RunMarginals& marginals, int t);

}  // namespace pushdown
