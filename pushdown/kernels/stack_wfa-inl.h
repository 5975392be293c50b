// One column of the stack WFA, forward and backward, compiled once for each SIMD target.

#if defined(PUSHDOWN_KERNELS_STACK_WFA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PUSHDOWN_KERNELS_STACK_WFA_INL_H_
#undef PUSHDOWN_KERNELS_STACK_WFA_INL_H_
#else
#define PUSHDOWN_KERNELS_STACK_WFA_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <limits>

#include "pushdown/kernels/rows-inl.h"
#include "pushdown/kernels/stack_wfa.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

// Shares below this are as good as zero, and dividing by them could overflow.
template <typename T>
inline constexpr T kTiny = 4 * std::numeric_limits<T>::min();

// values[j] = exp(values[j]) for j < count, and on to the end of the last vector.
template <typename T>
HWY_INLINE void ExpInPlace(T* values, int count) {
  const RowTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int j = 0; j < count; j += lanes) {
    hn::StoreU(hn::Exp(d, hn::LoadU(d, values + j)), d, values + j);
  }
}

// log(weight / scale) in the kernels' number type; nothing has weight if the scale is zero.
template <typename T>
HWY_INLINE T ScaledLog(double log_weight, double log_scale) {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  return static_cast<T>(log_scale == kMinusInfinity ? kMinusInfinity : log_weight - log_scale);
}

// Pop rows (k,u) that column t combines for each top symbol y, before its replace rows (s,z).
template <typename T>
HWY_INLINE int PopRowCount(const WfaView<T>& view, int t) {
  return HWY_MAX(0, t - 2 - view.columns[t].low) * view.states;
}

// The coefficients that column t has for the top symbol y: [pop (k,u), then replace (s,z)][Q r].
template <typename T>
HWY_INLINE T* Coefficients(const WfaView<T>& view, int t, int y) {
  return view.columns[t].coefficients + y * (PopRowCount(view, t) + view.pairs) * view.states;
}

// Appends all rows (s,z) of column t-1, from i = columns[t].low on.
template <typename T>
HWY_INLINE int AppendPreviousRows(const WfaView<T>& view, int t, int m) {
  const int low = view.columns[t].low;
  const WfaColumn<T>& previous = view.columns[t - 1];
  const T* shares = previous.shares + (low - previous.low) * view.pairs;
  for (int source = 0; source < view.pairs; ++source) {
    view.rows[m++] = {shares + source * previous.stride, 0, (t - 1 - low) * view.pairs};
  }
  return m;
}

// The earlier rows whose combination, with the coefficients of column t for the top symbol y, is
// column t without its pushes: the rows (u,y) of columns low+1 .. t-2 that a pop uncovers, then
// all rows (s,z) of column t-1 that a replacement changes. Returns how many there are.
template <typename T>
HWY_INLINE int SourceRows(const WfaView<T>& view, int t, int y) {
  const int low = view.columns[t].low;
  int m = 0;
  for (int k = low + 1; k <= t - 2; ++k) {
    const WfaColumn<T>& column = view.columns[k];
    const T* shares = column.shares + (low - column.low) * view.pairs;
    for (int u = 0; u < view.states; ++u) {
      view.rows[m++] = {shares + (u * view.symbols + y) * column.stride, 0, (k - low) * view.pairs};
    }
  }
  return AppendPreviousRows(view, t, m);
}

// Logarithms of the joint weights alpha[t-1][s,z] * D_t, relative to the largest of D_t. In double,
// because a logit and a log alpha of some hundreds would lose the digits that matter in float.
// False if a logit is NaN or +inf.
template <typename T>
HWY_INLINE bool JointLogWeights(const WfaView<T>& view, int t, const T* HWY_RESTRICT logits) {
  const int targets = 2 * view.pairs + view.states;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  bool valid = true;
  T largest = -kInfinity;
  for (int j = 0; j < view.pairs * targets; ++j) {
    valid &= logits[j] < kInfinity;
    largest = HWY_MAX(largest, logits[j]);
  }
  if (!valid) return false;
  const double scale = largest == -kInfinity ? 0 : static_cast<double>(largest);
  for (int source = 0; source < view.pairs; ++source) {
    const double log_alpha = view.columns[t - 1].log_alpha[source];
    for (int target = 0; target < targets; ++target) {
      view.log_weights[target * view.pairs + source] =
          log_alpha + (static_cast<double>(logits[source * targets + target]) - scale);
    }
  }
  return true;
}

