#pragma once

#include <functional>
#include <vector>

#include "pushdown/kernels/stack_spec.h"

namespace pushdown {

template <typename T>
class StackWfa;

// Probabilities of what the runs do. With "up to t", all runs of the first t steps count, as for
// the reading r_t, which knows nothing of later steps; with "given all", all runs of all steps.
struct RunMarginals {
  int steps = 0;  // T
  // [T][q,x][push (r,y) | replace (r,y) | pop r], as the logits: the probability that a run takes
  // this transition in this step, given all. The probabilities of a step sum to one.
  std::vector<double> transitions = {};
  // [T + 1][h]: the probability that h symbols are above the bottom symbol, h = 0 .. t, up to t.
  std::vector<std::vector<double>> heights = {};
  std::vector<double> expected_heights = {};            // [T + 1]: their mean, up to t
  std::vector<double> expected_heights_given_all = {};  // [T + 1]
  // [T + 1][i]: the probability that the symbol on top at time t was pushed in step i, i = 0 .. t,
  // up to t; i = 0 is the bottom symbol. It is the attention that a vector stack pays to v_i.
  std::vector<std::vector<double>> pushed_in = {};
};

// Of a WFA with gradients that has taken all steps of a sequence. `check` is called before each
// step, and may throw.
RunMarginals ComputeMarginals(const NondeterministicStackSpec& spec, StackWfa<double>& wfa,
                              const std::function<void()>& check);

}  // namespace pushdown
