#pragma once

#include <hwy/aligned_allocator.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pushdown/kernels/rows.h"
#include "pushdown/kernels/zero_buffer.h"

namespace pushdown {

// Hands out the memory of a model, or only counts it: the code that lays a workspace out is also
// the code that says how large it will be. Sizes are counted in double, since one may ask about
// models that nobody can allocate.
template <typename T>
class Workspace {
 public:
  // Counts; pointers are null.
  Workspace() = default;
  // Hands out pieces of a buffer.
  explicit Workspace(T* buffer) : buffer_(buffer) {}

  // A table of rows, beginning with a whole vector. A vector's width beyond its end may be read and
  // belongs to no other table.
  T* Table(std::int64_t rows, std::ptrdiff_t stride) {
    T* table = counts_only() ? nullptr : buffer_ + static_cast<std::ptrdiff_t>(elements_);
    const double size = static_cast<double>(rows) * static_cast<double>(stride);
    elements_ += (std::ceil(size / kRowPadding<T>) + 1) * kRowPadding<T>;
    return table;
  }
  // What has memory of its own: a matrix, and room in a vector.
  template <typename Matrix>
  void Make(Matrix& matrix, int rows, int cols) {
    apart_ += static_cast<double>(Matrix::Elements(rows, cols)) * sizeof(T);
    if (!counts_only()) matrix = Matrix(rows, cols);
  }
  template <typename V>
  void Reserve(std::vector<V>& vector, std::int64_t size) {
    apart_ += static_cast<double>(size) * sizeof(V);
    if (!counts_only()) vector.reserve(static_cast<std::size_t>(size));
  }

  bool counts_only() const { return buffer_ == nullptr; }
  std::size_t elements() const { return static_cast<std::size_t>(elements_); }  // of the tables
  double bytes() const { return elements_ * sizeof(T) + apart_; }

 private:
  T* buffer_ = nullptr;
  double elements_ = 0;
  double apart_ = 0;
};

// What place(workspace) asks for, in bytes.
template <typename T, typename Place>
double CountBytes(const Place& place) {
  Workspace<T> workspace;
  place(workspace);
  return workspace.bytes();
}

// The tables that place(workspace) asks for, all zero. They are where it has been told.
template <typename T, typename Place>
hwy::AlignedFreeUniquePtr<T[]> MakeTables(const Place& place) {
  Workspace<T> count;
  place(count);
  // Never empty, since the absence of a buffer means to count.
  auto buffer = ZeroBuffer<T>(count.elements() + 1);
  Workspace<T> workspace(buffer.get());
  place(workspace);
  return buffer;
}

}  // namespace pushdown
