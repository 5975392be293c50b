#include "pushdown/kernels/activations.h"

#include <cmath>
#include <limits>

#include "pushdown/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/activations.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "pushdown/kernels/activations-inl.h"
#include "pushdown/kernels/affine-inl.h"

#ifndef PUSHDOWN_KERNELS_ACTIVATIONS_ONCE
#define PUSHDOWN_KERNELS_ACTIVATIONS_ONCE
namespace pushdown {
// Up to which vectors over steps are faster than vectors over outputs.
inline constexpr int kFewOutputs = 16;

template <typename T>
struct ActivationKernels {
  decltype(&SigmoidInPlace<T>) sigmoid;
  decltype(&SoftmaxCrossEntropy<T>) softmax_cross_entropy;
  decltype(&SoftmaxExponentials<T>) softmax_exponentials;
  decltype(&SuperpositionActivations<T>) superposition_activations;
  decltype(&SuperpositionActions<T>) superposition_actions;
};

}  // namespace pushdown
#endif

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

template <typename T>
HWY_NOINLINE void SigmoidT(T* values, int size) {
  const RowTag<T> d;
  ForVectors(d, size, [&](int j, const auto& store) HWY_ATTR {
    store(SigmoidOf(d, hn::LoadU(d, values + j)), values + j);
  });
}

// Returns -log p of the target, and leaves exp(logit - the largest) where the logits were.
template <typename T>
HWY_NOINLINE double SoftmaxExponentialsT(int size, T* logits, int target, T& total) {
  const RowTag<T> d;
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
    const auto weight = ExpOf(d, hn::Sub(load(j, lowest), shift));
    sum = hn::Add(sum, weight);
    store(weight, logits + j);
  });
  total = hn::GetLane(hn::SumOfLanes(d, sum));
  return std::log(static_cast<double>(total)) - log_weight;
}

template <typename T>
HWY_INLINE double SoftmaxCrossEntropyOfStep(int size, T* logits, int target, bool probabilities) {
  T total;
  const double loss = SoftmaxExponentialsT(size, logits, target, total);
  if (probabilities) {
    const RowTag<T> d;
    const auto factor = hn::Set(d, T{1} / total);
    ForVectors(d, size, [&](int j, const auto& store) HWY_ATTR {
      store(hn::Mul(factor, hn::LoadU(d, logits + j)), logits + j);
    });
  }
  return loss;
}

// The same for several steps with few outputs: vectors go over steps.
template <typename T>
HWY_NOINLINE double SoftmaxCrossEntropyOfSteps(int steps, int size, T* logits, const int* targets,
                                               bool probabilities) {
  const RowTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int lanes = static_cast<int>(hn::Lanes(d));
  HWY_ALIGN T columns[kFewOutputs * hn::MaxLanes(d)] = {};
  HWY_ALIGN T maxima[hn::MaxLanes(d)];
  HWY_ALIGN T sums[hn::MaxLanes(d)];
  double loss = 0;
  for (int begin = 0; begin < steps; begin += lanes) {
    const int count = HWY_MIN(lanes, steps - begin);
    T* rows = logits + static_cast<std::ptrdiff_t>(begin) * size;
    for (int t = 0; t < count; ++t) {
      for (int n = 0; n < size; ++n) columns[n * lanes + t] = rows[t * size + n];
    }
    V max = hn::Load(d, columns);
    V sum = hn::Zero(d);
    for (int n = 0; n < size; ++n) {
      const V v = hn::Load(d, columns + n * lanes);
      max = hn::Max(max, v);
      sum = hn::MulAdd(v, hn::Zero(d), sum);  // 0 * infinity and 0 * NaN are NaN
    }
    for (int n = 0; n < size; ++n) {
      const V weight = ExpOf(d, hn::Sub(hn::Load(d, columns + n * lanes), max));
      sum = hn::Add(sum, weight);
      hn::Store(weight, d, columns + n * lanes);
    }
    hn::Store(max, d, maxima);
    hn::Store(sum, d, sums);
    double product = 1;  // no more than kFewOutputs to the power of a vector's lanes
    for (int t = 0; t < count; ++t) {
      product *= static_cast<double>(sums[t]);
      loss +=
          static_cast<double>(maxima[t]) - static_cast<double>(rows[t * size + targets[begin + t]]);
    }
    loss += std::log(product);
    if (!probabilities) continue;
    const V factor = hn::Div(hn::Set(d, T{1}), sum);
    for (int n = 0; n < size; ++n) {
      hn::Store(hn::Mul(factor, hn::Load(d, columns + n * lanes)), d, columns + n * lanes);
    }
    for (int t = 0; t < count; ++t) {
      for (int n = 0; n < size; ++n) rows[t * size + n] = columns[n * lanes + t];
    }
  }
  return loss;
}

