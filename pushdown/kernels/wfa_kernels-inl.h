// All kernels of the stack WFA, compiled once for each SIMD target and number type.

#if defined(PUSHDOWN_KERNELS_WFA_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PUSHDOWN_KERNELS_WFA_KERNELS_INL_H_
#undef PUSHDOWN_KERNELS_WFA_KERNELS_INL_H_
#else
#define PUSHDOWN_KERNELS_WFA_KERNELS_INL_H_
#endif

#include "pushdown/kernels/sparse_column-inl.h"
#include "pushdown/kernels/wfa_backward-inl.h"
#include "pushdown/kernels/wfa_forward-inl.h"
#include "pushdown/kernels/wfa_kernels.h"
#include "pushdown/kernels/wfa_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

template <typename T>
void ForwardAnyColumn(const WfaView<T>& view, int t, const T* logits) {
  if (!ForwardSparseColumn(view, t, logits)) ForwardColumn(view, t, logits);
}

template <typename T>
void RepeatPops(const WfaView<T>& view, int last) {
  for (int t = 1; t <= last; ++t) CombinePops(view, t);
  for (int t = last; t >= 1; --t) {
    PullPops(view, t, last);
    DotPops(view, t);
  }
}

template <typename T>
inline constexpr WfaKernels<T> kWfaKernels = {
    .forward = &ForwardAnyColumn<T>, .backward = &BackwardColumn<T>, .repeat_pops = &RepeatPops<T>};

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
