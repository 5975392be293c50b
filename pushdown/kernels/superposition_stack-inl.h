// One step of a superposition stack, forward and backward, compiled once for each SIMD target.

#if defined(PUSHDOWN_KERNELS_SUPERPOSITION_STACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PUSHDOWN_KERNELS_SUPERPOSITION_STACK_INL_H_
#undef PUSHDOWN_KERNELS_SUPERPOSITION_STACK_INL_H_
#else
#define PUSHDOWN_KERNELS_SUPERPOSITION_STACK_INL_H_
#endif

#include <hwy/highway.h>

#include "pushdown/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

// out[j] = a[0] * in[j] + a[1] * in[j + size] + a[2] * in[j + 2 * size] for j < length, where `in`
// is the pushed vector followed by the old stack and zeros. Writes zeros to the end of the vector.
template <typename T>
HWY_NOINLINE void Superpose(const T* HWY_RESTRICT in, int size, const T* actions, int length,
                            T* HWY_RESTRICT out) {
  const RowTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto push = hn::Set(d, actions[0]);
  const auto keep = hn::Set(d, actions[1]);
  const auto pop = hn::Set(d, actions[2]);
  for (int j = 0; j < length; j += lanes) {
    auto sum = hn::Mul(push, hn::LoadU(d, in + j));
    sum = hn::MulAdd(keep, hn::LoadU(d, in + j + size), sum);
    sum = hn::MulAdd(pop, hn::LoadU(d, in + j + 2 * size), sum);
    if (length - j < lanes) {
      sum = hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(length - j)), sum);
    }
    hn::StoreU(sum, d, out + j);
  }
}

// The derivatives of Superpose by its actions; those by `in` are again a superposition, of the
// derivatives by `out` shifted the other way.
template <typename T>
HWY_NOINLINE void SuperposeActionGradient(const T* HWY_RESTRICT in, int size,
                                          const T* HWY_RESTRICT out_gradient, int length,
                                          T* action_gradient) {
  const RowTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  auto push = hn::Zero(d);
  auto keep = hn::Zero(d);
  auto pop = hn::Zero(d);
  for (int j = 0; j < length; j += lanes) {
    const auto gradient = hn::LoadU(d, out_gradient + j);  // zero beyond length
    push = hn::MulAdd(gradient, hn::LoadU(d, in + j), push);
    keep = hn::MulAdd(gradient, hn::LoadU(d, in + j + size), keep);
    pop = hn::MulAdd(gradient, hn::LoadU(d, in + j + 2 * size), pop);
  }
  action_gradient[0] = hn::GetLane(hn::SumOfLanes(d, push));
  action_gradient[1] = hn::GetLane(hn::SumOfLanes(d, keep));
  action_gradient[2] = hn::GetLane(hn::SumOfLanes(d, pop));
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
