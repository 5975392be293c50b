#include "pushdown/kernels/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/rows.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "pushdown/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

void CombineRowsFloat(const Row<float>* rows, int row_count, const float* coefficients,
                      float* const* out, int outputs, int length, bool accumulate) {
  CombineRowsT(rows, row_count, coefficients, out, outputs, length, accumulate);
}
void CombineRowsDouble(const Row<double>* rows, int row_count, const double* coefficients,
                       double* const* out, int outputs, int length, bool accumulate) {
  CombineRowsT(rows, row_count, coefficients, out, outputs, length, accumulate);
}
void DotRowsFloat(const Row<float>* rows, int row_count, const float* const* vectors,
                  int vector_count, float* products) {
  DotRowsT(rows, row_count, vectors, vector_count, products);
}
void DotRowsDouble(const Row<double>* rows, int row_count, const double* const* vectors,
                   int vector_count, double* products) {
  DotRowsT(rows, row_count, vectors, vector_count, products);
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
void CombineRows(const Row<float>* rows, int row_count, const float* coefficients,
                 float* const* out, int outputs, int length, bool accumulate) {
  HWY_DYNAMIC_DISPATCH(CombineRowsFloat)
  (rows, row_count, coefficients, out, outputs, length, accumulate);
}
template <>
void CombineRows(const Row<double>* rows, int row_count, const double* coefficients,
                 double* const* out, int outputs, int length, bool accumulate) {
  HWY_DYNAMIC_DISPATCH(CombineRowsDouble)
  (rows, row_count, coefficients, out, outputs, length, accumulate);
}
template <>
void DotRows(const Row<float>* rows, int row_count, const float* const* vectors, int vector_count,
             float* products) {
  HWY_DYNAMIC_DISPATCH(DotRowsFloat)(rows, row_count, vectors, vector_count, products);
}
template <>
void DotRows(const Row<double>* rows, int row_count, const double* const* vectors, int vector_count,
             double* products) {
  HWY_DYNAMIC_DISPATCH(DotRowsDouble)(rows, row_count, vectors, vector_count, products);
}

}  // namespace pushdown
#endif  // HWY_ONCE