// gamma'[k->t][u,y->r] (equation new-rns-rnn-gamma-prime) into pop_rows, each r at a scale of its
// own, and what pops bring to each (r,y) in total into pop_sums.
template <typename T>
HWY_INLINE void ForwardPops(const WfaView<T>& view, int t) {
  const int states = view.states;
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int low = column.low;
  const int length = (t - 1 - low) * pairs;

  for (int r = 0; r < states; ++r) {
    const double* log_pop = view.log_weights + (2 * pairs + r) * pairs;
    double scale = log_pop[0];
    for (int source = 1; source < pairs; ++source) scale = HWY_MAX(scale, log_pop[source]);
    view.pop_log_scale[r] = scale;
    for (int source = 0; source < pairs; ++source) {
      view.weights[source * states + r] = ScaledLog<T>(log_pop[source], scale);
    }
  }
  ExpInPlace(view.weights, pairs * states);
  for (int j = 0; j < pairs * states; ++j) column.pop[j] = view.weights[j];

  AppendPreviousRows(view, t, 0);
  for (int r = 0; r < states; ++r) view.outputs[r] = view.pop_rows + r * view.pop_row_stride;
  CombineRowsT(view.rows, pairs, column.pop, view.outputs, states, length, false);

  for (int target = 0; target < pairs; ++target) view.pop_sums[target] = 0;
  for (int k = low + 1; k <= t - 2; ++k) {
    const WfaColumn<T>& uncovered = view.columns[k];
    for (int pair = 0; pair < pairs; ++pair) {
      // An uncovered row counts as far as its own shares are still within the window.
      const T kept = low > uncovered.low
                         ? uncovered.kept[pair * (k - uncovered.low) + (low - uncovered.low)]
                         : T{1};
      const int y = pair % symbols;
      for (int r = 0; r < states; ++r) {
        T* pop = view.outputs[r] + (k - low) * pairs + pair;
        if (kept < kTiny<T>) *pop = 0;
        view.pop_sums[r * symbols + y] += static_cast<double>(*pop) * static_cast<double>(kept);
      }
    }
  }
  for (int target = 0; target < pairs; ++target) {
    if (view.pop_sums[target] < static_cast<double>(kTiny<T>)) view.pop_sums[target] = 0;
  }
}

