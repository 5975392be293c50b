// The kernels of a stack WFA of doubles. Those of each number type are in a file of their own,
// because they take long to compile.

#include "pushdown/kernels/dispatch.h"
#include "pushdown/kernels/wfa_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/wfa_kernels_double.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "pushdown/kernels/wfa_kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

const WfaKernels<double>* DoubleWfaOfTarget() { return &kWfaKernels<double>; }

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {
namespace {

HWY_EXPORT(DoubleWfaOfTarget);
const WfaKernels<double>* Dispatch() { return HWY_DYNAMIC_DISPATCH(DoubleWfaOfTarget)(); }

}  // namespace

template <>
const WfaKernels<double>& ActiveWfaKernels() {
  return ActiveKernels<Dispatch>();
}

}  // namespace pushdown
#endif  // HWY_ONCE
