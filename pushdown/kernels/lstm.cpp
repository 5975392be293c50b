#include "pushdown/kernels/lstm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/lstm.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "pushdown/kernels/activations-inl.h"
#include "pushdown/kernels/affine-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

template <typename T>
HWY_INLINE void LstmActivationsT(int units, const T* earlier_cell, T* gates, T* cell, T* tanh_cell,
                                 T* hidden) {
  const RowTag<T> d;
  // Distances to the middle of the candidate's gates, which have indices 2 units .. 3 units - 1.
  auto distance = hn::Iota(d, T{0.5} - T{2.5} * static_cast<T>(units));
  const auto half = hn::Set(d, T{0.5} * static_cast<T>(units));
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int j = 0; j < 4 * units; j += lanes) {
    const auto is_tanh = hn::Lt(hn::Abs(distance), half);
    hn::StoreU(SigmoidOrTanh(d, hn::LoadU(d, gates + j), is_tanh), d, gates + j);
    distance = hn::Add(distance, hn::Set(d, static_cast<T>(lanes)));
  }
  // Whole vectors, so that the next step can load them before they are in memory.
  for (int j = 0; j < units; j += lanes) {
    const auto i = hn::LoadU(d, gates + j);
    const auto f = hn::LoadU(d, gates + units + j);
    const auto g = hn::LoadU(d, gates + 2 * units + j);
    const auto o = hn::LoadU(d, gates + 3 * units + j);
    const auto c = hn::MulAdd(f, hn::LoadU(d, earlier_cell + j), hn::Mul(i, g));
    const auto tanh_c = TanhOf(d, c);
    auto h = hn::Mul(o, tanh_c);
    if (units - j < lanes) {
      const auto beyond = hn::Set(d, T{1});
      h = hn::IfThenElse(hn::FirstN(d, static_cast<size_t>(units - j)), h, beyond);
    }
    hn::StoreU(c, d, cell + j);
    hn::StoreU(tanh_c, d, tanh_cell + j);
    hn::StoreU(h, d, hidden + j);
  }
}

