// The two row operations every stack is made of, compiled once for each SIMD target.

#if defined(PUSHDOWN_KERNELS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PUSHDOWN_KERNELS_ROWS_INL_H_
#undef PUSHDOWN_KERNELS_ROWS_INL_H_
#else
#define PUSHDOWN_KERNELS_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include "pushdown/kernels/rows.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using RowTag = hn::CappedTag<T, kRowPadding<T>>;

// The first row, of rows ordered by coverage, that has an element in [begin, end) of its output.
template <typename T>
HWY_INLINE int FirstTouching(const Row<T>* rows, int row_count, int begin, int end) {
  int low = 0;
  int high = row_count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (rows[middle].begin < end && rows[middle].end > begin) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Outputs [position, position + kVectors * lanes) of kOutputs rows, summed in registers.
template <int kOutputs, int kVectors, typename T>
HWY_INLINE void CombineChunk(const Row<T>* rows, int row_count, const T* coefficients, int stride,
                             T* const* out, int position, int length, bool accumulate) {
  const RowTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int end = position + kVectors * lanes;

  V sums[kOutputs][kVectors];
  for (int r = 0; r < kOutputs; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] = accumulate ? hn::LoadU(d, out[r] + position + v * lanes) : hn::Zero(d);
    }
  }

  const int touching = FirstTouching(rows, row_count, position, end);
  // Rows that reach the first and the last vector of the chunk can be read without looking.
  int complete = FirstTouching(rows, row_count, position, position + lanes);
  const int last = FirstTouching(rows, row_count, end - lanes, end);
  complete = last > complete ? last : complete;

  for (int m = touching; m < complete; ++m) {
    for (int v = 0; v < kVectors; ++v) {
      const int at = position + v * lanes;
      if (rows[m].begin >= at + lanes || rows[m].end <= at) continue;
      const V x = hn::LoadU(d, rows[m].data + (at - rows[m].begin));
      for (int r = 0; r < kOutputs; ++r) {
        sums[r][v] = hn::MulAdd(x, hn::Set(d, coefficients[m * stride + r]), sums[r][v]);
      }
    }
  }
  for (int m = complete; m < row_count; ++m) {
    const T* HWY_RESTRICT data = rows[m].data + (position - rows[m].begin);
    V x[kVectors];
    for (int v = 0; v < kVectors; ++v) x[v] = hn::LoadU(d, data + v * lanes);
    for (int r = 0; r < kOutputs; ++r) {
      const V coefficient = hn::Set(d, coefficients[m * stride + r]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(x[v], coefficient, sums[r][v]);
    }
  }

  for (int v = 0; v < kVectors; ++v) {
    const int at = position + v * lanes;
    const int valid = length - at;
    for (int r = 0; r < kOutputs; ++r) {
      V sum = sums[r][v];
      if (valid < lanes) {
        sum = hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(valid)), sum);
      }
      hn::StoreU(sum, d, out[r] + at);
    }
  }
}

template <int kOutputs, typename T>
HWY_INLINE void CombineTile(const Row<T>* rows, int row_count, const T* coefficients, int stride,
                            T* const* out, int length, bool accumulate) {
  constexpr int kVectors = 4;
  const int lanes = static_cast<int>(hn::Lanes(RowTag<T>()));
  int position = 0;
  for (; position + (kVectors - 1) * lanes < length; position += kVectors * lanes) {
    CombineChunk<kOutputs, kVectors>(rows, row_count, coefficients, stride, out, position, length,
                                     accumulate);
  }
  if (position + 2 * lanes < length) {
    CombineChunk<kOutputs, 3>(rows, row_count, coefficients, stride, out, position, length,
                              accumulate);
  } else if (position + lanes < length) {
    CombineChunk<kOutputs, 2>(rows, row_count, coefficients, stride, out, position, length,
                              accumulate);
  } else if (position < length) {
    CombineChunk<kOutputs, 1>(rows, row_count, coefficients, stride, out, position, length,
                              accumulate);
  }
}

template <typename T>
HWY_NOINLINE void CombineRowsT(const Row<T>* rows, int row_count, const T* coefficients,
                               T* const* out, int outputs, int length, bool accumulate) {
  int r = 0;
  for (; r + 4 <= outputs; r += 4) {
    CombineTile<4>(rows, row_count, coefficients + r, outputs, out + r, length, accumulate);
  }
  switch (outputs - r) {
    case 3:
      return CombineTile<3>(rows, row_count, coefficients + r, outputs, out + r, length,
                            accumulate);
    case 2:
      return CombineTile<2>(rows, row_count, coefficients + r, outputs, out + r, length,
                            accumulate);
    case 1:
      return CombineTile<1>(rows, row_count, coefficients + r, outputs, out + r, length,
                            accumulate);
    default:
      return;
  }
}

template <int kVectorCount, typename T>
HWY_INLINE void DotTile(const Row<T>* rows, int row_count, const T* const* vectors, T* products,
                        int stride) {
  const RowTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int m = 0; m < row_count; ++m) {
    V sums[kVectorCount];
    for (int r = 0; r < kVectorCount; ++r) sums[r] = hn::Zero(d);
    const int begin = rows[m].begin;
    for (int j = 0; j < rows[m].end - begin; j += lanes) {
      const V x = hn::LoadU(d, rows[m].data + j);
      for (int r = 0; r < kVectorCount; ++r) {
        sums[r] = hn::MulAdd(x, hn::LoadU(d, vectors[r] + begin + j), sums[r]);
      }
    }
    for (int r = 0; r < kVectorCount; ++r) {
      products[m * stride + r] = hn::GetLane(hn::SumOfLanes(d, sums[r]));
    }
  }
}

template <typename T>
HWY_NOINLINE void DotRowsT(const Row<T>* rows, int row_count, const T* const* vectors,
                           int vector_count, T* products) {
  int r = 0;
  for (; r + 4 <= vector_count; r += 4) {
    DotTile<4>(rows, row_count, vectors + r, products + r, vector_count);
  }
  switch (vector_count - r) {
    case 3:
      return DotTile<3>(rows, row_count, vectors + r, products + r, vector_count);
    case 2:
      return DotTile<2>(rows, row_count, vectors + r, products + r, vector_count);
    case 1:
      return DotTile<1>(rows, row_count, vectors + r, products + r, vector_count);
    default:
      return;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
