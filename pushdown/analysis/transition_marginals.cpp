#include "pushdown/analysis/transition_marginals.h"

#include <algorithm>
#include <cstddef>

namespace pushdown {

std::vector<TransitionMarginal> TransitionMarginals(const NondeterministicStackSpec& spec,
                                                    const RunMarginals& marginals, int t,
                                                    double min_probability) {
  std::vector<TransitionMarginal> result;
  const int pairs = spec.pairs();
  const std::size_t begin =
      static_cast<std::size_t>(t - 1) * static_cast<std::size_t>(spec.logits_size());
  for (int n = 0; n < spec.logits_size(); ++n) {
    const double probability = marginals.transitions[begin + static_cast<std::size_t>(n)];
    if (!(probability > 0) || probability < min_probability) continue;
    const int from = n / spec.logits_per_pair();
    const int to = n % spec.logits_per_pair();
    TransitionMarginal& marginal = result.emplace_back();
    marginal.state = from / spec.symbols;
    marginal.symbol = from % spec.symbols;
    marginal.probability = probability;
    if (to >= 2 * pairs) {
      marginal.transition = {StackOperation::kPop, to - 2 * pairs, -1};
    } else {
      const int pair = to % pairs;
      marginal.transition = {to < pairs ? StackOperation::kPush : StackOperation::kReplace,
                             pair / spec.symbols, pair % spec.symbols};
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const TransitionMarginal& a, const TransitionMarginal& b) {
                     return a.probability > b.probability;
                   });
  return result;
}

}  // namespace pushdown
