// One column of the stack WFA whose step has few possible transitions, as automata that come from
// grammars have them; compiled once for each SIMD target. What it leaves behind is what
// ForwardColumn would leave, so that steps of both kinds can follow each other, and the backward
// pass need not know.

#if defined(PUSHDOWN_KERNELS_SPARSE_COLUMN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PUSHDOWN_KERNELS_SPARSE_COLUMN_INL_H_
#undef PUSHDOWN_KERNELS_SPARSE_COLUMN_INL_H_
#else
#define PUSHDOWN_KERNELS_SPARSE_COLUMN_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "pushdown/kernels/wfa_forward-inl.h"
#include "pushdown/kernels/wfa_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

// out[j] += coefficient * row[j] for j < length, and on to the end of the last vector, where the
// row is zero.
template <typename T>
HWY_INLINE void AddRow(T coefficient, const T* HWY_RESTRICT row, int length, T* HWY_RESTRICT out) {
  const RowTag<T> d;
  const auto factor = hn::Set(d, coefficient);
  for (int j = 0; j < length; j += kLanes<T>) {
    hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, row + j), hn::LoadU(d, out + j)), d, out + j);
  }
}

// Calls body(index) for each of `count` values that is not `rest`, which most are, until it returns
// false.
template <typename T, class Body>
HWY_INLINE void ForExceptions(const T* values, int count, T rest, const Body& body) {
  const RowTag<T> d;
  const auto some = [&](int begin, int end) HWY_ATTR {
    for (int n = begin; n < end; ++n) {
      if (values[n] != rest && !body(n)) return false;
    }
    return true;
  };
  int n = 0;
  for (; n + kLanes<T> <= count; n += kLanes<T>) {
    if (hn::AllTrue(d, hn::Eq(hn::LoadU(d, values + n), hn::Set(d, rest)))) continue;
    if (!some(n, n + kLanes<T>)) return;
  }
  some(n, count);
}

// Where logits of a step are more than -inf (or NaN), into the targets of view.entries, unless
// these are too many for a sparse step: then -1, after the first few rows at the latest. Otherwise
// how many there are.
template <typename T>
HWY_INLINE int FindEntries(const WfaView<T>& view, const T* logits) {
  const int count = view.pairs * (2 * view.pairs + view.states);
  const int room = count / kSparse;
  int found = 0;
  ForExceptions(logits, count, -std::numeric_limits<T>::infinity(), [&](int n) HWY_ATTR {
    if (found == room) {
      found = -1;
      return false;
    }
    view.entries[found++].target = n;
    return true;
  });
  return found;
}

// From logits to joint weights: what JointLogWeights and KeptSources do. Returns those entries that
// a run can take; false in `valid` if a logit is NaN or +inf.
template <typename T>
HWY_INLINE std::span<const WfaEntry> JointEntries(const WfaView<T>& view, int t, const T* logits,
                                                  int found, bool& valid) {
  const int pairs = view.pairs;
  const int targets = 2 * pairs + view.states;
  WfaColumn<T>& column = view.columns[t];
  column.largest_logit = kMinusInfinity;
  valid = true;
  for (int n = 0; n < found; ++n) {
    const auto logit = static_cast<double>(logits[view.entries[n].target]);
    valid = valid && logit < std::numeric_limits<double>::infinity();
    column.largest_logit = HWY_MAX(column.largest_logit, logit);
  }
  std::fill_n(view.peaks, targets, kMinusInfinity);
  const bool above_bottom = t - 1 > column.low;  // or else nothing can be replaced
  std::size_t count = 0;
  for (int n = 0; n < found; ++n) {
    const int source = view.entries[n].target / targets;
    const int target = view.entries[n].target % targets;
    const auto logit = static_cast<double>(logits[view.entries[n].target]);
    const double log_alpha = view.columns[t - 1].log_alpha[source];
    const bool replaces = target >= pairs && target < 2 * pairs;
    if (log_alpha == kMinusInfinity || (replaces && !above_bottom)) continue;
    const double log_weight = log_alpha + (logit - column.largest_logit);
    view.peaks[target] = HWY_MAX(view.peaks[target], log_weight);
    view.entries[count++] = {source, target, log_weight};
  }
  return {view.entries, count};
}

