// One column of the stack WFA, compiled once for each SIMD target.

#if defined(PUSHDOWN_KERNELS_WFA_FORWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PUSHDOWN_KERNELS_WFA_FORWARD_INL_H_
#undef PUSHDOWN_KERNELS_WFA_FORWARD_INL_H_
#else
#define PUSHDOWN_KERNELS_WFA_FORWARD_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "pushdown/kernels/wfa_kernels.h"
#include "pushdown/kernels/wfa_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

// Shares below this are as good as zero, and dividing by them could overflow.
template <typename T>
inline constexpr T kTiny = 4 * std::numeric_limits<T>::min();

inline constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// The tables of a step are in double, a vector of targets at a time. Vectors are written whole:
// what is beyond the end of a table, or of a row of it, is overwritten or not used.

using DoubleTag = RowTag<double>;
using DoubleVector = RowVector<double>;
inline constexpr int kDoubleLanes = kLanes<double>;

HWY_INLINE DoubleVector LoadDoubles(const double* values) { return hn::LoadU(DoubleTag(), values); }
HWY_INLINE DoubleVector LoadDoubles(const float* values) {
  return hn::PromoteTo(DoubleTag(), hn::LoadU(hn::Rebind<float, DoubleTag>(), values));
}
HWY_INLINE void StoreDoubles(DoubleVector v, double* values) { hn::StoreU(v, DoubleTag(), values); }
HWY_INLINE void StoreDoubles(DoubleVector v, float* values) {
  const hn::Rebind<float, DoubleTag> d;
  hn::StoreU(hn::DemoteTo(d, v), d, values);
}

// Highway's logarithm is for positive numbers.
HWY_INLINE DoubleVector LogOrMinusInfinity(DoubleVector v) {
  const DoubleTag d;
  return hn::IfThenElse(hn::Gt(v, hn::Zero(d)), hn::Log(d, v), hn::Set(d, kMinusInfinity));
}

// Zero in place of -inf: what is scaled by -inf has no weight, and shall not become NaN.
HWY_INLINE DoubleVector FiniteScale(DoubleVector scale) {
  return hn::IfThenZeroElse(hn::Eq(scale, hn::Set(DoubleTag(), kMinusInfinity)), scale);
}

// values[j] = exp(values[j]) for j < count, and on to the end of the last vector.
template <typename T>
HWY_INLINE void ExpInPlace(T* values, int count) {
  const RowTag<T> d;
  for (int j = 0; j < count; j += kLanes<T>) {
    hn::StoreU(hn::Exp(d, hn::LoadU(d, values + j)), d, values + j);
  }
}

// The rows of column t-1 from i = columns[t].low on.
template <typename T>
HWY_INLINE const T* PreviousShares(const WfaView<T>& view, int t) {
  const WfaColumn<T>& previous = view.columns[t - 1];
  return previous.shares + (view.columns[t].low - previous.low) * view.pairs;
}

// Logarithms of the joint weights alpha[t-1][s,z] * D_t, relative to the largest of D_t, and the
// largest of them by target. In double, because a logit and a log alpha of some hundreds would lose
// the digits that matter in float. False if a logit is NaN or +inf.
template <typename T>
HWY_INLINE bool JointLogWeights(const WfaView<T>& view, int t, const T* HWY_RESTRICT logits) {
  const RowTag<T> d;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const int targets = 2 * view.pairs + view.states;
  const int count = view.pairs * targets;
  std::copy_n(logits, count, view.logits);
  std::fill_n(view.logits + count, kRowPadding<T>, -kInfinity);
  auto valid = hn::FirstN(d, static_cast<size_t>(kLanes<T>));
  auto largest = hn::Set(d, -kInfinity);
  for (int j = 0; j < count; j += kLanes<T>) {
    const auto logit = hn::LoadU(d, view.logits + j);
    valid = hn::And(valid, hn::Lt(logit, hn::Set(d, kInfinity)));
    largest = hn::Max(largest, logit);
  }
  if (!hn::AllTrue(d, valid)) return false;
  view.columns[t].largest_logit = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, largest)));
  const auto scale = FiniteScale(hn::Set(DoubleTag(), view.columns[t].largest_logit));

  for (int target = 0; target < targets; target += kDoubleLanes) {
    auto peak = hn::Set(DoubleTag(), kMinusInfinity);
    for (int source = 0; source < view.pairs; ++source) {
      const auto log_alpha = hn::Set(DoubleTag(), view.columns[t - 1].log_alpha[source]);
      const auto logit = LoadDoubles(view.logits + source * targets + target);
      const auto log_weight = hn::Add(log_alpha, hn::Sub(logit, scale));
      StoreDoubles(log_weight, view.log_weights + source * view.table_stride + target);
      peak = hn::Max(peak, log_weight);
    }
    StoreDoubles(peak, view.peaks + target);
  }
  return true;
}

