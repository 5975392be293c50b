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
#include <type_traits>

#include "pushdown/kernels/rows-inl.h"
#include "pushdown/kernels/wfa_kernels.h"

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

// Calls tile(std::integral_constant<int, N>(), states, first) for tiles of N states from `first`
// on, N <= 4. Up to kKnown states are one tile, and `states` is a constant.
template <int kKnown = 4, class Tile>
HWY_INLINE void ForStateTiles(int states, const Tile& tile) {
  if constexpr (!kFewTiles) {
    if (states <= kKnown) {
      return ForOutputTiles(
          states, [&](auto outputs, int first) HWY_ATTR { tile(outputs, outputs, first); });
    }
  }
  ForOutputTiles(states, [&](auto outputs, int first) HWY_ATTR { tile(outputs, states, first); });
}

// The n-th symbol to look at in step t. Every other step goes backwards, because what the step
// before looked at last may still be in the cache.
template <typename T>
HWY_INLINE int AlternatingSymbol(const WfaView<T>& view, int t, int n) {
  return t % 2 == 0 ? n : view.symbols - 1 - n;
}

// The part of column t of gamma (equation new-rns-rnn-gamma) in shares that pops bring: for each
// top symbol y, the rows (u,y) of columns k = low+1 .. t-2, times gamma'[k->t][u,y->r].
template <typename T>
HWY_NOINLINE void CombinePops(const WfaView<T>& view, int t) {
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

  ForStateTiles(view.states, [&](auto outputs, auto states, int first) HWY_ATTR {
    constexpr int kOutputs = decltype(outputs)::value;
    constexpr bool kFewStates = !std::is_same_v<decltype(states), int>;
    const T* uncovered = column.uncovered + first * column.stride;
    const auto combine = [&](auto some_symbols, int y) HWY_ATTR {
      constexpr int kSymbols = decltype(some_symbols)::value;
      constexpr int kMaxVectors = kFewStates ? kTileVectors<kOutputs * kSymbols> : kTileVectors<4>;
      // Called once for each number of vectors, but g++ would not inline them all.
      const auto tile = [&](auto vectors, int position) HWY_ATTR __attribute__((always_inline)) {
        constexpr int kVectors = decltype(vectors)::value;
        int first_columns[kVectors + 1];
        for (int v = 0; v < kVectors; ++v) {
          first_columns[v] = first_column(position + v * kLanes<T>);
        }
        first_columns[kVectors] = t - 1;
        Sums<kOutputs * kSymbols, kVectors, T> sums;
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
              Unroll<kSymbols>([&](auto symbol) HWY_ATTR {
                constexpr int kSymbol = decltype(symbol)::value;
                sums.template Add<0, kReached, kSymbol * kOutputs, kOutputs>(
                    row + kSymbol * popped.stride, factor + kSymbol, column.stride);
              });
              row += symbols * popped.stride;
              factor += symbols;
            }
          }
        });
        Unroll<kSymbols>([&](auto symbol) HWY_ATTR {
          constexpr int kSymbol = decltype(symbol)::value;
          sums.template Store<kSymbol * kOutputs, kOutputs>(
              column.shares + (first * symbols + y + kSymbol) * column.stride + position,
              std::ptrdiff_t{symbols} * column.stride, length - position);
        });
      };
      ForVectorTiles<kMaxVectors, T>(length, tile);
    };
    // A single state leaves registers for several symbols.
    if constexpr (kFewStates && kOutputs == 1) {
      ForOutputTiles(symbols, combine);
    } else {
      for (int n = 0; n < symbols; ++n) {
        combine(std::integral_constant<int, 1>(), AlternatingSymbol(view, t, n));
      }
    }
  });
}

