// The two row operations every stack is made of, compiled once for each SIMD target.

#if defined(PUSHDOWN_KERNELS_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PUSHDOWN_KERNELS_ROWS_INL_H_
#undef PUSHDOWN_KERNELS_ROWS_INL_H_
#else
#define PUSHDOWN_KERNELS_ROWS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <type_traits>

#include "pushdown/kernels/rows.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using RowTag = hn::CappedTag<T, kRowPadding<T>>;
template <typename T>
using RowVector = hn::Vec<RowTag<T>>;
template <typename T>
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(RowTag<T>()));

// AVX-512 has 32 vector registers, and so has NEON; others have 16.
inline constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM;

// Targets that only old CPUs need, and the portable one, have fewer tiles: kernels for them would
// take as long to compile as those that matter.
inline constexpr bool kFewTiles =
    HWY_TARGET == HWY_SCALAR || (HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2);

// A tile of outputs: as many vectors of each as registers hold, beside one row and a coefficient.
// The results do not depend on it.
template <int kOutputs>
inline constexpr int kTileVectors = [] {
  if (kFewTiles) return 2;
  if (kManyRegisters) return kOutputs == 2 ? 6 : kOutputs <= 6 ? 4 : 3;
  return kOutputs <= 2 ? 4 : kOutputs == 3 ? 3 : 2;
}();

// Loads into a register: g++ would rather load again for each use.
template <typename T>
HWY_INLINE RowVector<T> LoadOnce(const T* values) {
  auto v = hn::LoadU(RowTag<T>(), values);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && !defined(__clang__)
  asm("" : "+v"(v.raw));
#endif
  return v;
}

// Calls tile(std::integral_constant<int, N>(), first) for outputs first .. first + N - 1, N <= 4.
template <class Tile>
HWY_INLINE void ForOutputTiles(int outputs, const Tile& tile) {
  int first = 0;
  for (; first + 4 <= outputs; first += 4) tile(std::integral_constant<int, 4>(), first);
  switch (outputs - first) {
    case 3:
      return tile(std::integral_constant<int, 3>(), first);
    case 2:
      return tile(std::integral_constant<int, 2>(), first);
    case 1:
      return tile(std::integral_constant<int, 1>(), first);
    default:
      return;
  }
}

// Calls tile(std::integral_constant<int, N>(), position) for N <= kVectors vectors that end at or
// after `length`.
template <int kVectors, typename T, class Tile>
HWY_INLINE void LastVectorTile(int length, int position, const Tile& tile) {
  if constexpr (kVectors > 0) {
    if (position + (kVectors - 1) * kLanes<T> < length) {
      tile(std::integral_constant<int, kVectors>(), position);
    } else {
      LastVectorTile<kVectors - 1, T>(length, position, tile);
    }
  }
}

// Calls tile(std::integral_constant<int, N>(), position) for N <= kVectors vectors from each
// position on, until `length` is reached.
template <int kVectors, typename T, class Tile>
HWY_INLINE void ForVectorTiles(int length, const Tile& tile) {
  int position = 0;
  for (; position + (kVectors - 1) * kLanes<T> < length; position += kVectors * kLanes<T>) {
    tile(std::integral_constant<int, kVectors>(), position);
  }
  LastVectorTile<kVectors - 1, T>(length, position, tile);
}

// kVectors vectors of kOutputs outputs in registers.
template <int kOutputs, int kVectors, typename T>
struct Sums {
  RowVector<T> sums[kOutputs][kVectors];