// alpha[t] (equation new-rns-rnn-alpha), and with it the factors of column t: push, pop_scale and
// coefficients. The totals are known before the shares because earlier shares sum to one.
template <typename T>
HWY_INLINE void ForwardTotals(const WfaView<T>& view, int t) {
  constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
  const int states = view.states;
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const WfaColumn<T>& previous = view.columns[t - 1];
  WfaColumn<T>& column = view.columns[t];
  const int low = column.low;

  // What replacements keep of the previous column: all, what the window leaves, or, above a bottom
  // that cannot be replaced, nothing.
  for (int source = 0; source < pairs; ++source) {
    T kept = t - 1 > low ? 1 : 0;
    if (kept > 0 && low > previous.low) {
      kept = previous.kept[source * (t - 1 - previous.low) + (low - previous.low)];
    }
    view.kept_sources[source] = kept < kTiny<T> ? T{0} : kept;
  }

  // Each (r,y) has a scale of its own, the largest of its joint weights, so that a pair that is
  // improbable now, but not after the next step, does not underflow.
  for (int target = 0; target < pairs; ++target) {
    const double* log_push = view.log_weights + target * pairs;
    const double* log_replace = view.log_weights + (pairs + target) * pairs;
    double scale = kMinusInfinity;
    if (view.pop_sums[target] > 0) {
      scale = view.pop_log_scale[target / symbols] + std::log(view.pop_sums[target]);
    }
    for (int source = 0; source < pairs; ++source) {
      scale = HWY_MAX(scale, log_push[source]);
      const T kept = view.kept_sources[source];
      if (kept > 0) {
        const double log_kept = kept == T{1} ? 0 : std::log(static_cast<double>(kept));
        scale = HWY_MAX(scale, log_replace[source] + log_kept);
      }
    }
    view.log_totals[target] = scale;
    for (int source = 0; source < pairs; ++source) {
      view.weights[target * pairs + source] = ScaledLog<T>(log_push[source], scale);
      view.weights[(pairs + target) * pairs + source] =
          ScaledLog<T>(view.kept_sources[source] > 0 ? log_replace[source] : kMinusInfinity, scale);
    }
  }
  ExpInPlace(view.weights, 2 * pairs * pairs);

  const int pop_rows = PopRowCount(view, t);
  double largest = kMinusInfinity;
  for (int target = 0; target < pairs; ++target) {
    const int r = target / symbols;
    const T* push = view.weights + target * pairs;
    const T* replace = view.weights + (pairs + target) * pairs;
    T* coefficients = Coefficients(view, t, target % symbols);
    double pop_factor = 0;
    if (view.pop_sums[target] > 0) {
      pop_factor = std::exp(view.pop_log_scale[r] - view.log_totals[target]);
    }
    double total = pop_factor * view.pop_sums[target];
    for (int source = 0; source < pairs; ++source) {
      total +=
          static_cast<double>(push[source]) +
          static_cast<double>(replace[source]) * static_cast<double>(view.kept_sources[source]);
    }
    const double inverse = total > 0 ? 1 / total : 0;
    view.log_totals[target] += std::log(total);
    largest = HWY_MAX(largest, view.log_totals[target]);
    column.pop_scale[target] = static_cast<T>(pop_factor * inverse);
    for (int source = 0; source < pairs; ++source) {
      column.push[source * pairs + target] = push[source] * static_cast<T>(inverse);
      coefficients[(pop_rows + source) * states + r] = replace[source] * static_cast<T>(inverse);
    }
  }
  if (largest == kMinusInfinity) {
    column.log_scale = kMinusInfinity;
    return;
  }

  double sum = 0;
  for (int target = 0; target < pairs; ++target) {
    sum += std::exp(view.log_totals[target] - largest);
  }
  column.log_scale = largest + std::log(sum);
  for (int target = 0; target < pairs; ++target) {
    column.log_alpha[target] = view.log_totals[target] - column.log_scale;
    column.alpha[target] = static_cast<T>(std::exp(column.log_alpha[target]));
  }
  for (int y = 0; y < symbols; ++y) {
    T* coefficients = Coefficients(view, t, y);
    for (int k = low + 1; k <= t - 2; ++k) {
      for (int u = 0; u < states; ++u) {
        const T* pop = view.pop_rows + (k - low) * pairs + u * symbols + y;
        for (int r = 0; r < states; ++r) {
          *coefficients++ = pop[r * view.pop_row_stride] * column.pop_scale[r * symbols + y];
        }
      }
    }
  }
}

// Sums a column's shares over (q,x), and these sums over all rows from i on.
template <typename T>
HWY_INLINE void SumShares(const WfaView<T>& view, int t) {
  const WfaColumn<T>& column = view.columns[t];
  const int row_count = t - column.low;
  for (int target = 0; target < view.pairs; ++target) {
    const T* share = column.shares + target * column.stride;
    T* attention = column.attention + target * row_count;
    for (int i = 0; i < row_count; ++i) {
      T sum = 0;
      for (int pair = 0; pair < view.pairs; ++pair) sum += share[i * view.pairs + pair];
      attention[i] = sum;
    }
    if (column.kept == nullptr) continue;
    T* kept = column.kept + target * row_count;
    T sum = 0;
    for (int i = row_count - 1; i >= 0; --i) kept[i] = sum += attention[i];
  }
}

