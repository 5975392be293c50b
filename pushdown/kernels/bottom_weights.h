#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/kernels/stack_spec.h"
#include "pushdown/kernels/stack_wfa.h"

namespace pushdown {

// The weights of the bottom vector in the readings of a stack with InitialVector::kPaperCode. They
// count the runs that start in every configuration, so these runs are simulated by a second WFA,
// beside that of the stack: the stack's own runs are called `stack` here. Readings are relative to
// the total weight of the stack's runs, so the ratio of both totals is kept, as a logarithm.
//
// Times are those of `stack`. With a window, the bottom row is out of reach at some time, and the
// second WFA then stays behind.
template <typename T>
class BottomWeights {
 public:
  BottomWeights(const NondeterministicStackSpec& spec, int max_steps, bool gradients);

  void Start();
  // After the same step of `stack`.
  void Step(const StackWfa<T>& stack, const T* logits);
  void Carry() { everywhere_.Carry(); }

  // Whether the bottom vector has a weight in the reading of time t.
  bool Reaches(const StackWfa<T>& stack, int t) const { return Time(stack, t) >= 0; }
  // The weight at a time that it reaches: the second WFA's share of the bottom row, times a factor.
  T Weight(const StackWfa<T>& stack, int t, int pair) const;
  T Factor(const StackWfa<T>& stack, int t, int pair) const;

  // The derivative by the share of the bottom row, for BackwardStep.
  void SetShareGradient(int pair, T gradient) {
    share_gradient_[pair * gradient_stride_] = gradient;
  }
  // Undoes the step of time t, if the bottom vector has a weight there. Adds to logit_gradient.
  void BackwardStep(const StackWfa<T>& stack, int t, T* logit_gradient);  // [P, 2P + Q]

  // As the functions of StackWfa; between chunks, `time` steps after Start.
  std::size_t CarriedBytes(std::int64_t time) const;
  void AppendCarried(std::int64_t time, std::string& bytes) const;
  bool AcceptsCarried(std::int64_t time, std::string_view bytes) const;
  void RestoreCarried(std::int64_t time, std::string_view bytes);

  static double EstimateBytes(const NondeterministicStackSpec& spec, int max_steps, bool gradients);

 private:
  struct Sizes;

  // Whether the bottom row is in reach `time` steps after Start.
  bool InReach(std::int64_t time) const { return spec_.window == 0 || time < spec_.window; }
  // The time t of `stack` in everywhere_, or -1 if that does not concern the reading any more.
  int Time(const StackWfa<T>& stack, int t) const;

  NondeterministicStackSpec spec_;
  StackWfa<T> everywhere_;
  std::ptrdiff_t gradient_stride_;
  double newest_log_ratio_ = 0;    // log of the total weight of all runs, everywhere_ / stack
  std::vector<double> log_ratio_;  // the same, by time
  hwy::AlignedFreeUniquePtr<T[]> share_gradient_;  // [P][row]
  std::vector<T> log_alpha_gradient_;              // [P]: zeros
  std::vector<T> logit_gradient_;                  // [P, 2P + Q]
};

extern template class BottomWeights<float>;
extern template class BottomWeights<double>;

}  // namespace pushdown
