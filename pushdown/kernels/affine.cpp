#include "pushdown/kernels/affine.h"

#include "pushdown/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/affine.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "pushdown/kernels/affine-inl.h"

#ifndef PUSHDOWN_KERNELS_AFFINE_ONCE
#define PUSHDOWN_KERNELS_AFFINE_ONCE
namespace pushdown {

template <typename T>
struct AffineKernels {
  decltype(&Affine<T>) forward;
  decltype(&AffineBackward<T>) backward;
};

}  // namespace pushdown
#endif

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

template <typename T>
inline constexpr AffineKernels<T> kAffineKernels = {.forward = &AffineT<T>,
                                                    .backward = &AffineBackwardT<T>};

const PerType<AffineKernels>* AffineOfTarget() {
  static constexpr PerType<AffineKernels> kernels = {kAffineKernels<float>, kAffineKernels<double>};
  return &kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {
namespace {

HWY_EXPORT(AffineOfTarget);
const PerType<AffineKernels>* Dispatch() { return HWY_DYNAMIC_DISPATCH(AffineOfTarget)(); }

}  // namespace

template <typename T>
void Affine(const AffineMatrix<T>& matrix, const T* in, const T* initial, T* out) {
  ActiveKernels<Dispatch, T>().forward(matrix, in, initial, out);
}
template <typename T>
void AffineBackward(const AffineMatrix<T>& matrix, int rows, const T* out_gradient,
                    T* in_gradient) {
  ActiveKernels<Dispatch, T>().backward(matrix, rows, out_gradient, in_gradient);
}

template decltype(Affine<float>) Affine<float>;
template decltype(Affine<double>) Affine<double>;
template decltype(AffineBackward<float>) AffineBackward<float>;
template decltype(AffineBackward<double>) AffineBackward<double>;

}  // namespace pushdown
#endif  // HWY_ONCE