  HWY_INLINE void Clear() {
    for (int r = 0; r < kOutputs; ++r) {
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(RowTag<T>());
    }
  }
  // Adds a row, as far as it is in the vectors kFirst .. kEnd - 1, to kCount outputs from kOutput
  // on.
  template <int kFirst = 0, int kEnd = kVectors, int kOutput = 0, int kCount = kOutputs>
  HWY_INLINE void Add(const T* HWY_RESTRICT row, const T* HWY_RESTRICT coefficients,
                      std::ptrdiff_t step) {
    const RowTag<T> d;
    RowVector<T> x[kVectors];
    for (int v = kFirst; v < kEnd; ++v) x[v] = LoadOnce(row + v * kLanes<T>);
    for (int r = 0; r < kCount; ++r) {
      const auto coefficient = hn::Set(d, coefficients[r * step]);
      for (int v = kFirst; v < kEnd; ++v) {
        sums[kOutput + r][v] = hn::MulAdd(x[v], coefficient, sums[kOutput + r][v]);
      }
    }
  }
  // Adds what Store stored.
  template <int kFirst = 0, int kCount = kOutputs>
  HWY_INLINE void AddStored(const T* out, std::ptrdiff_t stride, int valid) {
    for (int v = 0; v < kVectors; ++v) {
      if (v * kLanes<T> >= valid) return;
      for (int r = 0; r < kCount; ++r) {
        sums[kFirst + r][v] =
            hn::Add(sums[kFirst + r][v], hn::LoadU(RowTag<T>(), out + r * stride + v * kLanes<T>));
      }
    }
  }
  // Stores kCount outputs from kFirst on: `valid` elements of each, and zeros to the end of a
  // vector.
  template <int kFirst = 0, int kCount = kOutputs>
  HWY_INLINE void Store(T* out, std::ptrdiff_t stride, int valid) const {
    const RowTag<T> d;
    if (valid >= kVectors * kLanes<T>) {
      for (int r = 0; r < kCount; ++r) {
        for (int v = 0; v < kVectors; ++v) {
          hn::StoreU(sums[kFirst + r][v], d, out + r * stride + v * kLanes<T>);
        }
      }
      return;
    }
    for (int v = 0; v < kVectors; ++v) {
      const int left = valid - v * kLanes<T>;
      if (left <= 0) return;
      const auto mask = hn::FirstN(d, static_cast<size_t>(HWY_MIN(left, kLanes<T>)));
      for (int r = 0; r < kCount; ++r) {
        hn::StoreU(hn::IfThenElseZero(mask, sums[kFirst + r][v]), d,
                   out + r * stride + v * kLanes<T>);
      }
    }
  }
};

template <typename T>
HWY_NOINLINE void CombineRowsT(Rows<const T> rows, Coefficients<const T> coefficients, Rows<T> out,
                               int length, bool accumulate) {
  const auto tile = [&](auto outputs, int first, auto vectors, int position) HWY_ATTR {
    Sums<decltype(outputs)::value, decltype(vectors)::value, T> sums;
    sums.Clear();
    const T* row = rows.data + position;
    const T* coefficient = coefficients.data + first * coefficients.output_step;
    for (int m = 0; m < rows.count; ++m) {
      sums.Add(row, coefficient, coefficients.output_step);
      row += rows.stride;
      coefficient += coefficients.row_step;
    }
    T* tile_out = out.data + first * out.stride + position;
    if (accumulate) sums.AddStored(tile_out, out.stride, length - position);
    sums.Store(tile_out, out.stride, length - position);
  };
  if (out.count > 4) {
    // All tiles of outputs find in the cache what the first of them has read.
    ForVectorTiles<kTileVectors<4>, T>(length, [&](auto vectors, int position) HWY_ATTR {
      ForOutputTiles(out.count, [&](auto outputs, int first)
                                    HWY_ATTR { tile(outputs, first, vectors, position); });
    });
    return;
  }
  ForOutputTiles(out.count, [&](auto outputs, int first) HWY_ATTR {
    ForVectorTiles<kTileVectors<decltype(outputs)::value>, T>(
        length,
        [&](auto vectors, int position) HWY_ATTR { tile(outputs, first, vectors, position); });
  });
}

// The sums of the lanes of four vectors.
template <typename T>
HWY_INLINE void StoreSumsOfFour(const RowVector<T>* four, T* sums) {
  for (int n = 0; n < 4; ++n) sums[n] = hn::GetLane(hn::SumOfLanes(RowTag<T>(), four[n]));
}

