#include "pushdown/analysis/transition_marginals.h"

#include <algorithm>
#include <cstddef>

namespace pushdown {
namespace {

// Calls `take` with each transition of a step and its probability.
template <typename Take>
void ForEachTransition(const NondeterministicStackSpec& spec, const RunMarginals& marginals, int t,
                       const Take& take) {
  const auto size = static_cast<std::size_t>(spec.logits_size());
  const std::size_t begin = static_cast<std::size_t>(t - 1) * size;
  for (std::size_t n = 0; n < size; ++n) {
    take(TransitionAt(spec, n), marginals.transitions[begin + n]);
  }
}

}  // namespace

std::vector<TransitionMarginal> TransitionMarginals(const NondeterministicStackSpec& spec,
                                                    const RunMarginals& marginals, int t,
                                                    double min_probability) {
  std::vector<TransitionMarginal> result;
  ForEachTransition(spec, marginals, t, [&](const StepTransition& found, double probability) {
    if (!(probability > 0) || probability < min_probability) return;
    result.push_back({found.from_state, found.from_symbol, found.transition, probability});
  });
  std::stable_sort(result.begin(), result.end(),
                   [](const TransitionMarginal& a, const TransitionMarginal& b) {
                     return a.probability > b.probability;
                   });
  return result;
}

std::array<double, 3> OperationMarginals(const NondeterministicStackSpec& spec,
                                         const RunMarginals& marginals, int t) {
  std::array<double, 3> sums = {};
  ForEachTransition(spec, marginals, t, [&](const StepTransition& found, double probability) {
    sums[static_cast<std::size_t>(found.transition.operation)] += probability;
  });
  return sums;
}

std::vector<double> PairMarginals(const NondeterministicStackSpec& spec,
                                  const RunMarginals& marginals, int t) {
  std::vector<double> sums(static_cast<std::size_t>(spec.states) *
                           static_cast<std::size_t>(spec.symbols));
  ForEachTransition(spec, marginals, t, [&](const StepTransition& found, double probability) {
    sums[static_cast<std::size_t>(found.from_state * spec.symbols + found.from_symbol)] +=
        probability;
  });
  return sums;
}

}  // namespace pushdown
