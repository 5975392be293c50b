#pragma once

#include <hwy/aligned_allocator.h>
#include <hwy/base.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/kernels/rows.h"
#include "pushdown/kernels/stack_spec.h"
#include "pushdown/kernels/wfa_kernels.h"

namespace pushdown {

// Multiply-adds of the pop terms of one pass over a sequence, of three in a training step:
// |Q|^3 |Gamma|^2 for any three times i < k < t.
double PopMultiplyAdds(const NondeterministicStackSpec& spec, int steps);

// The stack WFA of the paper (section 2.2) in shares, for which no inner loop needs logarithms:
// S[i->t][q,x | r,y] is the probability, given that a run is in (r,y) at time t, that its top
// element was pushed at time i+1 on top of (q,x). It knows nothing of readings and vectors.
//
// Times are those of the current chunk: column `now()` is the newest. Nothing is allocated after
// construction.
template <typename T>
class StackWfa {
 public:
  enum class Start {
    kBottom,      // in (q_0, bottom)
    kEverywhere,  // in every (q, x) at once, with weight one each
  };

  // Without a window, max_steps is the length of the longest sequence; with one, of the longest
  // chunk between two calls of Carry.
  StackWfa(const NondeterministicStackSpec& spec, int max_steps, bool gradients);

  void Reset(Start start);
  // Time passes from now() to now() + 1. Throws Error if no run survives.
  void Step(const T* logits);  // [P, 2P + Q]
  // The history becomes a constant for later gradients; with a window, its part that can still
  // be reached is all that is kept. Returns by how much the times of all columns have fallen.
  int Carry();

  // What steps from here on can reach, in bytes; for times between chunks, with now() = boundary().
  void AppendCarried(std::string& bytes) const;
  // Whether a stack between chunks can be at a time, counted from Reset, and has room for it.
  bool CanCarry(std::int64_t time) const;
  // At such a time: the rows of the newest column that the next step reaches.
  int CarriedRows(std::int64_t time) const;
  std::size_t CarriedBytes(std::int64_t time) const;
  // Whether as many bytes can be those of a stack.
  bool AcceptsCarried(std::string_view bytes) const;
  // Instead of Reset and the steps up to a time, if the bytes are accepted.
  void RestoreCarried(std::int64_t time, std::string_view bytes);

  // Takes over the state of a stack of the same specification and max_steps.
  template <typename U>
  void CopyFrom(const StackWfa<U>& other);

  // For t = now(), now() - 1, ... down to boundary() + 1, in this order. Adds to the loss's
  // derivatives by log alpha[t] and by the shares of row i, and gives those by the logits of t.
  void BackwardStep(int t, const T* log_alpha_gradient,  // [P]
                    const T* row_gradient,               // [P][t - low] or null
                    std::ptrdiff_t row_gradient_stride,
                    T* logit_gradient);  // [P, 2P + Q]

  // For benchmarks: the products that take cubic time, of all steps forward and backward. Needs a
  // Reset afterwards.
  void RepeatPops();

  int now() const { return now_; }
  int boundary() const { return boundary_; }  // the newest time that gradients do not reach
  std::int64_t absolute_time(int t) const { return base_ + t; }
  const WfaColumn<T>& column(int t) const { return columns_[t]; }

  // Bytes that an object takes, without constructing it.
  static double EstimateBytes(const NondeterministicStackSpec& spec, int max_steps, bool gradients);

 private:
  template <typename U>
  friend class StackWfa;
  using Buffer = hwy::AlignedFreeUniquePtr<T[]>;

  // The lowest row of column t.
  int Low(int t) const;

  NondeterministicStackSpec spec_;
  int first_ = 0;  // the lowest row of all, which cannot be popped
  int now_ = 0;
  int boundary_ = 0;
  std::int64_t base_ = 0;
  std::vector<WfaColumn<T>> columns_;
  WfaView<T> view_{};
  Buffer buffer_;
  hwy::AlignedFreeUniquePtr<double[]> log_buffer_;
  std::vector<hwy::MakeSigned<T>> row_of_lane_;
  std::vector<WfaEntry> entries_;
  std::unique_ptr<bool[]> used_;  // of all columns
};

extern template class StackWfa<float>;
extern template class StackWfa<double>;

}  // namespace pushdown
