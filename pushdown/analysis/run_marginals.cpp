#include "pushdown/analysis/run_marginals.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/stack_wfa.h"

namespace pushdown {
namespace {

// The derivatives of the log of the total weight by the logits. The backward pass takes derivatives
// by log alpha[T], and those of log(sum over (r,y) of alpha[T][r,y]) are alpha[T] itself.
std::vector<double> TransitionProbabilities(const NondeterministicStackSpec& spec,
                                            StackWfa<double>& wfa,
                                            const std::function<void()>& check) {
  const int steps = wfa.now();
  const auto size = static_cast<std::size_t>(spec.logits_size());
  std::vector<double> transitions(static_cast<std::size_t>(steps) * size);
  const double* alpha = wfa.column(steps).alpha;
  std::vector<double> gradient(alpha, alpha + spec.pairs());
  for (int t = steps; t > 0; --t) {
    check();
    wfa.BackwardStep(t, gradient.data(), nullptr, 0,
                     transitions.data() + static_cast<std::size_t>(t - 1) * size);
    std::fill(gradient.begin(), gradient.end(), 0.0);
  }
  return transitions;
}

std::vector<std::vector<double>> PushTimes(const NondeterministicStackSpec& spec,
                                           const StackWfa<double>& wfa) {
  const int pairs = spec.pairs();
  std::vector<std::vector<double>> result;
  for (int t = 0; t <= wfa.now(); ++t) {
    const WfaColumn<double>& column = wfa.column(t);
    std::vector<double> times(static_cast<std::size_t>(t) + 1);
    if (t == 0) times[0] = 1;
    for (int target = 0; target < pairs && t > 0; ++target) {
      const double* shares = column.shares + target * column.stride;
      for (int i = column.low; i < t; ++i, shares += pairs) {
        double sum = 0;
        for (int source = 0; source < pairs; ++source) sum += shares[source];
        times[static_cast<std::size_t>(i) + 1] += column.alpha[target] * sum;
      }
    }
    result.push_back(std::move(times));
  }
  return result;
}

// The height of a stack is one more than it was before its top was pushed:
//   P(h | t, (r,y)) = sum over (i,q,x) of S[i->t][q,x | r,y] P(h - 1 | i, (q,x)),
// a product of matrices for each t.
std::vector<std::vector<double>> Heights(const NondeterministicStackSpec& spec,
                                         const StackWfa<double>& wfa,
                                         const std::function<void()>& check) {
  const int pairs = spec.pairs();
  const int steps = wfa.now();
  const int width = steps + 1;
  constexpr int kBlock = 32;
  InitializeBlas();
  // [i + 1][q,x][h]: P(h - 1 | i, (q,x)). The bottom symbol, of row -1, is at height 0.
  std::vector<double> before(static_cast<std::size_t>((steps + 2) * pairs) *
                             static_cast<std::size_t>(width));
  const auto row = [&](int i, int source) {
    return before.data() +
           static_cast<std::size_t>((i + 1) * pairs + source) * static_cast<std::size_t>(width);
  };
  *row(-1, 0) = 1;
  std::vector<double> heights(static_cast<std::size_t>(pairs) * static_cast<std::size_t>(width));
  std::vector<std::vector<double>> result;
  for (int t = 0; t <= steps; ++t) {
    check();
    const WfaColumn<double>& column = wfa.column(t);
    std::fill(heights.begin(), heights.end(), 0.0);
    if (t == 0) {
      heights[0] = 1;
    } else {
      // After i steps a stack is not higher than i: a block of rows needs only so many heights.
      for (int begin = column.low; begin < t; begin += kBlock) {
        const int end = std::min(begin + kBlock, t);
        AddProducts<double>(pairs, (end - begin) * pairs, end + 1,
                            {column.shares + (begin - column.low) * pairs, column.stride},
                            row(begin, 0), {heights.data(), width}, Product::kAdd, width);
      }
    }
    std::vector<double> sum(static_cast<std::size_t>(t) + 1);
    for (int target = 0; target < pairs; ++target) {
      const double* own = heights.data() + static_cast<std::ptrdiff_t>(target) * width;
      for (int h = 0; h <= t; ++h) {
        sum[static_cast<std::size_t>(h)] += column.alpha[target] * own[h];
      }
      if (t < steps) std::copy_n(own, t + 1, row(t, target) + 1);
    }
    result.push_back(std::move(sum));
  }
  return result;
}

}  // namespace

RunMarginals ComputeMarginals(const NondeterministicStackSpec& spec, StackWfa<double>& wfa,
                              const std::function<void()>& check) {
  RunMarginals marginals = {.steps = wfa.now(),
                            .transitions = TransitionProbabilities(spec, wfa, check),
                            .heights = Heights(spec, wfa, check),
                            .pushed_in = PushTimes(spec, wfa)};
  for (const std::vector<double>& heights : marginals.heights) {
    double mean = 0;
    for (std::size_t h = 0; h < heights.size(); ++h) mean += static_cast<double>(h) * heights[h];
    marginals.expected_heights.push_back(mean);
  }
  // A push makes a stack higher by one, and a pop lower.
  const int pairs = spec.pairs();
  const double* transitions = marginals.transitions.data();
  double height = 0;
  marginals.expected_heights_given_all.push_back(height);
  for (int t = 1; t <= marginals.steps; ++t) {
    for (int source = 0; source < pairs; ++source, transitions += spec.logits_per_pair()) {
      for (int target = 0; target < pairs; ++target) height += transitions[target];
      for (int r = 0; r < spec.states; ++r) height -= transitions[2 * pairs + r];
    }
    marginals.expected_heights_given_all.push_back(height);
  }
  return marginals;
}

}  // namespace pushdown