// Derivatives by the shares of column t from the pops of columns from .. to that uncover (t,u,y):
// the derivatives by their shares, times gamma'[t->t'][u,y->r].
template <typename T>
HWY_NOINLINE void PullPopsOfColumn(const WfaView<T>& view, int t, int from, int to,
                                   bool accumulate) {
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int length = (t - column.low) * pairs;
  const std::ptrdiff_t out_stride = std::ptrdiff_t{symbols} * column.stride;
  // The newest column with an element at a position: with a window, later columns begin later.
  const auto newest_column = [&](int position) HWY_ATTR {
    if (view.window == 0) return to;
    return HWY_MIN(to, HWY_MIN(t - 1, column.low + position / pairs) + view.window);
  };

  // Columns that are pulled one by one are few, unless there are many states or a window.
  ForStateTiles<2>(view.states, [&](auto outputs, auto states, int first) HWY_ATTR {
    constexpr int kOutputs = decltype(outputs)::value;
    constexpr int kMaxVectors = HWY_MIN(4, kTileVectors<kOutputs>);
    for (int y = 0; y < symbols; ++y) {
      T* out = column.gradients + (first * symbols + y) * column.stride;
      ForVectorTiles<kMaxVectors, T>(length, [&](auto vectors, int position) HWY_ATTR {
        constexpr int kVectors = decltype(vectors)::value;
        int newest[kVectors];
        for (int v = 0; v < kVectors; ++v) {
          newest[v] = newest_column(position + (v + 1) * kLanes<T> - 1);
        }
        Sums<kOutputs, kVectors, T> sums;
        sums.Clear();
        int later = from;
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
              factor += user.stride;
            }
          }
        });
        if (accumulate) sums.AddStored(out + position, out_stride, length - position);
        sums.Store(out + position, out_stride, length - position);
      });
    }
  });
}

// The same for `blocks` times kColumns columns up to t. Rows are loaded once for the columns of a
// block, whose gamma' are consecutive, and stay in the cache for the next block. With a window, all
// columns must be in the reach of column `to`.
template <int kStates, int kColumns, bool kWindow, typename T>
HWY_NOINLINE void PullPopsOfBlocks(const WfaView<T>& view, int t, int blocks, int from, int to,
                                   bool accumulate) {
  constexpr int kOutputs = kStates * kColumns;
  constexpr int kMaxVectors = kTileVectors<kOutputs>;
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const int low = view.columns[t].low;

  for (int y = 0; y < symbols; ++y) {
    ForVectorTiles<kMaxVectors, T>((t - low) * pairs, [&](auto vectors, int position) HWY_ATTR {
      constexpr int kVectors = decltype(vectors)::value;
      for (int block = 0; block < blocks; ++block) {
        const int oldest = t - (block + 1) * kColumns + 1;
        const WfaColumn<T>* columns = view.columns + oldest;
        if (position >= (oldest + kColumns - 1 - low) * pairs) return;
        Sums<kOutputs, kVectors, T> sums;
        sums.Clear();
        // Adds what column `later` brings to the vectors from `first_vector` on.
        const auto add = [&](auto first_vector, int later) HWY_ATTR {
          constexpr int kFirst = decltype(first_vector)::value;
          const WfaColumn<T>& user = view.columns[later];
          const T* row = user.gradients + y * user.stride + position;
          if constexpr (kWindow) row -= (user.low - low) * pairs;
          const T* factor = user.uncovered + (oldest - (kWindow ? user.low : low)) * pairs + y;
          for (int r = 0; r < kStates; ++r) {
            sums.template Add<kFirst>(row, factor, symbols);
            row += symbols * user.stride;
            factor += user.stride;
          }
        };
        int later = from;
        if constexpr (kWindow) {
          // As in PullPopsOfColumn, the last columns reach the last vector only.
          Unroll<kVectors>([&](auto v) HWY_ATTR {
            const int newest_row = low + (position + (v + 1) * kLanes<T> - 1) / pairs;
            const int newest = HWY_MIN(to, newest_row + view.window);
            for (; later <= newest; ++later) add(v, later);
          });
        } else {
          for (; later <= to; ++later) add(std::integral_constant<int, 0>(), later);
        }
        Unroll<kColumns>([&](auto n) HWY_ATTR {
          constexpr int kOutput = decltype(n)::value * kStates;
          const WfaColumn<T>& column = columns[n];
          T* out = column.gradients + y * column.stride + position;
          if constexpr (kWindow) out += (low - column.low) * pairs;
          const std::ptrdiff_t stride = std::ptrdiff_t{symbols} * column.stride;
          const int valid = (oldest + n - low) * pairs - position;
          if (accumulate) sums.template AddStored<kOutput, kStates>(out, stride, valid);
          sums.template Store<kOutput, kStates>(out, stride, valid);
        });
      }
    });
  }
  // With a window, older columns have older rows, which columns from t+2 on do not reach.
  for (int older = t - blocks * kColumns + 1; kWindow && older < t && !accumulate; ++older) {
    const WfaColumn<T>& column = view.columns[older];
    const int length = (HWY_MIN(low, older) - column.low) * pairs;
    for (int pair = 0; pair < pairs; ++pair) {
      std::fill_n(column.gradients + pair * column.stride, length, T{0});
    }
  }
}

