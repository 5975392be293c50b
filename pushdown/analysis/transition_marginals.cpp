#include "pushdown/analysis/transition_marginals.h"

#include <algorithm>
#include <cstddef>

namespace pushdown {

std::vector<TransitionMarginal> TransitionMarginals(const NondeterministicStackSpec& spec,
                                                    const RunMarginals& marginals, int t,
                                                    double min_probability) {
  std::vector<TransitionMarginal> result;
  const std::size_t begin =
      static_cast<std::size_t>(t - 1) * static_cast<std::size_t>(spec.logits_size());
  for (int n = 0; n < spec.logits_size(); ++n) {
    const double probability = marginals.transitions[begin + static_cast<std::size_t>(n)];
    if (!(probability > 0) || probability < min_probability) continue;
    const StepTransition found = TransitionAt(spec, static_cast<std::size_t>(n));
    result.push_back({found.from_state, found.from_symbol, found.transition, probability});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const TransitionMarginal& a, const TransitionMarginal& b) {
                     return a.probability > b.probability;
                   });
  return result;
}

}  // namespace pushdown