template <typename T>
HWY_INLINE void LstmActivationsBackwardT(int units, const T* gates, const T* earlier_cell,
                                         const T* tanh_cell, const T* hidden_gradient,
                                         T* cell_gradient, T* gate_gradient) {
  const RowTag<T> d;
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
HWY_NOINLINE void LstmForwardT(int units, const AffineMatrix<T>& weights, const T* state,
                               const T* initial, const T* earlier_cell, T* gates, T* cell,
                               T* tanh_cell, T* hidden) {
  AffineT(weights, state, initial, gates);
  LstmActivationsT(units, earlier_cell, gates, cell, tanh_cell, hidden);
}

template <typename T>
HWY_NOINLINE void LstmBackwardT(int units, const AffineMatrix<T>& weights, const T* gates,
                                const T* earlier_cell, const T* tanh_cell, const T* hidden_gradient,
                                T* cell_gradient, T* gate_gradient, T* state_gradient) {
  LstmActivationsBackwardT(units, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient,
                           gate_gradient);
  AffineBackwardT(weights, weights.rows() - 1, gate_gradient, state_gradient);
}

void LstmForwardFloat(int units, const AffineMatrix<float>& weights, const float* state,
                      const float* initial, const float* earlier_cell, float* gates, float* cell,
                      float* tanh_cell, float* hidden) {
  LstmForwardT(units, weights, state, initial, earlier_cell, gates, cell, tanh_cell, hidden);
}
void LstmBackwardFloat(int units, const AffineMatrix<float>& weights, const float* gates,
                       const float* earlier_cell, const float* tanh_cell,
                       const float* hidden_gradient, float* cell_gradient, float* gate_gradient,
                       float* state_gradient) {
  LstmBackwardT(units, weights, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient,
                gate_gradient, state_gradient);
}
void LstmForwardDouble(int units, const AffineMatrix<double>& weights, const double* state,
                       const double* initial, const double* earlier_cell, double* gates,
                       double* cell, double* tanh_cell, double* hidden) {
  LstmForwardT(units, weights, state, initial, earlier_cell, gates, cell, tanh_cell, hidden);
}
void LstmBackwardDouble(int units, const AffineMatrix<double>& weights, const double* gates,
                        const double* earlier_cell, const double* tanh_cell,
                        const double* hidden_gradient, double* cell_gradient, double* gate_gradient,
                        double* state_gradient) {
  LstmBackwardT(units, weights, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient,
                gate_gradient, state_gradient);
}

void LstmActivationsFloat(int units, const float* earlier_cell, float* gates, float* cell,
                          float* tanh_cell, float* hidden) {
  LstmActivationsT(units, earlier_cell, gates, cell, tanh_cell, hidden);
}
void LstmActivationsBackwardFloat(int units, const float* gates, const float* earlier_cell,
                                  const float* tanh_cell, const float* hidden_gradient,
                                  float* cell_gradient, float* gate_gradient) {
  LstmActivationsBackwardT(units, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient,
                           gate_gradient);
}

void LstmActivationsDouble(int units, const double* earlier_cell, double* gates, double* cell,
                           double* tanh_cell, double* hidden) {
  LstmActivationsT(units, earlier_cell, gates, cell, tanh_cell, hidden);
}
void LstmActivationsBackwardDouble(int units, const double* gates, const double* earlier_cell,
                                   const double* tanh_cell, const double* hidden_gradient,
                                   double* cell_gradient, double* gate_gradient) {
  LstmActivationsBackwardT(units, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient,
                           gate_gradient);
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {

HWY_EXPORT(LstmForwardFloat);
HWY_EXPORT(LstmForwardDouble);
HWY_EXPORT(LstmBackwardFloat);
HWY_EXPORT(LstmBackwardDouble);
HWY_EXPORT(LstmActivationsDouble);
HWY_EXPORT(LstmActivationsBackwardDouble);
HWY_EXPORT(LstmActivationsFloat);
HWY_EXPORT(LstmActivationsBackwardFloat);

template <>
void LstmForward(int units, const AffineMatrix<float>& weights, const float* state,
                 const float* initial, const float* earlier_cell, float* gates, float* cell,
                 float* tanh_cell, float* hidden) {
  HWY_DYNAMIC_DISPATCH(LstmForwardFloat)
  (units, weights, state, initial, earlier_cell, gates, cell, tanh_cell, hidden);
}
template <>
void LstmBackward(int units, const AffineMatrix<float>& weights, const float* gates,
                  const float* earlier_cell, const float* tanh_cell, const float* hidden_gradient,
                  float* cell_gradient, float* gate_gradient, float* state_gradient) {
  HWY_DYNAMIC_DISPATCH(LstmBackwardFloat)
  (units, weights, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient, gate_gradient,
   state_gradient);
}
template <>
void LstmForward(int units, const AffineMatrix<double>& weights, const double* state,
                 const double* initial, const double* earlier_cell, double* gates, double* cell,
                 double* tanh_cell, double* hidden) {
  HWY_DYNAMIC_DISPATCH(LstmForwardDouble)
  (units, weights, state, initial, earlier_cell, gates, cell, tanh_cell, hidden);
}
template <>
void LstmBackward(int units, const AffineMatrix<double>& weights, const double* gates,
                  const double* earlier_cell, const double* tanh_cell,
                  const double* hidden_gradient, double* cell_gradient, double* gate_gradient,
                  double* state_gradient) {
  HWY_DYNAMIC_DISPATCH(LstmBackwardDouble)
  (units, weights, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient, gate_gradient,
   state_gradient);
}
template <>
void LstmActivations(int units, const float* earlier_cell, float* gates, float* cell,
                     float* tanh_cell, float* hidden) {
  HWY_DYNAMIC_DISPATCH(LstmActivationsFloat)(units, earlier_cell, gates, cell, tanh_cell, hidden);
}
template <>
void LstmActivationsBackward(int units, const float* gates, const float* earlier_cell,
                             const float* tanh_cell, const float* hidden_gradient,
                             float* cell_gradient, float* gate_gradient) {
  HWY_DYNAMIC_DISPATCH(LstmActivationsBackwardFloat)
  (units, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient, gate_gradient);
}
template <>
void LstmActivations(int units, const double* earlier_cell, double* gates, double* cell,
                     double* tanh_cell, double* hidden) {
  HWY_DYNAMIC_DISPATCH(LstmActivationsDouble)(units, earlier_cell, gates, cell, tanh_cell, hidden);
}
template <>
void LstmActivationsBackward(int units, const double* gates, const double* earlier_cell,
                             const double* tanh_cell, const double* hidden_gradient,
                             double* cell_gradient, double* gate_gradient) {
  HWY_DYNAMIC_DISPATCH(LstmActivationsBackwardDouble)
  (units, gates, earlier_cell, tanh_cell, hidden_gradient, cell_gradient, gate_gradient);
}

}  // namespace pushdown
#endif  // HWY_ONCE
