#include "pushdown/kernels/affine.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/affine.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "pushdown/kernels/affine-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

void AffineFloat(const AffineMatrix<float>& matrix, const float* in, const float* initial,
                 float* out) {
  AffineT(matrix, in, initial, out);
}
void AffineDouble(const AffineMatrix<double>& matrix, const double* in, const double* initial,
                  double* out) {
  AffineT(matrix, in, initial, out);
}
void AffineBackwardFloat(const AffineMatrix<float>& matrix, int rows, const float* out_gradient,
                         float* in_gradient) {
  AffineBackwardT(matrix, rows, out_gradient, in_gradient);
}
void AffineBackwardDouble(const AffineMatrix<double>& matrix, int rows, const double* out_gradient,
                          double* in_gradient) {
  AffineBackwardT(matrix, rows, out_gradient, in_gradient);
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {

HWY_EXPORT(AffineFloat);
HWY_EXPORT(AffineDouble);
HWY_EXPORT(AffineBackwardFloat);
HWY_EXPORT(AffineBackwardDouble);

template <>
void Affine(const AffineMatrix<float>& matrix, const float* in, const float* initial, float* out) {
  HWY_DYNAMIC_DISPATCH(AffineFloat)(matrix, in, initial, out);
}
template <>
void Affine(const AffineMatrix<double>& matrix, const double* in, const double* initial,
            double* out) {
  HWY_DYNAMIC_DISPATCH(AffineDouble)(matrix, in, initial, out);
}
template <>
void AffineBackward(const AffineMatrix<float>& matrix, int rows, const float* out_gradient,
                    float* in_gradient) {
  HWY_DYNAMIC_DISPATCH(AffineBackwardFloat)(matrix, rows, out_gradient, in_gradient);
}
template <>
void AffineBackward(const AffineMatrix<double>& matrix, int rows, const double* out_gradient,
                    double* in_gradient) {
  HWY_DYNAMIC_DISPATCH(AffineBackwardDouble)(matrix, rows, out_gradient, in_gradient);
}

}  // namespace pushdown
#endif  // HWY_ONCE
