#pragma once

#include <cstddef>

namespace pushdown {

// Kernels work on rows: contiguous arrays with zeros on both sides, so that whole vectors can be
// loaded at their ends. kRowPadding elements (64 bytes, the widest vector) on each side suffice.
template <typename T>
inline constexpr int kRowPadding = static_cast<int>(64 / sizeof(T));

// Elements that a row of `length` takes in a buffer of consecutive rows: its padding on the right
// is the padding on the left of the next row. The first row needs kRowPadding zeros before it.
template <typename T>
constexpr int RowStride(int length) {
  return (length + kRowPadding<T> - 1) / kRowPadding<T> * kRowPadding<T> + kRowPadding<T>;
}

// Covers positions begin <= j < end, with data[j - begin] at j. For a vector's width before `begin`
// there are zeros (needed if begin > 0 only).
template <typename T>
struct Row {
  const T* data;
  int begin;
  int end;
};

// out[r][j] = sum_m coefficients[m * outputs + r] * (row m at j)  for 0 <= j < length, plus what
// out[r][j] was if `accumulate`. Writes zeros up to the end of the last vector. The rows are
// ordered: a later one covers every position that an earlier one covers. A row that ends before
// `length` is followed by zeros for a vector's width.
template <typename T>
void CombineRows(const Row<T>* rows, int row_count, const T* coefficients, T* const* out,
                 int outputs, int length, bool accumulate);

// products[m * vector_count + r] = sum_j (row m at j) * vectors[r][j]: the transpose of
// CombineRows. For a vector's width beyond its end, either the row or the vectors are zero.
template <typename T>
void DotRows(const Row<T>* rows, int row_count, const T* const* vectors, int vector_count,
             T* products);

}  // namespace pushdown
