#include "pushdown/kernels/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/rows.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "pushdown/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

void CombineRowsFloat(Rows<const float> rows, Coefficients<const float> coefficients,
                      Rows<float> out, int length, bool accumulate) {
  CombineRowsT(rows, coefficients, out, length, accumulate);
}
void CombineRowsDouble(Rows<const double> rows, Coefficients<const double> coefficients,
                       Rows<double> out, int length, bool accumulate) {
  CombineRowsT(rows, coefficients, out, length, accumulate);
}
void DotRowsFloat(Rows<const float> rows, Rows<const float> vectors, int length,
                  Coefficients<float> products) {
  DotRowsT(rows, vectors, length, products);
}
void DotRowsDouble(Rows<const double> rows, Rows<const double> vectors, int length,
                   Coefficients<double> products) {
  DotRowsT(rows, vectors, length, products);
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {

HWY_EXPORT(CombineRowsFloat);
HWY_EXPORT(CombineRowsDouble);
HWY_EXPORT(DotRowsFloat);
HWY_EXPORT(DotRowsDouble);

template <>
void CombineRows(Rows<const float> rows, Coefficients<const float> coefficients, Rows<float> out,
                 int length, bool accumulate) {
  HWY_DYNAMIC_DISPATCH(CombineRowsFloat)(rows, coefficients, out, length, accumulate);
}
template <>
void CombineRows(Rows<const double> rows, Coefficients<const double> coefficients, Rows<double> out,
                 int length, bool accumulate) {
  HWY_DYNAMIC_DISPATCH(CombineRowsDouble)(rows, coefficients, out, length, accumulate);
}
template <>
void DotRows(Rows<const float> rows, Rows<const float> vectors, int length,
             Coefficients<float> products) {
  HWY_DYNAMIC_DISPATCH(DotRowsFloat)(rows, vectors, length, products);
}
template <>
void DotRows(Rows<const double> rows, Rows<const double> vectors, int length,
             Coefficients<double> products) {
  HWY_DYNAMIC_DISPATCH(DotRowsDouble)(rows, vectors, length, products);
}

}  // namespace pushdown
#endif  // HWY_ONCE