// ForwardPops.
template <typename T>
HWY_INLINE void SparsePops(const WfaView<T>& view, int t, std::span<const WfaEntry> entries) {
  const int states = view.states;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const WfaColumn<T>& previous = view.columns[t - 1];
  const int length = (t - 1 - column.low) * pairs;
  std::fill_n(column.pop, pairs * states, T{0});
  for (int r = 0; r < states; ++r) {
    std::fill_n(column.uncovered + r * column.stride, length, T{0});
  }
  for (const WfaEntry& entry : entries) {
    const int r = entry.target - 2 * pairs;
    if (r < 0) continue;
    const T weight = static_cast<T>(std::exp(entry.log_weight - view.peaks[entry.target]));
    column.pop[entry.source * states + r] = weight;
    AddRow(weight, PreviousShares(view, t) + entry.source * previous.stride, length,
           column.uncovered + r * column.stride);
  }
  SumPops(view, t);
}

// ForwardTotals.
template <typename T>
HWY_INLINE void SparseTotals(const WfaView<T>& view, int t, std::span<const WfaEntry> entries) {
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  ScaleTargets(view);
  std::fill_n(view.totals, 2 * pairs, 0.0);
  std::fill_n(column.transitions, 2 * pairs * pairs, T{0});
  for (const auto& [source, target, log_weight] : entries) {
    if (target >= 2 * pairs) continue;
    const T weight = static_cast<T>(std::exp(log_weight - view.scales[target]));
    column.transitions[source * 2 * pairs + target] = weight;
    view.totals[target] += static_cast<double>(weight);
  }
  AddTotals(view, t);
  for (const auto& [source, target, log_weight] : entries) {
    if (target >= 2 * pairs) continue;
    column.transitions[source * 2 * pairs + target] *= view.inverse_totals[target];
  }
  ForwardAlpha(view, t);
}

// CombinePops, added to rows of zeros.
template <typename T>
HWY_INLINE void SparseCombinePops(const WfaView<T>& view, int t) {
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int begin = pairs;  // of the oldest column that can be popped
  const int length = (t - 1 - column.low) * pairs;
  for (int r = 0; r < view.states; ++r) {
    const T* uncovered = column.uncovered + r * column.stride + begin;
    ForExceptions(uncovered, length - begin, T{0}, [&](int n) HWY_ATTR {
      const int row = 1 + n / pairs;  // of k, from the oldest on
      const int pair = n % pairs;     // (u,y)
      const WfaColumn<T>& popped = view.columns[column.low + row];
      AddRow(uncovered[n], popped.shares + pair * popped.stride, row * pairs,
             column.shares + (r * symbols + pair % symbols) * column.stride);
      return true;
    });
  }
}

// ForwardShares.
template <typename T>
HWY_INLINE void SparseShares(const WfaView<T>& view, int t, std::span<const WfaEntry> entries) {
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const WfaColumn<T>& previous = view.columns[t - 1];
  const int old_length = (t - 1 - column.low) * pairs;
  for (int target = 0; target < pairs; ++target) {
    // Where zeros already stand, as in most rows, nothing is written: all of them are much memory.
    if (column.used[target]) {
      std::fill_n(column.shares + target * column.stride, old_length + pairs, T{0});
    }
    column.used[target] = column.log_alpha[target] > kMinusInfinity;
  }
  for (int r = 0; r < view.states; ++r) {
    ScaleBySymbol(view, column.pop_scale + r * symbols, old_length,
                  column.uncovered + r * column.stride);
  }
  SparseCombinePops(view, t);
  for (const WfaEntry& entry : entries) {
    if (entry.target >= 2 * pairs) continue;
    const T share = column.transitions[entry.source * 2 * pairs + entry.target];
    if (entry.target < pairs) {
      column.shares[entry.target * column.stride + old_length + entry.source] = share;
    } else {
      AddRow(share, PreviousShares(view, t) + entry.source * previous.stride, old_length,
             column.shares + (entry.target - pairs) * column.stride);
    }
  }
  if (column.attention != nullptr) SumShares(view, t);
}

// ForwardColumn, if the step is sparse; otherwise false, and nothing has happened. What a window
// leaves is for ForwardColumn alone.
template <typename T>
HWY_NOINLINE bool ForwardSparseColumn(const WfaView<T>& view, int t, const T* logits) {
  if (view.window > 0) return false;
  const int found = FindEntries(view, logits);
  if (found < 0) return false;
  WfaColumn<T>& column = view.columns[t];
  bool valid = true;
  const std::span<const WfaEntry> entries = JointEntries(view, t, logits, found, valid);
  if (!valid) {
    column.log_scale = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  SparsePops(view, t, entries);
  SparseTotals(view, t, entries);
  if (column.log_scale > kMinusInfinity) SparseShares(view, t, entries);
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