#if HWY_TARGET != HWY_SCALAR
// All four at once.
HWY_INLINE void StoreSumsOfFour(const RowVector<float>* four, float* sums) {
  const RowTag<float> d;
  const hn::Repartition<double, RowTag<float>> pairs;
  const auto add_halves = [&](auto a, auto b) HWY_ATTR {  // of each block of four lanes
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  const auto ab = hn::BitCast(pairs, add_halves(four[0], four[1]));
  const auto cd = hn::BitCast(pairs, add_halves(four[2], four[3]));
  const auto blocks = hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, ab, cd)),
                              hn::BitCast(d, hn::InterleaveUpper(pairs, ab, cd)));
  // Each block has its share of the four sums.
  if constexpr (kLanes<float> == 16) {
    const hn::Half<RowTag<float>> half;
    const hn::Half<decltype(half)> quarter;
    const auto two = hn::Add(hn::LowerHalf(half, blocks), hn::UpperHalf(half, blocks));
    hn::StoreU(hn::Add(hn::LowerHalf(quarter, two), hn::UpperHalf(quarter, two)), quarter, sums);
  } else if constexpr (kLanes<float> == 8) {
    const hn::Half<RowTag<float>> half;
    hn::StoreU(hn::Add(hn::LowerHalf(half, blocks), hn::UpperHalf(half, blocks)), half, sums);
  } else {
    hn::StoreU(blocks, d, sums);
  }
}
#endif

// The products of kRowCount rows with kVectors vectors over the same length.
template <int kRowCount, int kVectors, typename T>
struct Products {
  // Room for whole groups of four.
  T values[(kRowCount * kVectors + 3) / 4 * 4];

  T at(int row, int vector) const { return values[row * kVectors + vector]; }

  HWY_INLINE void Compute(const T* const* rows, const T* vectors, std::ptrdiff_t stride,
                          int length) {
    const RowTag<T> d;
    constexpr int kCount = (kRowCount * kVectors + 3) / 4 * 4;
    RowVector<T> sums[kCount];
    for (int n = 0; n < kCount; ++n) sums[n] = hn::Zero(d);
    for (int j = 0; j < length; j += kLanes<T>) {
      RowVector<T> y[kVectors];
      for (int r = 0; r < kVectors; ++r) y[r] = LoadOnce(vectors + r * stride + j);
      for (int m = 0; m < kRowCount; ++m) {
        const auto x = LoadOnce(rows[m] + j);
        for (int r = 0; r < kVectors; ++r) {
          sums[m * kVectors + r] = hn::MulAdd(x, y[r], sums[m * kVectors + r]);
        }
      }
    }
    for (int n = 0; n < kCount; n += 4) StoreSumsOfFour(sums + n, values + n);
  }
};

template <typename T>
HWY_NOINLINE void DotRowsT(Rows<const T> rows, Rows<const T> vectors, int length,
                           Coefficients<T> products) {
  ForOutputTiles(vectors.count, [&](auto outputs, int first) HWY_ATTR {
    constexpr int kVectors = decltype(outputs)::value;
    const T* tile_vectors = vectors.data + first * vectors.stride;
    T* tile_products = products.data + first * products.output_step;
    const auto tile = [&](auto count, int m) HWY_ATTR {
      constexpr int kCount = decltype(count)::value;
      const T* tile_rows[kCount];
      for (int k = 0; k < kCount; ++k) tile_rows[k] = rows.data + (m + k) * rows.stride;
      Products<kCount, kVectors, T> tile_values;
      tile_values.Compute(tile_rows, tile_vectors, vectors.stride, length);
      for (int k = 0; k < kCount; ++k) {
        for (int r = 0; r < kVectors; ++r) {
          tile_products[(m + k) * products.row_step + r * products.output_step] =
              tile_values.at(k, r);
        }
      }
    };
    int m = 0;
    for (; m + 3 <= rows.count; m += 3) tile(std::integral_constant<int, 3>(), m);
    for (; m < rows.count; ++m) tile(std::integral_constant<int, 1>(), m);
  });
}

// Compiled in rows.cpp only, because they take long.
extern template decltype(CombineRowsT<float>) CombineRowsT<float>;
extern template decltype(CombineRowsT<double>) CombineRowsT<double>;
extern template decltype(DotRowsT<float>) DotRowsT<float>;
extern template decltype(DotRowsT<double>) DotRowsT<double>;

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