// How many columns are pulled at once: as many as make use of the registers. 0: one by one.
constexpr int PulledColumns(int states) {
  if (states == 1) return 4;
  if (states <= 3) return 2;
  return states == 4 ? 1 : 0;
}

// And how many blocks of them, if the gradients are more than a level of cache holds.
template <typename T>
HWY_INLINE int PulledBlocks(const WfaView<T>& view, int last) {
  constexpr double kCacheBytes = 1 << 20;
  constexpr int kManyColumns = 16;
  const double columns = last - view.boundary;
  const double bytes = 0.5 * columns * columns * view.pairs * view.pairs * sizeof(T);
  return bytes > kCacheBytes ? kManyColumns / PulledColumns(view.states) : 1;
}

// Derivatives by the shares of column t from the pops of columns t+2 .. last. Called for t = last,
// last-1, ...: the newest column of some blocks pulls for all of them what comes from later ones,
// the newest of a block what comes from the other blocks, and each what comes from its own block.
template <typename T>
HWY_INLINE void PullPops(const WfaView<T>& view, int t, int last) {
  const bool all_in_reach = view.window == 0 || last - view.boundary <= view.window;
  const int columns = all_in_reach ? PulledColumns(view.states) : 0;
  if (columns == 0) return PullPopsOfColumn(view, t, t + 2, last, false);
  int blocks = PulledBlocks(view, last);
  int newest_of_all = t + (last - t) % (blocks * columns);
  const int newest = t + (last - t) % columns;
  if (newest_of_all - view.boundary < blocks * columns) {  // there are not as many
    blocks = 1;
    newest_of_all = newest;
  }
  if (newest - view.boundary < columns) return PullPopsOfColumn(view, t, t + 2, last, false);
  if (t < newest) return PullPopsOfColumn(view, t, t + 2, HWY_MIN(last, newest + 1), true);
  const bool others_done = t < newest_of_all;
  const int to = others_done ? HWY_MIN(last, newest_of_all + 1) : last;
  if (others_done) blocks = 1;
  const auto pull = [&](auto states) HWY_ATTR {
    constexpr int kStates = decltype(states)::value;
    constexpr int kColumns = PulledColumns(kStates);
    if (view.window == 0) {
      PullPopsOfBlocks<kStates, kColumns, false>(view, t, blocks, t + 2, to, others_done);
    } else {
      PullPopsOfBlocks<kStates, kColumns, true>(view, t, blocks, t + 2, to, others_done);
    }
  };
  ForOutputTiles(view.states, [&](auto states, int) HWY_ATTR { pull(states); });
}

// How many columns DotPops takes at once: as many as make use of the registers.
constexpr int DotColumns(int states) {
  if (states == 1) return 4;
  if (states == 2) return kManyRegisters ? 3 : 2;
  return states == 3 && kManyRegisters ? 2 : 1;
}

// Derivatives by gamma'[k->t][u,y->r], into pop_rows: the rows that CombinePops combines, times the
// derivatives by what it makes of them.
template <typename T>
HWY_NOINLINE void DotPops(const WfaView<T>& view, int t) {
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int low = column.low;

  ForStateTiles(view.states, [&](auto outputs, auto states, int first) HWY_ATTR {
    constexpr int kOutputs = decltype(outputs)::value;
    for (int n = 0; n < symbols; ++n) {
      const int y = AlternatingSymbol(view, t, n);
      const T* vectors = column.gradients + (first * symbols + y) * column.stride;
      T* products = view.pop_rows + first * view.pop_row_stride + y;
      // The rows of kColumns columns, and kRowCount of each at a time; shorter ones end in zeros.
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
      int k = low + 1;
      const auto take = [&](auto columns) HWY_ATTR {
        constexpr int kColumns = decltype(columns)::value;
        // Shorter rows must end in as many zeros.
        if (view.window > 0 || (kColumns - 1) * pairs > kRowPadding<T>) return;
        for (; k + kColumns <= t - 1; k += kColumns) tile(columns, outputs, k, 0);
      };
      if constexpr (!std::is_same_v<decltype(states), int>) {
        take(std::integral_constant<int, DotColumns(kOutputs)>());
        if constexpr (DotColumns(kOutputs) > 2) take(std::integral_constant<int, 2>());
      }
      for (; k < t - 1; ++k) {
        ForOutputTiles(states, [&](auto rows, int u) HWY_ATTR {
          tile(std::integral_constant<int, 1>(), rows, k, u);
        });
      }
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
