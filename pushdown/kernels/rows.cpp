#include "pushdown/kernels/rows.h"

#include "pushdown/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/rows.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "pushdown/kernels/rows-inl.h"

#ifndef PUSHDOWN_KERNELS_ROWS_ONCE
#define PUSHDOWN_KERNELS_ROWS_ONCE
namespace pushdown {

template <typename T>
struct RowKernels {
  decltype(&CombineRows<T>) combine;
  decltype(&DotRows<T>) dot;
};

}  // namespace pushdown
#endif

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

template decltype(CombineRowsT<float>) CombineRowsT<float>;
template decltype(CombineRowsT<double>) CombineRowsT<double>;
template decltype(DotRowsT<float>) DotRowsT<float>;
template decltype(DotRowsT<double>) DotRowsT<double>;

template <typename T>
inline constexpr RowKernels<T> kRowKernels = {.combine = &CombineRowsT<T>, .dot = &DotRowsT<T>};

const PerType<RowKernels>* RowsOfTarget() {
  static constexpr PerType<RowKernels> kernels = {kRowKernels<float>, kRowKernels<double>};
  return &kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {
namespace {

HWY_EXPORT(RowsOfTarget);
const PerType<RowKernels>* Dispatch() { return HWY_DYNAMIC_DISPATCH(RowsOfTarget)(); }

}  // namespace

template <typename T>
void CombineRows(Rows<const T> rows, Coefficients<const T> coefficients, Rows<T> out, int length,
                 bool accumulate) {
  ActiveKernels<Dispatch, T>().combine(rows, coefficients, out, length, accumulate);
}
template <typename T>
void DotRows(Rows<const T> rows, Rows<const T> vectors, int length, Coefficients<T> products) {
  ActiveKernels<Dispatch, T>().dot(rows, vectors, length, products);
}

template decltype(CombineRows<float>) CombineRows<float>;
template decltype(CombineRows<double>) CombineRows<double>;
template decltype(DotRows<float>) DotRows<float>;
template decltype(DotRows<double>) DotRows<double>;

}  // namespace pushdown
#endif  // HWY_ONCE
