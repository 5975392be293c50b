#pragma once

#include <cstddef>

namespace pushdown {

// Kernels work on rows: contiguous arrays with zeros on both sides, so that whole vectors can be
// loaded at their ends. kRowPadding elements (64 bytes, the widest vector) on each side suffice.
template <typename T>
inline constexpr int kRowPadding = static_cast<int>(64 / sizeof(T));

template <typename T>
constexpr int RoundUpToVectors(int length) {
  return (length + kRowPadding<T> - 1) / kRowPadding<T> * kRowPadding<T>;
}

// Elements that a row of `length` takes in a buffer of consecutive rows: its padding on the right
// is the padding on the left of the next row. The first row needs kRowPadding zeros before it.
template <typename T>
constexpr int RowStride(int length) {
  return RoundUpToVectors<T>(length) + kRowPadding<T>;
}

// Rows of equal length, each `stride` elements after the one before.
template <typename T>
struct Rows {
  T* data;
  std::ptrdiff_t stride;
  int count;
};

// A table of coefficients: that of row m and output r is data[m * row_step + r * output_step].
template <typename T>
struct Coefficients {
  T* data;
  std::ptrdiff_t row_step;
  std::ptrdiff_t output_step;
};

// out[r][j] = sum_m coefficient(m, r) * rows[m][j]  for 0 <= j < length, plus what out[r][j] was if
// `accumulate`. Writes zeros up to the end of the last vector.
template <typename T>
void CombineRows(Rows<const T> rows, Coefficients<const T> coefficients, Rows<T> out, int length,
                 bool accumulate);

// products(m, r) = sum_j rows[m][j] * vectors[r][j]  for 0 <= j < length: the transpose of
// CombineRows. From `length` to the end of the last vector, either the rows or the vectors are
// zero.
template <typename T>
void DotRows(Rows<const T> rows, Rows<const T> vectors, int length, Coefficients<T> products);

}  // namespace pushdown