// Column t of gamma (equation new-rns-rnn-gamma) in shares: push, replace and pop.
template <typename T>
HWY_INLINE void ForwardShares(const WfaView<T>& view, int t) {
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int old_length = (t - 1 - column.low) * pairs;
  for (int y = 0; y < view.symbols; ++y) {
    const int row_count = SourceRows(view, t, y);
    for (int r = 0; r < view.states; ++r) {
      view.outputs[r] = column.shares + (r * view.symbols + y) * column.stride;
    }
    CombineRowsT(view.rows, row_count, Coefficients(view, t, y), view.outputs, view.states,
                 old_length, false);
  }
  for (int target = 0; target < pairs; ++target) {
    T* pushed = column.shares + target * column.stride + old_length;
    for (int source = 0; source < pairs; ++source) {
      pushed[source] = column.push[source * pairs + target];
    }
    // A longer column may have stood here before.
    for (int j = 0; j < kRowPadding<T>; ++j) pushed[pairs + j] = 0;
  }
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
  if (view.columns[t].log_scale > -std::numeric_limits<double>::infinity()) {
    ForwardShares(view, t);
  }
}

// Derivatives by the shares of column t, as far as they come from columns t+1 .. last: each later
// column t' has them for the pops that uncover (t,u,y), column t+1 also for its replacements and
// for its gamma'. The scales are constants (the readings do not depend on them).
template <typename T>
HWY_INLINE void PullShareGradients(const WfaView<T>& view, int t, int last) {
  const int states = view.states;
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int length = (t - column.low) * pairs;

  for (int y = 0; y < symbols; ++y) {
    int m = 0;
    const auto append = [&](const T* data, int low) HWY_ATTR {
      const int begin = (low - column.low) * pairs;
      view.rows[m] = {data, begin, length};
      return view.row_coefficients + states * m++;  // [Q u]
    };
    // Latest first, because a window makes later columns cover less.
    for (int later = last; later >= t + 2; --later) {
      const WfaColumn<T>& user = view.columns[later];
      if (user.low >= t) continue;
      const T* pop = Coefficients(view, later, y) + (t - user.low - 1) * states * states;
      for (int r = 0; r < states; ++r) {
        T* coefficients = append(user.gradients + (r * symbols + y) * user.stride, user.low);
        for (int u = 0; u < states; ++u) coefficients[u] = pop[u * states + r];
      }
    }
    if (t < last && view.columns[t + 1].low < t) {
      const WfaColumn<T>& user = view.columns[t + 1];
      for (int r = 0; r < states; ++r) {
        T* coefficients = append(view.pop_rows + r * view.pop_row_stride, user.low);
        for (int u = 0; u < states; ++u) {
          coefficients[u] = user.pop[(u * symbols + y) * states + r];
        }
      }
      for (int target = 0; target < pairs; ++target) {
        const T* replace = Coefficients(view, t + 1, target % symbols) +
                           PopRowCount(view, t + 1) * states + target / symbols;
        T* coefficients = append(user.gradients + target * user.stride, user.low);
        for (int u = 0; u < states; ++u) {
          coefficients[u] = replace[(u * symbols + y) * states];
        }
      }
    }
    for (int u = 0; u < states; ++u) {
      view.outputs[u] = column.gradients + (u * symbols + y) * column.stride;
    }
    CombineRowsT(view.rows, m, view.row_coefficients, view.outputs, states, length, false);
  }
}