// What the window leaves of the row (k,u,y) that a pop uncovers, for all k, into view.row.
template <typename T>
HWY_INLINE void KeptRows(const WfaView<T>& view, int t) {
  const int low = view.columns[t].low;
  for (int k = low + 1; k <= t - 2; ++k) {
    const WfaColumn<T>& popped = view.columns[k];
    T* row = view.row + (k - low) * view.pairs;
    if (low == popped.low) {
      std::fill_n(row, view.pairs, T{1});
      continue;
    }
    const T* kept = popped.kept + (low - popped.low) * view.pairs;
    for (int pair = 0; pair < view.pairs; ++pair) {
      row[pair] = kept[pair] < kTiny<T> ? T{0} : kept[pair];
    }
  }
  std::fill_n(view.row + HWY_MAX(1, t - 1 - low) * view.pairs, kRowPadding<T>, T{0});
}

// What pops bring to each (r,y) in total, into pop_sums. What the window does not leave of them
// becomes zero.
template <typename T>
HWY_INLINE void SumPops(const WfaView<T>& view, int t) {
  const RowTag<T> d;
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int length = (t - 1 - column.low) * pairs;
  if (view.window > 0) KeptRows(view, t);
  for (int r = 0; r < view.states; ++r) {
    T* row = column.uncovered + r * column.stride;
    hn::StoreU(hn::Zero(d), d, row + length);
    // The sums over all (k,u), by y: element j is of the symbol j modulo |Gamma|.
    std::fill_n(view.residues, symbols * kDoubleLanes, 0.0);
    double* sums = view.residues;
    for (int j = pairs; j < length; j += kDoubleLanes) {
      auto value = LoadDoubles(row + j);
      if (view.window > 0) {
        const auto kept = LoadDoubles(view.row + j);
        value = hn::IfThenElseZero(hn::Gt(kept, hn::Zero(DoubleTag())), value);
        StoreDoubles(value, row + j);
        value = hn::Mul(value, kept);
      }
      StoreDoubles(hn::Add(LoadDoubles(sums), value), sums);
      sums = sums + kDoubleLanes == view.residues + symbols * kDoubleLanes ? view.residues
                                                                           : sums + kDoubleLanes;
    }
    for (int y = 0; y < symbols; ++y) {
      double sum = 0;
      for (int j = y; j < symbols * kDoubleLanes; j += symbols) sum += view.residues[j];
      view.pop_sums[r * symbols + y] = sum < static_cast<double>(kTiny<T>) ? 0 : sum;
    }
  }
}

// gamma'[k->t][u,y->r] (equation new-rns-rnn-gamma-prime) into `uncovered`, each r at a scale of
// its own, and their sums into pop_sums.
template <typename T>
HWY_INLINE void ForwardPops(const WfaView<T>& view, int t) {
  const int states = view.states;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const WfaColumn<T>& previous = view.columns[t - 1];
  const int length = (t - 1 - column.low) * pairs;

  for (int r = 0; r < states; ++r) {
    const double peak = view.peaks[2 * pairs + r];
    const double scale = peak == kMinusInfinity ? 0 : peak;
    for (int source = 0; source < pairs; ++source) {
      column.pop[source * states + r] =
          static_cast<T>(view.log_weights[source * view.table_stride + 2 * pairs + r] - scale);
    }
  }
  ExpInPlace(column.pop, pairs * states);
  CombineRowsT<T>({PreviousShares(view, t), previous.stride, pairs}, {column.pop, states, 1},
                  {column.uncovered, column.stride, states}, length, false);
  SumPops(view, t);
}

