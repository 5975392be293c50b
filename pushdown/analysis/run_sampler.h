#pragma once

#include <vector>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/kernels/stack_wfa.h"
#include "pushdown/random.h"

namespace pushdown {

// Samples runs from a stack WFA, exactly: backwards from the end, each step in proportion to the
// terms of the recurrence that the step was computed by. Shares are these terms already.
class RunSampler {
 public:
  // The WFA, which has taken all steps, must outlive this.
  RunSampler(const NondeterministicStackSpec& spec, const StackWfa<double>& wfa)
      : spec_(spec), wfa_(wfa) {}

  std::vector<RunTransition> Sample(Random& random) const;

 private:
  // gamma[i->t][source -> target]: from (q,x) after i steps to (r,y) after t steps, where y is what
  // was pushed in step i + 1, or has replaced it.
  struct Stretch {
    int i;
    int t;
    int source;
    int target;
  };

  double Share(int i, int t, int source, int target) const;
  Stretch SampleTop(int t, int target, Random& random) const;
  int SampleLastStep(const Stretch& stretch, Random& random) const;
  int SamplePopped(int k, int t, int below, int state, Random& random) const;
  void SampleStretch(const Stretch& whole, Random& random,
                     std::vector<RunTransition>& transitions) const;

  const NondeterministicStackSpec& spec_;
  const StackWfa<double>& wfa_;
};

}  // namespace pushdown
