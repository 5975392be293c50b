// The products of the stack WFA that take cubic time, compiled once for each SIMD target: what pops
// bring to a column of shares, and its two derivatives.

#if defined(PUSHDOWN_KERNELS_WFA_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PUSHDOWN_KERNELS_WFA_PRODUCTS_INL_H_
#undef PUSHDOWN_KERNELS_WFA_PRODUCTS_INL_H_
#else
#define PUSHDOWN_KERNELS_WFA_PRODUCTS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "pushdown/kernels/rows-inl.h"
#include "pushdown/kernels/stack_wfa.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

// Calls body(std::integral_constant<int, N>()) for N = 0 .. kCount - 1.
template <int kCount, class Body>
HWY_INLINE void Unroll(const Body& body) {
  if constexpr (kCount > 0) {
    Unroll<kCount - 1>(body);
    body(std::integral_constant<int, kCount - 1>());
  }
}

// The rows of column t-1 from i = columns[t].low on.
template <typename T>
HWY_INLINE const T* PreviousShares(const WfaView<T>& view, int t) {
  const WfaColumn<T>& previous = view.columns[t - 1];
  return previous.shares + (view.columns[t].low - previous.low) * view.pairs;
}

// The part of column t of gamma (equation new-rns-rnn-gamma) in shares that pops bring: for each
// top symbol y, the rows (u,y) of columns k = low+1 .. t-2, times gamma'[k->t][u,y->r].
template <typename T>
HWY_NOINLINE void CombinePops(const WfaView<T>& view, int t) {
  const int states = view.states;
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int low = column.low;
  const int length = (t - 1 - low) * pairs;
  // The first k whose row has an element at a position. Exact, for positions below 2^32 / P.
  const std::uint64_t reciprocal = (std::uint64_t{1} << 32) / static_cast<std::uint64_t>(pairs) + 1;
  const auto first_column = [&](int position) HWY_ATTR {
    const auto row = static_cast<std::uint64_t>(position) * reciprocal >> 32;
    return HWY_MIN(low + 1 + static_cast<int>(row), t - 1);
  };

  ForOutputTiles(states, [&](auto outputs, int first) HWY_ATTR {
    constexpr int kOutputs = decltype(outputs)::value;
    const T* uncovered = column.uncovered + first * column.uncovered_stride;
    for (int y = 0; y < symbols; ++y)
      ForVectorTiles<kTileVectors<kOutputs>, T>(length, [&](auto vectors, int position) HWY_ATTR {
        constexpr int kVectors = decltype(vectors)::value;
        int first_columns[kVectors + 1];
        for (int v = 0; v < kVectors; ++v) {
          first_columns[v] = first_column(position + v * kLanes<T>);
        }
        first_columns[kVectors] = t - 1;
        {
          Sums<kOutputs, kVectors, T> sums;
          sums.Clear();
          // Later rows are longer: the first ones reach the first vector only.
          Unroll<kVectors>([&](auto v) HWY_ATTR {
            constexpr int kReached = decltype(v)::value + 1;
            for (int k = first_columns[kReached - 1]; k < first_columns[kReached]; ++k) {
              const WfaColumn<T>& popped = view.columns[k];
              const T* row =
                  popped.shares + (low - popped.low) * pairs + y * popped.stride + position;
              const T* factor = uncovered + (k - low) * pairs + y;
              for (int u = 0; u < states; ++u) {
                sums.template Add<0, kReached>(row, factor, column.uncovered_stride);
                row += symbols * popped.stride;
                factor += symbols;
              }
            }
          });
          sums.Store(column.shares + (first * symbols + y) * column.stride + position,
                     std::ptrdiff_t{symbols} * column.stride, length - position);
        }
      });
  });
}