// What replacements keep of the previous column: all, what the window leaves, or, above a bottom
// that cannot be replaced, nothing.
template <typename T>
HWY_INLINE void KeptSources(const WfaView<T>& view, int t) {
  const int pairs = view.pairs;
  const int low = view.columns[t].low;
  const WfaColumn<T>& previous = view.columns[t - 1];
  if (t - 1 > low && low == previous.low) {
    std::fill_n(view.kept_sources, pairs, T{1});
    return;
  }
  std::fill_n(view.peaks + pairs, pairs, kMinusInfinity);
  for (int source = 0; source < pairs; ++source) {
    double* log_replace = view.log_weights + source * view.table_stride + pairs;
    T kept = 0;
    if (t - 1 > low) kept = previous.kept[(low - previous.low) * pairs + source];
    if (kept < kTiny<T>) {
      kept = 0;
      std::fill_n(log_replace, pairs, kMinusInfinity);
    } else {
      const double log_kept = std::log(static_cast<double>(kept));
      for (int target = 0; target < pairs; ++target) {
        view.peaks[pairs + target] =
            HWY_MAX(view.peaks[pairs + target], log_replace[target] + log_kept);
      }
    }
    view.kept_sources[source] = kept;
  }
}

// The scale of each (r,y): the largest of its joint weights, so that a pair that is improbable now,
// but not after the next step, does not underflow. And the factors of what pops bring to it.
template <typename T>
HWY_INLINE void ScaleTargets(const WfaView<T>& view) {
  const int pairs = view.pairs;
  for (int target = 0; target < pairs; target += kDoubleLanes) {
    StoreDoubles(LogOrMinusInfinity(LoadDoubles(view.pop_sums + target)),
                 view.log_pop_totals + target);
  }
  for (int target = 0; target < pairs; ++target) {
    const double log_pop_scale = view.peaks[2 * pairs + target / view.symbols];
    const double scale = HWY_MAX(view.log_pop_totals[target] + log_pop_scale,
                                 HWY_MAX(view.peaks[target], view.peaks[pairs + target]));
    view.scales[target] = scale;
    view.scales[pairs + target] = scale;
    view.pop_factors[target] = view.pop_sums[target] > 0 ? log_pop_scale - scale : kMinusInfinity;
  }
  ExpInPlace(view.pop_factors, pairs);
}

// The total of each (r,y), from those of pushes, replacements and pops, and what follows from it.
template <typename T>
HWY_INLINE void AddTotals(const WfaView<T>& view, int t) {
  const int pairs = view.pairs;
  for (int target = 0; target < pairs; ++target) {
    const double total = view.totals[target] + view.totals[pairs + target] +
                         view.pop_factors[target] * view.pop_sums[target];
    const double inverse = total > 0 ? 1 / total : 0;
    view.totals[target] = total;
    view.inverse_totals[target] = static_cast<T>(inverse);
    view.inverse_totals[pairs + target] = static_cast<T>(inverse);
    view.columns[t].pop_scale[target] = static_cast<T>(view.pop_factors[target] * inverse);
  }
}

