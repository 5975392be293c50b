#include "pushdown/kernels/lstm.h"

#include "pushdown/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/lstm.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "pushdown/kernels/activations-inl.h"
#include "pushdown/kernels/affine-inl.h"

#ifndef PUSHDOWN_KERNELS_LSTM_ONCE
#define PUSHDOWN_KERNELS_LSTM_ONCE
namespace pushdown {

template <typename T>
struct LstmKernels {
  decltype(&LstmForward<T>) forward;
  decltype(&LstmBackward<T>) backward;
  decltype(&LstmActivations<T>) activations;
  decltype(&LstmActivationsBackward<T>) activations_backward;
};

}  // namespace pushdown
#endif

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

template <typename T>
inline constexpr LstmKernels<T> kLstmKernels = {
    .forward = &LstmForwardT<T>,
    .backward = &LstmBackwardT<T>,
    .activations = &LstmActivationsT<T>,
    .activations_backward = &LstmActivationsBackwardT<T>};

const PerType<LstmKernels>* LstmOfTarget() {
  static constexpr PerType<LstmKernels> kernels = {kLstmKernels<float>, kLstmKernels<double>};
  return &kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {
namespace {

HWY_EXPORT(LstmOfTarget);
const PerType<LstmKernels>* Dispatch() { return HWY_DYNAMIC_DISPATCH(LstmOfTarget)(); }

}  // namespace

template <typename T>
void LstmForward(int units, const AffineMatrix<T>& weights, const T* state, const T* initial,
                 const T* earlier_cell, T* gates, T* cell, T* tanh_cell, T* hidden) {
  ActiveKernels<Dispatch, T>().forward(units, weights, state, initial, earlier_cell, gates, cell,
                                       tanh_cell, hidden);
}
template <typename T>
void LstmBackward(int units, const AffineMatrix<T>& weights, const T* gates, const T* earlier_cell,
                  const T* tanh_cell, const T* hidden_gradient, T* cell_gradient, T* gate_gradient,
                  T* state_gradient) {
  ActiveKernels<Dispatch, T>().backward(units, weights, gates, earlier_cell, tanh_cell,
                                        hidden_gradient, cell_gradient, gate_gradient,
                                        state_gradient);
}
template <typename T>
void LstmActivations(int units, const T* earlier_cell, T* gates, T* cell, T* tanh_cell, T* hidden) {
  ActiveKernels<Dispatch, T>().activations(units, earlier_cell, gates, cell, tanh_cell, hidden);
}
template <typename T>
void LstmActivationsBackward(int units, const T* gates, const T* earlier_cell, const T* tanh_cell,
                             const T* hidden_gradient, T* cell_gradient, T* gate_gradient) {
  ActiveKernels<Dispatch, T>().activations_backward(units, gates, earlier_cell, tanh_cell,
                                                    hidden_gradient, cell_gradient, gate_gradient);
}

template decltype(LstmForward<float>) LstmForward<float>;
template decltype(LstmForward<double>) LstmForward<double>;
template decltype(LstmBackward<float>) LstmBackward<float>;
template decltype(LstmBackward<double>) LstmBackward<double>;
template decltype(LstmActivations<float>) LstmActivations<float>;
template decltype(LstmActivations<double>) LstmActivations<double>;
template decltype(LstmActivationsBackward<float>) LstmActivationsBackward<float>;
template decltype(LstmActivationsBackward<double>) LstmActivationsBackward<double>;

}  // namespace pushdown
#endif  // HWY_ONCE