// Derivatives by the shares of column t from the pops of columns t+2 .. last that uncover (t,u,y):
// the derivatives by their shares, times gamma'[t->t'][u,y->r].
template <typename T>
HWY_NOINLINE void PullPops(const WfaView<T>& view, int t, int last) {
  const int states = view.states;
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int length = (t - column.low) * pairs;
  // The newest column with an element at a position: with a window, later columns begin later.
  const auto newest_column = [&](int position) HWY_ATTR {
    if (view.window == 0) return last;
    return HWY_MIN(last, HWY_MIN(t - 1, column.low + position / pairs) + view.window);
  };

  ForOutputTiles(states, [&](auto outputs, int first) HWY_ATTR {
    constexpr int kOutputs = decltype(outputs)::value;
    for (int y = 0; y < symbols; ++y)
      ForVectorTiles<kTileVectors<kOutputs>, T>(length, [&](auto vectors, int position) HWY_ATTR {
        constexpr int kVectors = decltype(vectors)::value;
        int newest[kVectors];
        for (int v = 0; v < kVectors; ++v) {
          newest[v] = newest_column(position + (v + 1) * kLanes<T> - 1);
        }
        {
          Sums<kOutputs, kVectors, T> sums;
          sums.Clear();
          int later = t + 2;
          // The last columns reach the last vector only.
          Unroll<kVectors>([&](auto v) HWY_ATTR {
            constexpr int kFirst = decltype(v)::value;
            for (; later <= newest[kFirst]; ++later) {
              const WfaColumn<T>& user = view.columns[later];
              const int shift = (user.low - column.low) * pairs;
              const T* row = user.gradients + y * user.stride + (position - shift);
              const T* factor = user.uncovered + (t - user.low) * pairs + first * symbols + y;
              for (int r = 0; r < states; ++r) {
                sums.template Add<kFirst>(row, factor, symbols);
                row += symbols * user.stride;
                factor += user.uncovered_stride;
              }
            }
          });
          sums.Store(column.gradients + (first * symbols + y) * column.stride + position,
                     std::ptrdiff_t{symbols} * column.stride, length - position);
        }
      });
  });
}

// Derivatives by gamma'[k->t][u,y->r], into pop_rows: the rows that CombinePops combines, times the
// derivatives by what it makes of them.
template <typename T>
HWY_NOINLINE void DotPops(const WfaView<T>& view, int t) {
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int low = column.low;

  ForOutputTiles(view.states, [&](auto outputs, int first) HWY_ATTR {
    constexpr int kOutputs = decltype(outputs)::value;
    for (int y = 0; y < symbols; ++y) {
      const T* vectors = column.gradients + (first * symbols + y) * column.stride;
      T* products = view.pop_rows + first * view.pop_row_stride + y;
      // The rows of kColumns columns, and kRows of each at a time; shorter ones end in zeros.
      const auto tile = [&](auto columns, auto rows, int k, int u) HWY_ATTR {
        constexpr int kColumns = decltype(columns)::value;
        constexpr int kRowCount = decltype(rows)::value;
        const T* tile_rows[kColumns * kRowCount];
        for (int c = 0; c < kColumns; ++c) {
          const WfaColumn<T>& popped = view.columns[k + c];
          const T* row =
              popped.shares + (low - popped.low) * pairs + (u * symbols + y) * popped.stride;
          for (int m = 0; m < kRowCount; ++m) {
            tile_rows[c * kRowCount + m] = row + m * symbols * popped.stride;
          }
        }
        Products<kColumns * kRowCount, kOutputs, T> values;
        values.Compute(tile_rows, vectors, std::ptrdiff_t{symbols} * column.stride,
                       (k + kColumns - 1 - low) * pairs);
        for (int c = 0; c < kColumns; ++c) {
          for (int m = 0; m < kRowCount; ++m) {
            T* out = products + (k + c - low) * pairs + (u + m) * symbols;
            for (int r = 0; r < kOutputs; ++r) {
              out[r * view.pop_row_stride] = values.at(c * kRowCount + m, r);
            }
          }
        }
      };
      using One = std::integral_constant<int, 1>;
      using Three = std::integral_constant<int, 3>;
      int k = low + 1;
      if constexpr (kOutputs <= 2) {
        constexpr int kColumns = kOutputs == 1 ? 4 : 2;
        if (view.states == kOutputs && view.window == 0 &&
            (kColumns - 1) * pairs <= kRowPadding<T>) {
          for (; k + kColumns <= t - 1; k += kColumns) {
            tile(std::integral_constant<int, kColumns>(), outputs, k, 0);
          }
        }
      }
      for (; k < t - 1; ++k) {
        int u = 0;
        for (; u + 3 <= view.states; u += 3) tile(One(), Three(), k, u);
        for (; u < view.states; ++u) tile(One(), One(), k, u);
      }
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
