#include "pushdown/kernels/activations.h"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/activations.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Tag = hn::ScalableTag<T>;

// Highway's functions turn NaN into numbers.
template <class D, class V>
HWY_INLINE V KeepNan(D /*d*/, V in, V out) {
  return hn::IfThenElse(hn::Eq(in, in), out, in);
}

template <class D, class V>
HWY_INLINE V SigmoidOf(D d, V x) {
  // Beyond, the exponential is out of its range, and the result zero in float.
  const V lowest = hn::Set(d, hn::TFromD<D>(sizeof(hn::TFromD<D>) == 4 ? -88 : -700));
  const V clamped = hn::Max(x, lowest);
  const V one = hn::Set(d, hn::TFromD<D>(1));
  return KeepNan(d, x, hn::Div(one, hn::Add(one, hn::Exp(d, hn::Neg(clamped)))));
}

template <class D, class V>
HWY_INLINE V TanhOf(D d, V x) {
  return KeepNan(d, x, hn::Tanh(d, x));
}

// body(j, store) for vectors that begin at 0 <= j < size, where store(vector, pointer) leaves what
// is beyond the end as it was.
template <class D, class Body>
HWY_INLINE void ForVectors(D d, int size, const Body& body) {
  const int lanes = static_cast<int>(hn::Lanes(d));
  int j = 0;
  for (; j + lanes <= size; j += lanes) {
    body(j, [d](auto v, hn::TFromD<D>* to) HWY_ATTR { hn::StoreU(v, d, to); });
  }
  if (j < size) {
    const auto mask = hn::FirstN(d, static_cast<size_t>(size - j));
    body(j, [d, mask](auto v, hn::TFromD<D>* to) HWY_ATTR { hn::BlendedStore(v, mask, d, to); });
  }
}

template <typename T>
HWY_NOINLINE void SigmoidT(T* values, int size) {
  const Tag<T> d;
  ForVectors(d, size, [&](int j, const auto& store) HWY_ATTR {
    store(SigmoidOf(d, hn::LoadU(d, values + j)), values + j);
  });
}

template <typename T>
HWY_NOINLINE void LstmForwardT(int units, T* gates, const T* earlier_cell, T* cell, T* tanh_cell,
                               T* hidden) {
  const Tag<T> d;
  SigmoidT(gates, 2 * units);  // i, f
  SigmoidT(gates + 3 * units, units);
  ForVectors(d, units, [&](int j, const auto& store) HWY_ATTR {
    const auto i = hn::LoadU(d, gates + j);
    const auto f = hn::LoadU(d, gates + units + j);
    const auto g = TanhOf(d, hn::LoadU(d, gates + 2 * units + j));
    const auto o = hn::LoadU(d, gates + 3 * units + j);
    const auto c = hn::MulAdd(f, hn::LoadU(d, earlier_cell + j), hn::Mul(i, g));
    const auto tanh_c = TanhOf(d, c);
    store(g, gates + 2 * units + j);
    store(c, cell + j);
    store(tanh_c, tanh_cell + j);
    store(hn::Mul(o, tanh_c), hidden + j);
  });
}

template <typename T>
HWY_NOINLINE void LstmBackwardT(int units, const T* gates, const T* earlier_cell,
                                const T* tanh_cell, const T* hidden_gradient, T* cell_gradient,
                                T* gate_gradient) {
  const Tag<T> d;
  const auto one = hn::Set(d, T{1});
  ForVectors(d, units, [&](int j, const auto& store) HWY_ATTR {
    const auto i = hn::LoadU(d, gates + j);
    const auto f = hn::LoadU(d, gates + units + j);
    const auto g = hn::LoadU(d, gates + 2 * units + j);
    const auto o = hn::LoadU(d, gates + 3 * units + j);
    const auto tanh_c = hn::LoadU(d, tanh_cell + j);
    const auto dh = hn::LoadU(d, hidden_gradient + j);
    // s(1-s) and 1-s^2 are the derivatives of sigmoid and tanh by their arguments.
    const auto dc = hn::MulAdd(hn::Mul(dh, o), hn::NegMulAdd(tanh_c, tanh_c, one),
                               hn::LoadU(d, cell_gradient + j));
    const auto di = hn::Mul(hn::Mul(dc, g), hn::Mul(i, hn::Sub(one, i)));
    const auto df =
        hn::Mul(hn::Mul(dc, hn::LoadU(d, earlier_cell + j)), hn::Mul(f, hn::Sub(one, f)));
    const auto dg = hn::Mul(hn::Mul(dc, i), hn::NegMulAdd(g, g, one));
    const auto d_o = hn::Mul(hn::Mul(dh, tanh_c), hn::Mul(o, hn::Sub(one, o)));
    store(di, gate_gradient + j);
    store(df, gate_gradient + units + j);
    store(dg, gate_gradient + 2 * units + j);
    store(d_o, gate_gradient + 3 * units + j);
    store(hn::Mul(dc, f), cell_gradient + j);
  });
}