// alpha[t] and log_scale from the totals and their scales.
template <typename T>
HWY_INLINE void ForwardAlpha(const WfaView<T>& view, int t) {
  const int pairs = view.pairs;
  WfaColumn<T>& column = view.columns[t];
  double largest = kMinusInfinity;
  for (int target = 0; target < pairs; target += kDoubleLanes) {
    const auto log_total = LogOrMinusInfinity(LoadDoubles(view.totals + target));
    StoreDoubles(hn::Add(LoadDoubles(view.scales + target), log_total), view.log_totals + target);
  }
  for (int target = 0; target < pairs; ++target) {
    largest = HWY_MAX(largest, view.log_totals[target]);
  }
  if (largest == kMinusInfinity) {
    column.log_scale = kMinusInfinity;
    return;
  }
  for (int target = 0; target < pairs; ++target) {
    view.totals[target] = view.log_totals[target] - largest;
  }
  ExpInPlace(view.totals, pairs);
  double sum = 0;
  for (int target = 0; target < pairs; ++target) sum += view.totals[target];
  column.log_scale = largest + std::log(sum);
  for (int target = 0; target < pairs; ++target) {
    column.log_alpha[target] = view.log_totals[target] - column.log_scale;
    column.alpha[target] = static_cast<T>(view.totals[target] / sum);
  }
}

// alpha[t] (equation new-rns-rnn-alpha), and with it the factors of column t: transitions,
// pop_scale and uncovered. The totals are known before the shares because earlier shares sum to
// one.
template <typename T>
HWY_INLINE void ForwardTotals(const WfaView<T>& view, int t) {
  const RowTag<T> d;
  const DoubleTag dd;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  KeptSources(view, t);
  ScaleTargets(view);
  for (int source = 0; source < pairs; ++source) {
    for (int target = 0; target < 2 * pairs; target += kDoubleLanes) {
      const auto log_weight = LoadDoubles(view.log_weights + source * view.table_stride + target);
      const auto scale = FiniteScale(LoadDoubles(view.scales + target));
      StoreDoubles(hn::Sub(log_weight, scale), view.weights + source * 2 * pairs + target);
    }
  }
  ExpInPlace(view.weights, 2 * pairs * pairs);

  for (int target = 0; target < 2 * pairs; target += kDoubleLanes) {
    const auto is_push =
        hn::FirstN(dd, static_cast<size_t>(HWY_MAX(0, HWY_MIN(kDoubleLanes, pairs - target))));
    auto total = hn::Zero(dd);
    for (int source = 0; source < pairs; ++source) {
      const auto kept = hn::Set(dd, static_cast<double>(view.kept_sources[source]));
      const auto factor = hn::IfThenElse(is_push, hn::Set(dd, 1.0), kept);
      total = hn::MulAdd(factor, LoadDoubles(view.weights + source * 2 * pairs + target), total);
    }
    StoreDoubles(total, view.totals + target);
  }
  AddTotals(view, t);
  for (int source = 0; source < pairs; ++source) {
    for (int target = 0; target < 2 * pairs; target += kLanes<T>) {
      const int at = source * 2 * pairs + target;
      hn::StoreU(
          hn::Mul(hn::LoadU(d, view.weights + at), hn::LoadU(d, view.inverse_totals + target)), d,
          column.transitions + at);
    }
  }
  ForwardAlpha(view, t);
}

// row[j] *= scale[j modulo |Gamma|] for j = P .. length - 1, and on to the end of the last vector.
template <typename T>
HWY_INLINE void ScaleBySymbol(const WfaView<T>& view, const T* scale, int length, T* row) {
  const RowTag<T> d;
  for (int j = 0; j < view.symbols + kLanes<T>; ++j) view.period[j] = scale[j % view.symbols];
  const int shift = kLanes<T> % view.symbols;
  int phase = 0;
  for (int j = view.pairs; j < length; j += kLanes<T>) {
    hn::StoreU(hn::Mul(hn::LoadU(d, row + j), hn::LoadU(d, view.period + phase)), d, row + j);
    phase += shift;
    if (phase >= view.symbols) phase -= view.symbols;
  }
}

