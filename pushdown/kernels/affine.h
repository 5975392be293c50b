#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>

#include "pushdown/kernels/rows.h"
#include "pushdown/kernels/zero_buffer.h"

namespace pushdown {

// The matrix of a product that each time step takes. Its rows are copied to where vectors can be
// loaded without crossing cache lines, which takes half the time, and are followed by zeros up to
// whole vectors. OpenBLAS on the parameters where they are takes longer, from 5 to 256 hidden
// units.
template <typename T>
class AffineMatrix {
 public:
  AffineMatrix() = default;
  AffineMatrix(int rows, int cols)
      : rows_(rows), stride_(Stride(cols)), elements_(ZeroBuffer<T>(Elements(rows, cols))) {}

  // What a row of `cols` elements takes, and what all rows do.
  static constexpr int Stride(int cols) { return RoundUpToVectors<T>(cols); }
  static constexpr std::size_t Elements(int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(Stride(cols));
  }

  // Copies a row-major matrix [rows, cols] to the columns from `begin` on.
  void CopyColumns(const T* from, int cols, int begin) {
    for (int n = 0; n < rows_; ++n) {
      std::copy_n(from + static_cast<std::ptrdiff_t>(n) * cols, cols, row(n) + begin);
    }
  }

  int rows() const { return rows_; }
  int stride() const { return stride_; }
  T* row(int n) { return elements_.get() + static_cast<std::ptrdiff_t>(n) * stride_; }
  const T* row(int n) const { return elements_.get() + static_cast<std::ptrdiff_t>(n) * stride_; }

 private:
  int rows_ = 0;
  int stride_ = 0;
  hwy::AlignedFreeUniquePtr<T[]> elements_;
};

// out[stride] = initial[stride] + in[rows] * matrix; no initial values are zeros. The output is not
// one of the inputs. Elements beyond the columns mean nothing.
template <typename T>
void Affine(const AffineMatrix<T>& matrix, const T* in, const T* initial, T* out);

// in_gradient[rows] += matrix * out_gradient[stride] for the first rows of the matrix, where
// out_gradient is zero beyond the columns.
template <typename T>
void AffineBackward(const AffineMatrix<T>& matrix, int rows, const T* out_gradient, T* in_gradient);

}  // namespace pushdown