template <typename T>
HWY_NOINLINE double SoftmaxCrossEntropyT(T* logits, int size, int target) {
  const Tag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const T lowest = std::numeric_limits<T>::lowest();
  auto max = hn::Set(d, lowest);
  auto zero_if_finite = hn::Zero(d);  // 0 * infinity and 0 * NaN are NaN
  const auto load = [&](int j, T beyond) HWY_ATTR {
    const auto v = hn::LoadU(d, logits + j);
    if (j + lanes <= size) return v;
    return hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(size - j)), v, hn::Set(d, beyond));
  };
  for (int j = 0; j < size; j += lanes) {
    const auto v = load(j, lowest);
    max = hn::Max(max, v);
    zero_if_finite = hn::MulAdd(v, hn::Zero(d), zero_if_finite);
  }
  const T largest = hn::GetLane(hn::MaxOfLanes(d, max));
  const double log_weight = static_cast<double>(logits[target]) - static_cast<double>(largest);
  const auto shift = hn::Set(d, largest);
  auto sum = zero_if_finite;
  ForVectors(d, size, [&](int j, const auto& store) HWY_ATTR {
    const auto weight = hn::Exp(d, hn::Sub(load(j, lowest), shift));
    sum = hn::Add(sum, weight);
    store(weight, logits + j);
  });
  const T total = hn::GetLane(hn::SumOfLanes(d, sum));
  const auto factor = hn::Set(d, T{1} / total);
  ForVectors(d, size, [&](int j, const auto& store) HWY_ATTR {
    store(hn::Mul(factor, hn::LoadU(d, logits + j)), logits + j);
  });
  return std::log(static_cast<double>(total)) - log_weight;
}

void SigmoidFloat(float* values, int size) { SigmoidT(values, size); }
void SigmoidDouble(double* values, int size) { SigmoidT(values, size); }
void LstmForwardFloat(int units, float* gates, const float* earlier_cell, float* cell,
                      float* tanh_cell, float* hidden) {
  LstmForwardT(units, gates, earlier_cell, cell, tanh_cell, hidden);
}
void LstmForwardDouble(int units, double* gates, const double* earlier_cell, double* cell,
                       double* tanh_cell, double* hidden) {
  LstmForwardT(units, gates, earlier_cell, cell, tanh_cell, hidden);
}
void LstmBackwardFloat(int units, const float* gates, const float* earlier_cell,
                       const float* tanh_cell, const float* hidden_gradient, float* cell_gradient,
                       float* gate_gradient) {
  LstmBackwardT(units, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient,
                gate_gradient);
}
void LstmBackwardDouble(int units, const double* gates, const double* earlier_cell,
                        const double* tanh_cell, const double* hidden_gradient,
                        double* cell_gradient, double* gate_gradient) {
  LstmBackwardT(units, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient,
                gate_gradient);
}
double SoftmaxCrossEntropyFloat(float* logits, int size, int target) {
  return SoftmaxCrossEntropyT(logits, size, target);
}
double SoftmaxCrossEntropyDouble(double* logits, int size, int target) {
  return SoftmaxCrossEntropyT(logits, size, target);
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {

HWY_EXPORT(SigmoidFloat);
HWY_EXPORT(SigmoidDouble);
HWY_EXPORT(LstmForwardFloat);
HWY_EXPORT(LstmForwardDouble);
HWY_EXPORT(LstmBackwardFloat);
HWY_EXPORT(LstmBackwardDouble);
HWY_EXPORT(SoftmaxCrossEntropyFloat);
HWY_EXPORT(SoftmaxCrossEntropyDouble);

template <>
void SigmoidInPlace(float* values, int size) {
  HWY_DYNAMIC_DISPATCH(SigmoidFloat)(values, size);
}
template <>
void SigmoidInPlace(double* values, int size) {
  HWY_DYNAMIC_DISPATCH(SigmoidDouble)(values, size);
}
template <>
void LstmForward(int units, float* gates, const float* earlier_cell, float* cell, float* tanh_cell,
                 float* hidden) {
  HWY_DYNAMIC_DISPATCH(LstmForwardFloat)(units, gates, earlier_cell, cell, tanh_cell, hidden);
}
template <>
void LstmForward(int units, double* gates, const double* earlier_cell, double* cell,
                 double* tanh_cell, double* hidden) {
  HWY_DYNAMIC_DISPATCH(LstmForwardDouble)(units, gates, earlier_cell, cell, tanh_cell, hidden);
}
template <>
void LstmBackward(int units, const float* gates, const float* earlier_cell, const float* tanh_cell,
                  const float* hidden_gradient, float* cell_gradient, float* gate_gradient) {
  HWY_DYNAMIC_DISPATCH(LstmBackwardFloat)
  (units, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient, gate_gradient);
}
template <>
void LstmBackward(int units, const double* gates, const double* earlier_cell,
                  const double* tanh_cell, const double* hidden_gradient, double* cell_gradient,
                  double* gate_gradient) {
  HWY_DYNAMIC_DISPATCH(LstmBackwardDouble)
  (units, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient, gate_gradient);
}
template <>
double SoftmaxCrossEntropy(float* logits, int size, int target) {
  return HWY_DYNAMIC_DISPATCH(SoftmaxCrossEntropyFloat)(logits, size, target);
}
template <>
double SoftmaxCrossEntropy(double* logits, int size, int target) {
  return HWY_DYNAMIC_DISPATCH(SoftmaxCrossEntropyDouble)(logits, size, target);
}

}  // namespace pushdown
#endif  // HWY_ONCE