// alpha[t] = sum of alpha[i] * gamma[i->t]: every share of (r,y) receives the derivative by
// log alpha[t][r,y], and log alpha[i][q,x] receives it times the share. A reading that weighs rows
// differently adds row_gradient to the first.
template <typename T>
HWY_INLINE void AddAlphaGradients(const WfaView<T>& view, int t, const T* log_alpha_gradient,
                                  const T* row_gradient) {
  const RowTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int row_count = t - column.low;
  const int length = row_count * pairs;
  T* earlier = view.log_alpha_gradients + (column.low + 1) * pairs;
  const T* own = view.log_alpha_gradients + (t + 1) * pairs;
  for (int j = length; j < length + lanes; ++j) view.row[j] = 0;
  for (int target = 0; target < pairs; ++target) {
    const T gradient = own[target] + log_alpha_gradient[target];
    for (int i = 0; i < row_count; ++i) {
      const T value =
          row_gradient == nullptr ? gradient : gradient + row_gradient[target * row_count + i];
      for (int pair = 0; pair < pairs; ++pair) view.row[i * pairs + pair] = value;
    }
    const T* shares = column.shares + target * column.stride;
    T* gradients = column.gradients + target * column.stride;
    for (int j = 0; j < length; j += lanes) {
      const auto value = hn::LoadU(d, view.row + j);
      hn::StoreU(hn::Add(hn::LoadU(d, gradients + j), value), d, gradients + j);
      hn::StoreU(hn::MulAdd(value, hn::LoadU(d, shares + j), hn::LoadU(d, earlier + j)), d,
                 earlier + j);
    }
  }
}

// The derivatives by the logits of step t, and by gamma' of step t into pop_rows, from those by
// the shares of column t.
template <typename T>
HWY_INLINE void BackwardLogits(const WfaView<T>& view, int t, T* HWY_RESTRICT logit_gradient) {
  const int states = view.states;
  const int symbols = view.symbols;
  const int pairs = view.pairs;
  const int per_pair = 2 * pairs + states;
  const WfaColumn<T>& column = view.columns[t];
  const int low = column.low;
  const int old_length = (t - 1 - low) * pairs;
  const int pop_rows = PopRowCount(view, t);

  // The oldest row of all has nothing below it that a pop could uncover.
  for (int r = 0; r < states; ++r) {
    T* pop = view.pop_rows + r * view.pop_row_stride;
    for (int j = 0; j < HWY_MIN(pairs, old_length); ++j) pop[j] = 0;
    for (int j = 0; j < kRowPadding<T>; ++j) pop[old_length + j] = 0;
  }
  for (int y = 0; y < symbols; ++y) {
    const int row_count = SourceRows(view, t, y);
    for (int r = 0; r < states; ++r) {
      view.outputs[r] = column.gradients + (r * symbols + y) * column.stride;
    }
    const T* products = view.row_coefficients;
    DotRowsT(view.rows, row_count, view.outputs, states, view.row_coefficients);
    for (int k = low + 1; k <= t - 2; ++k) {
      for (int u = 0; u < states; ++u) {
        T* pop = view.pop_rows + (k - low) * pairs + u * symbols + y;
        for (int r = 0; r < states; ++r) {
          pop[r * view.pop_row_stride] = *products++ * column.pop_scale[r * symbols + y];
        }
      }
    }
    const T* replace = Coefficients(view, t, y) + pop_rows * states;
    for (int source = 0; source < pairs; ++source) {
      for (int r = 0; r < states; ++r) {
        logit_gradient[source * per_pair + pairs + r * symbols + y] = *products++ * *replace++;
      }
    }
  }
  for (int source = 0; source < pairs; ++source) {
    for (int target = 0; target < pairs; ++target) {
      logit_gradient[source * per_pair + target] =
          column.gradients[target * column.stride + old_length + source] *
          column.push[source * pairs + target];
    }
  }

  AppendPreviousRows(view, t, 0);
  for (int r = 0; r < states; ++r) view.outputs[r] = view.pop_rows + r * view.pop_row_stride;
  DotRowsT(view.rows, pairs, view.outputs, states, view.row_coefficients);
  for (int source = 0; source < pairs; ++source) {
    for (int r = 0; r < states; ++r) {
      logit_gradient[source * per_pair + 2 * pairs + r] =
          view.row_coefficients[source * states + r] * column.pop[source * states + r];
    }
  }
}

// Column t of the backward pass; `last` is the newest column, and all those after t are done.
template <typename T>
HWY_NOINLINE void BackwardColumn(const WfaView<T>& view, int t, int last,
                                 const T* log_alpha_gradient, const T* row_gradient,
                                 T* logit_gradient) {
  PullShareGradients(view, t, last);
  AddAlphaGradients(view, t, log_alpha_gradient, row_gradient);
  BackwardLogits(view, t, logit_gradient);
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
