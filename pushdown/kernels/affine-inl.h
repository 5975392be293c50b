// The product of a vector and a matrix, and its gradient by the vector, compiled once for each SIMD
// target.

#if defined(PUSHDOWN_KERNELS_AFFINE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PUSHDOWN_KERNELS_AFFINE_INL_H_
#undef PUSHDOWN_KERNELS_AFFINE_INL_H_
#else
#define PUSHDOWN_KERNELS_AFFINE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "pushdown/kernels/affine.h"
#include "pushdown/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

// kVectors vectors of columns from `begin` on. There are several sums for each column, of every
// kChains-th row, since a multiply-add takes longer than the next one has to wait.
template <int kVectors, typename T>
HWY_INLINE void AffineColumns(const AffineMatrix<T>& matrix, const T* HWY_RESTRICT in,
                              const T* HWY_RESTRICT initial, int begin, T* HWY_RESTRICT out) {
  const RowTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int kChains = kVectors <= 2 ? 4 : 2;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V sums[kChains][kVectors];
  for (int v = 0; v < kVectors; ++v) {
    sums[0][v] = initial != nullptr ? hn::LoadU(d, initial + begin + v * lanes) : hn::Zero(d);
    for (int chain = 1; chain < kChains; ++chain) sums[chain][v] = hn::Zero(d);
  }
  const int rows = matrix.rows();
  const int stride = matrix.stride();
  const T* HWY_RESTRICT values = matrix.row(0) + begin;
  const auto add_row = [&](T factor, V* row_sums) HWY_ATTR {
    for (int v = 0; v < kVectors; ++v) {
      row_sums[v] = hn::MulAdd(hn::Set(d, factor), hn::Load(d, values + v * lanes), row_sums[v]);
    }
    values += stride;
  };
  int row = 0;
  for (; row + kChains <= rows; row += kChains) {
    for (int chain = 0; chain < kChains; ++chain) add_row(in[row + chain], sums[chain]);
  }
  for (; row < rows; ++row) add_row(in[row], sums[0]);
  for (int v = 0; v < kVectors; ++v) {
    V sum = sums[0][v];
    for (int chain = 1; chain < kChains; ++chain) sum = hn::Add(sum, sums[chain][v]);
    hn::StoreU(sum, d, out + begin + v * lanes);
  }
}

// out += in * matrix, for kRows rows from `row` on.
template <int kRows, typename T>
HWY_INLINE void AddAffineRows(const AffineMatrix<T>& matrix, int row, const T* HWY_RESTRICT in,
                              T* HWY_RESTRICT out) {
  const RowTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int stride = matrix.stride();
  const T* HWY_RESTRICT values = matrix.row(row);
  V factors[kRows];
  for (int r = 0; r < kRows; ++r) factors[r] = hn::Set(d, in[row + r]);
  for (int j = 0; j < stride; j += static_cast<int>(hn::Lanes(d))) {
    V sum = hn::LoadU(d, out + j);
    for (int r = 0; r < kRows; ++r) {
      sum = hn::MulAdd(factors[r], hn::Load(d, values + r * stride + j), sum);
    }
    hn::StoreU(sum, d, out + j);
  }
}

// For matrices that leave the cache between steps: memory is read in its order.
template <typename T>
HWY_INLINE void LargeAffine(const AffineMatrix<T>& matrix, const T* in, const T* initial, T* out) {
  for (int j = 0; j < matrix.stride(); ++j) out[j] = initial != nullptr ? initial[j] : T{0};
  constexpr int kRows = 8;
  int row = 0;
  for (; row + kRows <= matrix.rows(); row += kRows) AddAffineRows<kRows>(matrix, row, in, out);
  for (; row < matrix.rows(); ++row) AddAffineRows<1>(matrix, row, in, out);
}

template <typename T>
HWY_INLINE void AffineT(const AffineMatrix<T>& matrix, const T* in, const T* initial, T* out) {
  constexpr std::size_t kCacheBytes = 32768;
  if (static_cast<std::size_t>(matrix.rows()) * matrix.stride() * sizeof(T) > kCacheBytes) {
    return LargeAffine(matrix, in, initial, out);
  }
  const int lanes = static_cast<int>(hn::Lanes(RowTag<T>()));
  int begin = 0;
  for (; begin + 5 * lanes <= matrix.stride(); begin += 5 * lanes) {
    AffineColumns<5>(matrix, in, initial, begin, out);
  }
  switch ((matrix.stride() - begin) / lanes) {
    case 1:
      return AffineColumns<1>(matrix, in, initial, begin, out);
    case 2:
      return AffineColumns<2>(matrix, in, initial, begin, out);
    case 3:
      return AffineColumns<3>(matrix, in, initial, begin, out);
    case 4:
      return AffineColumns<4>(matrix, in, initial, begin, out);
  }
}

template <int kRows, typename T>
HWY_INLINE void AddDotProducts(const T* HWY_RESTRICT rows, int stride, const T* HWY_RESTRICT vector,
                               T* HWY_RESTRICT sums) {
  const RowTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V products[kRows];
  for (V& product : products) product = hn::Zero(d);
  for (int j = 0; j < stride; j += lanes) {
    const V factors = hn::LoadU(d, vector + j);
    for (int r = 0; r < kRows; ++r) {
      const T* row = rows + static_cast<std::ptrdiff_t>(r) * stride;
      products[r] = hn::MulAdd(factors, hn::Load(d, row + j), products[r]);
    }
  }
  for (int r = 0; r < kRows; ++r) sums[r] += hn::GetLane(hn::SumOfLanes(d, products[r]));
}

template <typename T>
HWY_INLINE void AffineBackwardT(const AffineMatrix<T>& matrix, int rows, const T* out_gradient,
                                T* in_gradient) {
  const int stride = matrix.stride();
  constexpr int kRows = 4;
  int row = 0;
  for (; row + kRows <= rows; row += kRows) {
    AddDotProducts<kRows>(matrix.row(row), stride, out_gradient, in_gradient + row);
  }
  for (; row < rows; ++row) {
    AddDotProducts<1>(matrix.row(row), stride, out_gradient, in_gradient + row);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