// sums[i] = the sum of the P elements of row i, for row_count rows one after the other.
template <typename T>
HWY_INLINE void SumPairs(const WfaView<T>& view, const T* rows, int row_count, T* sums) {
  const RowTag<T> d;
  const int pairs = view.pairs;
  constexpr int kFewPairs = 12;
  if (pairs <= kFewPairs) {
    // Sums from every element on, of which every P-th is needed.
    for (int j = 0; j < row_count * pairs; j += kLanes<T>) {
      auto sum = hn::LoadU(d, rows + j);
      for (int pair = 1; pair < pairs; ++pair) sum = hn::Add(sum, hn::LoadU(d, rows + j + pair));
      hn::StoreU(sum, d, view.row + j);
    }
    for (int i = 0; i < row_count; ++i) sums[i] = view.row[i * pairs];
    return;
  }
  const int whole = pairs / kLanes<T> * kLanes<T>;
  const auto rest = hn::FirstN(d, static_cast<size_t>(pairs - whole));
  for (int i = 0; i < row_count; i += 4) {
    RowVector<T> four[4];
    for (int n = 0; n < 4; ++n) {
      const T* row = rows + HWY_MIN(i + n, row_count - 1) * pairs;
      four[n] = hn::IfThenElseZero(rest, hn::LoadU(d, row + whole));
      for (int j = 0; j < whole; j += kLanes<T>) four[n] = hn::Add(four[n], hn::LoadU(d, row + j));
    }
    T four_sums[4];
    StoreSumsOfFour(four, four_sums);
    std::copy_n(four_sums, HWY_MIN(4, row_count - i), sums + i);
  }
}

// Sums a column's shares over (q,x), and these sums over all rows from i on.
template <typename T>
HWY_INLINE void SumShares(const WfaView<T>& view, int t) {
  const WfaColumn<T>& column = view.columns[t];
  const int pairs = view.pairs;
  const int row_count = t - column.low;
  for (int target = 0; target < pairs; ++target) {
    T* sums = column.attention + target * row_count;
    if (column.used[target]) {
      SumPairs(view, column.shares + target * column.stride, row_count, sums);
    } else {
      std::fill_n(sums, row_count, T{0});
    }
  }
  if (column.kept == nullptr) return;
  for (int i = row_count - 1; i >= 0; --i) {
    T* kept = column.kept + i * pairs;
    for (int target = 0; target < pairs; ++target) {
      const T newer = i + 1 < row_count ? kept[pairs + target] : T{0};
      kept[target] = newer + column.attention[target * row_count + i];
    }
  }
}

// Column t of gamma (equation new-rns-rnn-gamma) in shares: pop, replace and push.
template <typename T>
HWY_INLINE void ForwardShares(const WfaView<T>& view, int t) {
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int old_length = (t - 1 - column.low) * pairs;
  for (int r = 0; r < view.states; ++r) {
    ScaleBySymbol(view, column.pop_scale + r * view.symbols, old_length,
                  column.uncovered + r * column.stride);
  }
  CombinePops(view, t);
  CombineRowsT<T>({PreviousShares(view, t), view.columns[t - 1].stride, pairs},
                  {column.transitions + pairs, 2 * pairs, 1}, {column.shares, column.stride, pairs},
                  old_length, true);
  for (int target = 0; target < pairs; ++target) {
    T* pushed = column.shares + target * column.stride + old_length;
    for (int source = 0; source < pairs; ++source) {
      pushed[source] = column.transitions[source * 2 * pairs + target];
    }
    // With a window, a longer column may have stood here before.
    if (view.window > 0) std::fill_n(pushed + pairs, kRowPadding<T>, T{0});
  }
  std::fill_n(column.used, pairs, true);
  if (column.attention != nullptr) SumShares(view, t);
}

// Column t from its logits and the columns before it. columns[t].low is set. Afterwards log_scale
// is -inf if no run survives, and NaN if a logit is NaN or +inf; the column is then not usable.
template <typename T>
HWY_NOINLINE void ForwardColumn(const WfaView<T>& view, int t, const T* logits) {
  if (!JointLogWeights(view, t, logits)) {
    view.columns[t].log_scale = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  ForwardPops(view, t);
  ForwardTotals(view, t);
  if (view.columns[t].log_scale > kMinusInfinity) ForwardShares(view, t);
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
