// The backward pass of one column of the stack WFA, compiled once for each SIMD target. The
// functions that it undoes are in wfa_forward-inl.h.

#if defined(PUSHDOWN_KERNELS_WFA_BACKWARD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PUSHDOWN_KERNELS_WFA_BACKWARD_INL_H_
#undef PUSHDOWN_KERNELS_WFA_BACKWARD_INL_H_
#else
#define PUSHDOWN_KERNELS_WFA_BACKWARD_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "pushdown/kernels/wfa_forward-inl.h"
#include "pushdown/kernels/wfa_kernels.h"
#include "pushdown/kernels/wfa_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

// Derivatives by the shares of column t, as far as they come from columns t+1 .. last: from their
// pops, and from the replacements and the gamma' of column t+1. The scales are constants (the
// readings do not depend on them).
template <typename T>
HWY_INLINE void PullShareGradients(const WfaView<T>& view, int t, int last) {
  const int states = view.states;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  PullPops(view, t, last);
  if (t == last || view.columns[t + 1].low >= t) return;
  const WfaColumn<T>& next = view.columns[t + 1];
  const int shift = (next.low - column.low) * pairs;
  const int length = (t - next.low) * pairs;
  const Rows<T> out = {column.gradients + shift, column.stride, pairs};
  CombineRowsT<T>({next.gradients, next.stride, pairs}, {next.transitions + pairs, 1, 2 * pairs},
                  out, length, true);
  CombineRowsT<T>({view.pop_rows, view.pop_row_stride, states}, {next.pop, 1, states}, out, length,
                  true);
}

// alpha[t] = sum of alpha[i] * gamma[i->t]: every share of (r,y) receives the derivative by
// log alpha[t][r,y], and log alpha[i][q,x] receives it times the share. A reading that weighs rows
// differently adds row_gradient to the first.
template <typename T>
HWY_INLINE void AddAlphaGradients(const WfaView<T>& view, int t, const T* log_alpha_gradient,
                                  const T* row_gradient, std::ptrdiff_t row_gradient_stride) {
  const RowTag<T> d;
  const int pairs = view.pairs;
  const WfaColumn<T>& column = view.columns[t];
  const int row_count = t - column.low;
  const int length = row_count * pairs;
  const int whole = length / kLanes<T> * kLanes<T>;
  const auto in_row = hn::FirstN(d, static_cast<size_t>(length - whole));
  const int lane_rows = kLanes<T> / pairs;
  const int lane_phase = kLanes<T> % pairs;
  T* earlier = view.log_alpha_gradients + (column.low + 1) * pairs;
  const T* own = view.log_alpha_gradients + (t + 1) * pairs;
  for (int target = 0; target < pairs; ++target) {
    const T gradient = own[target] + log_alpha_gradient[target];
    const T* shares = column.shares + target * column.stride;
    T* gradients = column.gradients + target * column.stride;
    const auto add = [&](int j, auto value) HWY_ATTR {
      hn::StoreU(hn::Add(hn::LoadU(d, gradients + j), value), d, gradients + j);
      hn::StoreU(hn::MulAdd(value, hn::LoadU(d, shares + j), hn::LoadU(d, earlier + j)), d,
                 earlier + j);
    };
    if (row_gradient == nullptr) {
      const auto value = hn::Set(d, gradient);
      for (int j = 0; j < whole; j += kLanes<T>) add(j, value);
      if (whole < length) add(whole, hn::IfThenElseZero(in_row, value));
    } else {
      // Lane l of the vector at j is of the row (j + l) / P.
      const T* row_gradients = row_gradient + target * row_gradient_stride;
      const auto base = hn::Set(d, gradient);
      int phase = 0;  // j modulo P
      for (int j = 0; j < length; j += kLanes<T>) {
        const auto rows = hn::SetTableIndices(d, view.row_of_lane + phase * kRowPadding<T>);
        auto value = hn::Add(base, hn::TableLookupLanes(hn::LoadU(d, row_gradients), rows));
        if (j == whole) value = hn::IfThenElseZero(in_row, value);
        add(j, value);
        phase += lane_phase;
        row_gradients += lane_rows;
        if (phase >= pairs) {
          phase -= pairs;
          ++row_gradients;
        }
      }
    }
  }
}

// The derivatives by the logits of step t, and by gamma' of step t into pop_rows, from those by
// the shares of column t.
template <typename T>
HWY_INLINE void BackwardLogits(const WfaView<T>& view, int t, T* HWY_RESTRICT logit_gradient) {
  const RowTag<T> d;
  const int states = view.states;
  const int pairs = view.pairs;
  const int per_pair = 2 * pairs + states;
  const WfaColumn<T>& column = view.columns[t];
  const int old_length = (t - 1 - column.low) * pairs;
  const Rows<const T> replaced = {PreviousShares(view, t), view.columns[t - 1].stride, pairs};

  DotPops(view, t);
  for (int r = 0; r < states; ++r) {
    T* row = view.pop_rows + r * view.pop_row_stride;
    ScaleBySymbol(view, column.pop_scale + r * view.symbols, old_length, row);
    // The oldest row of all has nothing below it that a pop could uncover.
    std::fill_n(row, HWY_MIN(pairs, old_length), T{0});
    hn::StoreU(hn::Zero(d), d, row + old_length);
  }
  // Replacements, pushes and pops.
  DotRowsT<T>(replaced, {column.gradients, column.stride, pairs}, old_length,
              {view.products, pairs, 1});
  for (int source = 0; source < pairs; ++source) {
    T* gradients = logit_gradient + source * per_pair;
    const T* transitions = column.transitions + source * 2 * pairs;
    const T* pushed = column.gradients + old_length + source;
    const T* products = view.products + source * pairs;
    for (int target = 0; target < pairs; ++target) {
      gradients[target] = pushed[target * column.stride] * transitions[target];
      gradients[pairs + target] = products[target] * transitions[pairs + target];
    }
  }
  DotRowsT<T>(replaced, {view.pop_rows, view.pop_row_stride, states}, old_length,
              {view.products, states, 1});
  for (int source = 0; source < pairs; ++source) {
    for (int r = 0; r < states; ++r) {
      logit_gradient[source * per_pair + 2 * pairs + r] =
          view.products[source * states + r] * column.pop[source * states + r];
    }
  }
}

// Column t of the backward pass; `last` is the newest column, and all those after t are done.
template <typename T>
HWY_NOINLINE void BackwardColumn(const WfaView<T>& view, int t, int last,
                                 const T* log_alpha_gradient, const T* row_gradient,
                                 std::ptrdiff_t row_gradient_stride, T* logit_gradient) {
  PullShareGradients(view, t, last);
  AddAlphaGradients(view, t, log_alpha_gradient, row_gradient, row_gradient_stride);
  BackwardLogits(view, t, logit_gradient);
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
