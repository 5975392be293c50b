#include "pushdown/kernels/stack_readings.h"

#include <algorithm>
#include <cstdint>

#include "pushdown/kernels/carried_bytes.h"
#include "pushdown/kernels/rows.h"

namespace pushdown {

template <typename T>
void StackReadings<T>::Place(const NondeterministicStackSpec& spec, int max_steps, bool gradients,
                             Arena<T>& arena, Pieces& pieces) {
  const std::int64_t pairs = spec.pairs();
  const std::int64_t size = spec.vector_size;
  pieces.log_alpha_gradient = arena.Take(pairs);
  if (size == 0) return;
  // As many times as a StackWfa has, and at most one row for each.
  const int times = max_steps + std::max(spec.window, 1);
  pieces.vector_stride = RowStride<T>(spec.vector_size);
  pieces.time_stride = RowStride<T>(times);
  pieces.vectors = arena.Take(times * pieces.vector_stride);
  pieces.padded = arena.Take(pairs * pieces.vector_stride);
  if (!gradients) return;
  pieces.vectors_by_time = arena.Take(size * pieces.time_stride);
  pieces.vector_gradients = arena.Take(size * pieces.time_stride);
  pieces.row_gradient = arena.Take(pairs * pieces.time_stride);
  pieces.readings = arena.Take(times * pairs * size);
  pieces.scaled = arena.Take(pairs * size);
}

template <typename T>
StackReadings<T>::StackReadings(const NondeterministicStackSpec& spec, int max_steps,
                                bool gradients)
    : spec_(spec), gradients_(gradients) {
  buffer_ =
      PlaceInArena<T>([&](Arena<T>& arena) { Place(spec, max_steps, gradients, arena, pieces_); });
}

template <typename T>
double StackReadings<T>::EstimateBytes(const NondeterministicStackSpec& spec, int max_steps,
                                       bool gradients) {
  const std::int64_t elements = ArenaSize<T>([&](Arena<T>& arena) {
    Pieces pieces;
    Place(spec, max_steps, gradients, arena, pieces);
  });
  return static_cast<double>(elements) * sizeof(T);
}

template <typename T>
void StackReadings<T>::Write(const StackWfa<T>& stack, const BottomWeights<T>* bottom, T* reading) {
  const int t = stack.now();
  const WfaColumn<T>& column = stack.column(t);
  const int pairs = spec_.pairs();
  const int size = spec_.vector_size;
  if (size == 0) {
    std::copy_n(column.alpha, pairs, reading);
    return;
  }
  const int row_count = t - column.low;
  if (row_count == 0) {  // the old bottom at time 0 is on top, but not in a row
    std::fill_n(reading, spec_.reading_size(), T{0});
    std::copy_n(pieces_.vectors, size, reading);
    return;
  }
  // eta_t[r,y] = alpha[t][r,y] * sum_i (sum_{q,x} S[i->t][q,x | r,y]) * v_{i+1}
  const std::ptrdiff_t stride = pieces_.vector_stride;
  const bool bottom_apart = bottom != nullptr && bottom->Reaches(stack, t);
  const int own = bottom_apart ? 1 : 0;  // the first row that is weighted by `stack`
  CombineRows<T>({pieces_.vectors + (column.low + 1 + own) * stride, stride, row_count - own},
                 {column.attention + own, 1, row_count}, {pieces_.padded, stride, pairs}, size,
                 false);
  for (int pair = 0; pair < pairs; ++pair) {
    const T* sums = pieces_.padded + pair * stride;
    T* out = reading + pair * size;
    for (int j = 0; j < size; ++j) out[j] = column.alpha[pair] * sums[j];
    if (!bottom_apart) continue;
    const T weight = bottom->Weight(stack, t, pair);
    for (int j = 0; j < size; ++j) out[j] += weight * pieces_.vectors[j];
  }
  if (gradients_) {
    std::copy_n(reading, spec_.reading_size(),
                pieces_.readings + std::ptrdiff_t{t} * spec_.reading_size());
  }
}

template <typename T>
void StackReadings<T>::ClearVectorGradients() {
  std::fill_n(pieces_.vector_gradients, spec_.vector_size * pieces_.time_stride, T{0});
}

template <typename T>
void StackReadings<T>::Backward(const StackWfa<T>& stack, BottomWeights<T>* bottom, int t,
                                const T* reading_gradient) {
  const WfaColumn<T>& column = stack.column(t);
  const int pairs = spec_.pairs();
  const int size = spec_.vector_size;
  if (size == 0) {
    T mean = 0;
    for (int pair = 0; pair < pairs; ++pair) mean += reading_gradient[pair] * column.alpha[pair];
    for (int pair = 0; pair < pairs; ++pair) {
      pieces_.log_alpha_gradient[pair] = column.alpha[pair] * (reading_gradient[pair] - mean);
    }
    return;
  }
  const std::ptrdiff_t stride = pieces_.time_stride;
  const int row_count = t - column.low;
  if (row_count == 0) {
    for (int j = 0; j < size; ++j) pieces_.vector_gradients[j * stride] += reading_gradient[j];
    return;
  }
  const T* reading = pieces_.readings + std::ptrdiff_t{t} * spec_.reading_size();
  T mean = 0;
  for (int j = 0; j < spec_.reading_size(); ++j) mean += reading[j] * reading_gradient[j];
  for (int pair = 0; pair < pairs; ++pair) {
    pieces_.log_alpha_gradient[pair] = -column.alpha[pair] * mean;
    for (int j = 0; j < size; ++j) {
      pieces_.scaled[pair * size + j] = column.alpha[pair] * reading_gradient[pair * size + j];
    }
  }
  // What rows, and the vectors v_{i+1} on top of them, receive.
  const T* vectors = pieces_.vectors_by_time + (column.low + 1);
  CombineRows<T>({vectors, stride, size}, {pieces_.scaled, 1, size},
                 {pieces_.row_gradient, stride, pairs}, row_count, false);
  const bool bottom_apart = bottom != nullptr && bottom->Reaches(stack, t);
  const int own = bottom_apart ? 1 : 0;  // as in Write
  T* vector_gradients = pieces_.vector_gradients + (column.low + 1);
  CombineRows<T>({column.attention + own, row_count, pairs}, {pieces_.scaled, size, 1},
                 {vector_gradients + own, stride, size}, row_count - own, true);
  if (!bottom_apart) return;
  for (int pair = 0; pair < pairs; ++pair) {
    const T* gradient = reading_gradient + pair * size;
    const T weight = bottom->Weight(stack, t, pair);
    T product = 0;
    for (int j = 0; j < size; ++j) {
      product += vectors[j * stride] * gradient[j];
      vector_gradients[j * stride] += weight * gradient[j];
    }
    pieces_.row_gradient[pair * stride] = 0;
    bottom->SetShareGradient(pair, bottom->Factor(stack, t, pair) * product);
  }
}

template <typename T>
void StackReadings<T>::CopyVectorGradient(int t, T* gradient) const {
  for (int j = 0; j < spec_.vector_size; ++j) {
    gradient[j] = pieces_.vector_gradients[j * pieces_.time_stride + t];
  }
}

template <typename T>
void StackReadings<T>::Shift(int shift, int newest) {
  if (spec_.vector_size == 0) return;
  const std::ptrdiff_t stride = pieces_.vector_stride;
  std::copy(pieces_.vectors + shift * stride, pieces_.vectors + (newest + 1) * stride,
            pieces_.vectors);
  for (int j = 0; gradients_ && j < spec_.vector_size; ++j) {
    T* row = pieces_.vectors_by_time + j * pieces_.time_stride;
    std::copy(row + shift, row + newest + 1, row);
  }
}

template <typename T>
void StackReadings<T>::AppendVectors(int newest, int count, std::string& bytes) const {
  if (spec_.vector_size == 0) return;
  for (int t = newest - count + 1; t <= newest; ++t) {
    AppendNumbers(pieces_.vectors + t * pieces_.vector_stride,
                  static_cast<std::size_t>(spec_.vector_size), bytes);
  }
}

template <typename T>
void StackReadings<T>::RestoreVectors(int newest, int count, std::string_view bytes) {
  if (spec_.vector_size == 0) return;
  for (int t = newest - count + 1; t <= newest; ++t) {
    TakeNumbers(bytes, pieces_.padded, static_cast<std::size_t>(spec_.vector_size));
    SetVector(t, pieces_.padded);
  }
}

template <typename T>
template <typename U>
void StackReadings<T>::CopyFrom(const StackReadings<U>& other, int newest) {
  if (spec_.vector_size == 0) return;
  const auto& from = other.pieces_;
  for (int t = 0; t <= newest; ++t) {
    std::copy_n(from.vectors + t * from.vector_stride, spec_.vector_size,
                pieces_.vectors + t * pieces_.vector_stride);
  }
  if (!gradients_) return;
  for (int j = 0; j < spec_.vector_size; ++j) {
    std::copy_n(from.vectors_by_time + j * from.time_stride, newest + 1,
                pieces_.vectors_by_time + j * pieces_.time_stride);
  }
  std::copy_n(from.readings, (newest + std::ptrdiff_t{1}) * spec_.reading_size(), pieces_.readings);
}

template class StackReadings<float>;
template class StackReadings<double>;
template void StackReadings<double>::CopyFrom(const StackReadings<float>& other, int newest);

}  // namespace pushdown
