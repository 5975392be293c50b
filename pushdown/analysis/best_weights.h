#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "pushdown/analysis/step_logits.h"
#include "pushdown/kernels/stack_spec.h"

namespace pushdown {

// The recurrences of the stack WFA with maxima in place of sums: the log weight of the best of the
// runs that gamma, gamma' and alpha sum over, and -inf if there are none. Rows i and times t are
// those of the paper; row -1 is that of the bottom symbol, if it can be on top again (Bottom).
class BestWeights {
 public:
  // The logits must outlive this. `check` is called before each step, and may throw.
  BestWeights(const NondeterministicStackSpec& spec, const StepLogits& logits,
              const std::function<void()>& check);

  const NondeterministicStackSpec& spec() const { return spec_; }
  const StepLogits& logits() const { return logits_; }
  // The oldest row of column t.
  int low(int t) const { return columns_[static_cast<std::size_t>(t)].low; }

  // alpha[t][r,y]: of all runs that are in (r,y) after t steps.
  double Alpha(int t, int target) const {
    return columns_[static_cast<std::size_t>(t)].alpha[static_cast<std::size_t>(target)];
  }
  // gamma[i->t][q,x -> r,y], low(t) <= i < t.
  double Gamma(int i, int t, int source, int target) const {
    const double* row = Row(t, target);
    return row == nullptr ? kImpossible : row[(i - low(t)) * spec_.pairs() + source];
  }
  // [(i,q,x)] from i = low(t) on, or null if no run is in (r,y) after t steps.
  const double* Row(int t, int target) const {
    return columns_[static_cast<std::size_t>(t)].rows[static_cast<std::size_t>(target)].get();
  }
  // gamma'[k->t][u,y -> r], low(t) < k < t - 1.
  double Popped(int k, int t, int source, int state) const {
    const Column& column = columns_[static_cast<std::size_t>(t)];
    return column.popped[static_cast<std::size_t>(state * column.popped_stride +
                                                  (k - column.low) * spec_.pairs() + source)];
  }

  static constexpr double kImpossible = -std::numeric_limits<double>::infinity();

  static double EstimateBytes(const NondeterministicStackSpec& spec, int steps);

 private:
  struct Column {
    int low = 0;
    std::vector<double> alpha;                    // [P]
    std::vector<std::unique_ptr<double[]>> rows;  // [P] rows, null if nothing reaches the pair
    int popped_stride = 0;
    std::vector<double> popped;  // [Q][(k,u,y)], k from `low` on
  };
  struct Products;

  void Start();
  void Advance(int t, Products& products);
  void AdvancePopped(int t, Products& products);
  void AdvanceSymbol(int t, int symbol, Products& products);

  NondeterministicStackSpec spec_;
  StepLogits logits_;
  std::vector<Column> columns_;  // by time
};

}  // namespace pushdown
