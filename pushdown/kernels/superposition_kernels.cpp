#include "pushdown/kernels/superposition_kernels.h"

#include "pushdown/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/superposition_kernels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "pushdown/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

template <typename T>
void Superpose(const T* HWY_RESTRICT in, int size, const T* actions, int length,
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

template <typename T>
void SuperposeActionGradient(const T* HWY_RESTRICT in, int size, const T* HWY_RESTRICT out_gradient,
                             int length, T* action_gradient) {
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

template <typename T>
inline constexpr SuperpositionKernels<T> kSuperpositionKernels = {
    .superpose = &Superpose<T>, .action_gradient = &SuperposeActionGradient<T>};

const PerType<SuperpositionKernels>* SuperpositionOfTarget() {
  static constexpr PerType<SuperpositionKernels> kernels = {kSuperpositionKernels<float>,
                                                            kSuperpositionKernels<double>};
  return &kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {
namespace {

HWY_EXPORT(SuperpositionOfTarget);
const PerType<SuperpositionKernels>* Dispatch() {
  return HWY_DYNAMIC_DISPATCH(SuperpositionOfTarget)();
}

}  // namespace

template <typename T>
const SuperpositionKernels<T>& ActiveSuperpositionKernels() {
  return ActiveKernels<Dispatch, T>();
}

template decltype(ActiveSuperpositionKernels<float>) ActiveSuperpositionKernels<float>;
template decltype(ActiveSuperpositionKernels<double>) ActiveSuperpositionKernels<double>;

}  // namespace pushdown
#endif  // HWY_ONCE