template <typename T>
HWY_INLINE double SoftmaxCrossEntropyT(int steps, int size, T* logits, const int* targets,
                                       bool probabilities) {
  if (size <= kFewOutputs && steps > 1) {
    return SoftmaxCrossEntropyOfSteps(steps, size, logits, targets, probabilities);
  }
  double loss = 0;
  for (int t = 0; t < steps; ++t) {
    loss += SoftmaxCrossEntropyOfStep(size, logits + static_cast<std::ptrdiff_t>(t) * size,
                                      targets[t], probabilities);
  }
  return loss;
}

// Four or two stacks at a time.
template <typename T>
HWY_INLINE void SoftmaxOfThree(int count, T* logits) {
  const hn::CappedTag<T, 16 / sizeof(T)> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  HWY_ALIGN T weights[3 * hn::MaxLanes(d)];
  for (int n = 0; n < count; n += lanes) {
    hn::Vec<decltype(d)> push, keep, pop;
    hn::LoadInterleaved3(d, logits + 3 * n, push, keep, pop);
    const auto max = hn::Max(push, hn::Max(keep, pop));
    const auto weight = [&](auto logit) HWY_ATTR {
      const auto difference = hn::Sub(logit, max);
      return KeepNan(d, difference, ExpOf(d, difference));
    };
    push = weight(push);
    keep = weight(keep);
    pop = weight(pop);
    const auto sum = hn::Add(push, hn::Add(keep, pop));
    hn::StoreInterleaved3(hn::Div(push, sum), hn::Div(keep, sum), hn::Div(pop, sum), d, weights);
    const int size = 3 * HWY_MIN(lanes, count - n);
    for (int k = 0; k < size; ++k) logits[3 * n + k] = weights[k];
  }
}

template <typename T>
HWY_INLINE void SuperpositionActivationsT(int stacks, int vector_size, T* actions) {
  SoftmaxOfThree(stacks, actions);
  SigmoidT(actions + 3 * stacks, vector_size);
}

template <typename T>
HWY_NOINLINE void SuperpositionActionsT(const AffineMatrix<T>& weights, const T* in, int stacks,
                                        int vector_size, T* actions) {
  AffineT<T>(weights, in, nullptr, actions);
  SuperpositionActivationsT(stacks, vector_size, actions);
}

template <typename T>
inline constexpr ActivationKernels<T> kActivationKernels = {
    .sigmoid = &SigmoidT<T>,
    .softmax_cross_entropy = &SoftmaxCrossEntropyT<T>,
    .softmax_exponentials = &SoftmaxExponentialsT<T>,
    .superposition_activations = &SuperpositionActivationsT<T>,
    .superposition_actions = &SuperpositionActionsT<T>};

const PerType<ActivationKernels>* ActivationsOfTarget() {
  static constexpr PerType<ActivationKernels> kernels = {kActivationKernels<float>,
                                                         kActivationKernels<double>};
  return &kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {
namespace {

HWY_EXPORT(ActivationsOfTarget);
const PerType<ActivationKernels>* Dispatch() { return HWY_DYNAMIC_DISPATCH(ActivationsOfTarget)(); }

}  // namespace

template <typename T>
void SigmoidInPlace(T* values, int size) {
  ActiveKernels<Dispatch, T>().sigmoid(values, size);
}
template <typename T>
double SoftmaxCrossEntropy(int steps, int size, T* logits, const int* targets, bool probabilities) {
  return ActiveKernels<Dispatch, T>().softmax_cross_entropy(steps, size, logits, targets,
                                                            probabilities);
}
template <typename T>
double SoftmaxExponentials(int size, T* logits, int target, T& sum) {
  return ActiveKernels<Dispatch, T>().softmax_exponentials(size, logits, target, sum);
}
template <typename T>
void SuperpositionActivations(int stacks, int vector_size, T* actions) {
  ActiveKernels<Dispatch, T>().superposition_activations(stacks, vector_size, actions);
}
template <typename T>
void SuperpositionActions(const AffineMatrix<T>& weights, const T* in, int stacks, int vector_size,
                          T* actions) {
  ActiveKernels<Dispatch, T>().superposition_actions(weights, in, stacks, vector_size, actions);
}

template decltype(SigmoidInPlace<float>) SigmoidInPlace<float>;
template decltype(SigmoidInPlace<double>) SigmoidInPlace<double>;
template decltype(SoftmaxCrossEntropy<float>) SoftmaxCrossEntropy<float>;
template decltype(SoftmaxCrossEntropy<double>) SoftmaxCrossEntropy<double>;
template decltype(SoftmaxExponentials<float>) SoftmaxExponentials<float>;
template decltype(SoftmaxExponentials<double>) SoftmaxExponentials<double>;
template decltype(SuperpositionActivations<float>) SuperpositionActivations<float>;
template decltype(SuperpositionActivations<double>) SuperpositionActivations<double>;
template decltype(SuperpositionActions<float>) SuperpositionActions<float>;
template decltype(SuperpositionActions<double>) SuperpositionActions<double>;

}  // namespace pushdown
#endif  // HWY_ONCE
