#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "pushdown/kernels/arena.h"
#include "pushdown/kernels/bottom_weights.h"
#include "pushdown/kernels/stack_spec.h"
#include "pushdown/kernels/stack_wfa.h"

namespace pushdown {

// What a stack WFA says about the top of the stack, forward and backward. Without vectors (RNS) a
// reading is alpha. With vectors (VRNS) it is the expected top vector, an attention over the
// vectors of all times, which are kept here. P = pairs, m = vector size.
//
// Times are those of the WFA, which is called `stack`; `bottom` is null unless the bottom vector
// has weights of its own.
template <typename T>
class StackReadings {
 public:
  StackReadings(const NondeterministicStackSpec& spec, int max_steps, bool gradients);

  // The vector that is pushed at time t; the bottom vector at time 0. Not without vectors.
  void SetVector(int t, const T* vector) {  // [m]
    std::copy_n(vector, spec_.vector_size, pieces_.vectors + t * pieces_.vector_stride);
    for (int j = 0; gradients_ && j < spec_.vector_size; ++j) {
      pieces_.vectors_by_time[j * pieces_.time_stride + t] = vector[j];
    }
  }
  // The reading of the newest time.
  void Write(const StackWfa<T>& stack, const BottomWeights<T>* bottom, T* reading);

  // Before the backward steps of a chunk.
  void ClearVectorGradients();
  // The transpose of Write, for time t: adds to the derivatives by vectors, and leaves those by
  // log alpha and by the shares of each row (the bottom's own in `bottom`).
  void Backward(const StackWfa<T>& stack, BottomWeights<T>* bottom, int t,
                const T* reading_gradient);
  const T* log_alpha_gradient() const { return pieces_.log_alpha_gradient; }  // [P]
  const T* row_gradient() const { return pieces_.row_gradient; }              // [P][row]
  std::ptrdiff_t row_gradient_stride() const { return pieces_.time_stride; }
  void CopyVectorGradient(int t, T* gradient) const;  // [m]

  // Times of all vectors up to `newest` fall by `shift`.
  void Shift(int shift, int newest);
  // The vectors of `count` times up to `newest`, as bytes.
  void AppendVectors(int newest, int count, std::string& bytes) const;
  void RestoreVectors(int newest, int count, std::string_view bytes);
  // Takes over the vectors and readings of times up to `newest`.
  template <typename U>
  void CopyFrom(const StackReadings<U>& other, int newest);

  static double EstimateBytes(const NondeterministicStackSpec& spec, int max_steps, bool gradients);

 private:
  template <typename U>
  friend class StackReadings;

  // Of one buffer. Those of gradients are null without them, and most are without vectors.
  struct Pieces {
    std::ptrdiff_t vector_stride = 0;
    std::ptrdiff_t time_stride = 0;
    T* log_alpha_gradient = nullptr;  // [P]
    T* vectors = nullptr;             // [time][m]
    T* padded = nullptr;              // [P][m]: a reading in rows
    T* vectors_by_time = nullptr;     // [m][time]: the same as `vectors`
    T* vector_gradients = nullptr;    // [m][time]
    T* row_gradient = nullptr;        // [P][row]
    T* readings = nullptr;            // [time][reading_size]
    T* scaled = nullptr;              // [P][m]: the derivatives by a reading, times alpha
  };
  static void Place(const NondeterministicStackSpec& spec, int max_steps, bool gradients,
                    Arena<T>& arena, Pieces& pieces);

  NondeterministicStackSpec spec_;
  bool gradients_;
  Pieces pieces_;
  hwy::AlignedFreeUniquePtr<T[]> buffer_;
};

extern template class StackReadings<float>;
extern template class StackReadings<double>;

}  // namespace pushdown
