#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/analysis/run_marginals.h"
#include "pushdown/kernels/stack_spec.h"

namespace pushdown {

// The most probable run that leaves a stack, and the probability of all runs that leave it.
struct StackOutcome {
  AutomatonRun best = {};
  double probability = 0;
};

// All runs of the automaton of a nondeterministic stack, with the weights of one sequence: a
// distribution over an exponential number of runs, each with its stack. Vectors make no difference
// to runs, so that those of a VRNS are those of the RNS of the same size.
//
// With a window, a run ends when the symbol on top was pushed too long ago (see StackSpec), and
// counts no more.
//
// What is asked for is computed when it is asked for, and parts of it are kept: an object is for
// one thread at a time.
class AutomatonRuns {
 public:
  // `check`, if there is one, is called now and then by everything that takes long, and may throw.
  // Throws Error if no run survives a step, or a logit is NaN or +inf.
  AutomatonRuns(const NondeterministicStackSpec& spec,
                std::span<const double> logits,  // [T, P, 2P + Q]
                std::function<void()> check = {});
  ~AutomatonRuns();
  AutomatonRuns(AutomatonRuns&& other) noexcept;
  AutomatonRuns& operator=(AutomatonRuns&& other) noexcept;

  const NondeterministicStackSpec& spec() const;
  int steps() const;
  // log of the total weight of all runs.
  double log_weight() const;
  // The distribution over pairs of state and top symbol after t steps, as the reading r_t of an
  // RNS.
  std::span<const double> alpha(int t) const;  // [P]

  // The `count` most probable runs, best first, or all of them if there are fewer. Runs are told
  // apart by their transitions, and only those with a weight above zero count.
  std::vector<AutomatonRun> Best(int count) const;
  // The same among the runs that end in a state with a symbol on top.
  std::vector<AutomatonRun> BestEndingIn(int state, int symbol, int count) const;
  // The `count` best runs that leave different stacks, best first: for each stack, the best run
  // that leaves it.
  std::vector<StackOutcome> BestStacks(int count) const;
  // The probability that a run leaves this stack, in whichever state.
  double StackProbability(std::span<const int> stack) const;  // the bottom first

  // Independent samples of the distribution over runs. The n-th depends only on the seed and n.
  std::vector<AutomatonRun> Sample(int count, std::uint64_t seed) const;

  RunMarginals Marginals() const;

  // Bytes that an object takes at most, without the runs that it returns and what finding more than
  // a few of them takes.
  static double EstimateBytes(const NondeterministicStackSpec& spec, int steps);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pushdown
