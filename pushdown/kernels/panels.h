#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>

#include "pushdown/kernels/rows.h"
#include "pushdown/kernels/zero_buffer.h"

namespace pushdown {

// A matrix for products with a few vectors at a time, over and over: those of a time step of rows
// of text. Its columns are in panels, of three of the widest vectors each, and the rows of a panel
// follow each other in memory. OpenBLAS would arrange the matrix anew for each product, which takes
// as long as the product itself.
template <typename T>
class PanelMatrix {
 public:
  static constexpr int kPanel = 3 * kRowPadding<T>;  // columns

  PanelMatrix() = default;
  PanelMatrix(int rows, int cols)
      : rows_(rows), cols_(cols), elements_(ZeroBuffer<T>(Elements(rows, cols))) {}

  // What it takes.
  static constexpr std::size_t Elements(int rows, int cols) {
    return static_cast<std::size_t>(rows) *
           static_cast<std::size_t>((cols + kPanel - 1) / kPanel * kPanel);
  }

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  // The panel of columns from `col`, a multiple of kPanel, on.
  const T* panel(int col) const {
    return elements_.get() + static_cast<std::ptrdiff_t>(col) * rows_;
  }

  // Copies a row-major matrix [rows, cols] to the columns from `begin` on.
  void CopyColumns(const T* from, int cols, int begin) {
    for (int row = 0; row < rows_; ++row) {
      for (int n = 0; n < cols;) {
        const int col = begin + n;
        const int count = std::min(cols - n, kPanel - col % kPanel);
        std::copy_n(from + n, count, element(row, col));
        n += count;
      }
      from += cols;
    }
  }

  // Copies the transpose of a row-major matrix [columns of this, cols], to the rows from `begin`
  // on.
  void CopyTransposed(const T* from, int cols, int begin) {
    constexpr int kBlock = 16;  // rows whose parts of a panel are still in the cache
    for (int col = 0; col < cols_; col += kBlock) {
      const int end = std::min(col + kBlock, cols_);
      for (int n = 0; n < cols; ++n) {
        for (int c = col; c < end; ++c) {
          *element(begin + n, c) = from[static_cast<std::ptrdiff_t>(c) * cols + n];
        }
      }
    }
  }

 private:
  T* element(int row, int col) {
    const int offset = col % kPanel;
    return elements_.get() + static_cast<std::ptrdiff_t>(col - offset) * rows_ +
           static_cast<std::ptrdiff_t>(row) * kPanel + offset;
  }

  int rows_ = 0;
  int cols_ = 0;
  hwy::AlignedFreeUniquePtr<T[]> elements_;
};

// out[n][cols] = in[n][rows] * matrix for n < count, added to what is there if `accumulate`. Each
// vector's result is the same bit for bit, whichever others there are.
template <typename T>
void MultiplyPanels(const PanelMatrix<T>& matrix, int count, const T* in, std::ptrdiff_t in_stride,
                    T* out, std::ptrdiff_t out_stride, bool accumulate);

}  // namespace pushdown
