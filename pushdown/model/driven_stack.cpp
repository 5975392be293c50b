#include "pushdown/model/driven_stack.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "pushdown/error.h"
#include "pushdown/kernels/activations.h"

namespace pushdown {
namespace {

template <typename T>
T Sigmoid(T x) {
  return T{1} / (T{1} + std::exp(-x));
}

// From derivatives by the probabilities to derivatives by the logits, in place.
template <typename T>
void SoftmaxOfThreeBackward(int count, const T* probabilities, T* gradient) {
  for (int n = 0; n < 3 * count; n += 3) {
    const T* p = probabilities + n;
    T* g = gradient + n;
    const T mean = p[0] * g[0] + p[1] * g[1] + p[2] * g[2];
    for (int k = 0; k < 3; ++k) g[k] = p[k] * (g[k] - mean);
  }
}

// From derivatives by sigmoids to derivatives by their arguments, in place.
template <typename T>
void SigmoidBackward(int size, const T* sigmoids, T* gradient) {
  for (int n = 0; n < size; ++n) gradient[n] *= sigmoids[n] * (T{1} - sigmoids[n]);
}

}  // namespace

int StackLayerOutputs(const ParameterLayout& layout) {
  int outputs = 0;
  for (const AffineLayer& layer : layout.stack) outputs += layer.outputs;
  return outputs;
}

template <typename T>
void ActivateActions(const ModelSpec& spec, T* actions) {
  if (const SuperpositionStackSpec* superposition = spec.superposition()) {
    SuperpositionActivations(superposition->stacks(), spec.push_hidden ? 0 : spec.reading_size(),
                             actions);
  } else if (const NondeterministicStackSpec* nondeterministic = spec.nondeterministic()) {
    SigmoidInPlace(actions + nondeterministic->logits_size(), nondeterministic->vector_size);
  }
}

template <typename T>
DrivenStack<T>::DrivenStack(const ModelSpec& spec, int max_steps, bool gradients)
    : reading_size_(spec.reading_size()), push_hidden_(spec.push_hidden) {
  if (const SuperpositionStackSpec* superposition = spec.superposition()) {
    stack_.template emplace<SuperpositionStack<T>>(*superposition, max_steps, gradients);
  } else if (const NondeterministicStackSpec* nondeterministic = spec.nondeterministic()) {
    stack_.template emplace<NondeterministicStack<T>>(*nondeterministic, max_steps, gradients);
    bottom_vector_.resize(static_cast<std::size_t>(nondeterministic->vector_size));
    bottom_vector_gradient_.resize(bottom_vector_.size());
  }
}

template <typename T>
double DrivenStack<T>::WorkspaceBytes(const ModelSpec& spec, int max_steps, bool gradients) {
  if (const SuperpositionStackSpec* superposition = spec.superposition()) {
    return SuperpositionStack<T>::EstimateBytes(*superposition, max_steps, gradients);
  }
  if (const NondeterministicStackSpec* nondeterministic = spec.nondeterministic()) {
    return NondeterministicStack<T>::WorkspaceBytes(*nondeterministic, max_steps, gradients);
  }
  return 0;
}

template <typename T>
double DrivenStack<T>::WideBytes(const ModelSpec& spec, int max_steps, bool gradients) {
  const NondeterministicStackSpec* stack = spec.nondeterministic();
  return stack == nullptr ? 0 : NondeterministicStack<T>::WideBytes(*stack, max_steps, gradients);
}

template <typename T>
void DrivenStack<T>::Start(const T* bottom_parameters, T* reading) {
  if (auto* superposition = std::get_if<SuperpositionStack<T>>(&stack_)) {
    superposition->Start(reading);
  } else if (auto* nondeterministic = std::get_if<NondeterministicStack<T>>(&stack_)) {
    std::transform(bottom_parameters, bottom_parameters + bottom_vector_.size(),
                   bottom_vector_.begin(), Sigmoid<T>);
    nondeterministic->Start(bottom_vector_.empty() ? nullptr : bottom_vector_.data(), reading);
  }
}

template <typename T>
void DrivenStack<T>::Step(const T* actions, const T* hidden, T* reading) {
  if (auto* superposition = std::get_if<SuperpositionStack<T>>(&stack_)) {
    const T* vectors = actions + superposition->spec().actions_size();
    superposition->Step(actions, push_hidden_ ? hidden : vectors, reading);
  } else if (auto* nondeterministic = std::get_if<NondeterministicStack<T>>(&stack_)) {
    const NondeterministicStackSpec& spec = nondeterministic->spec();
    nondeterministic->Step(actions, spec.vector_size > 0 ? actions + spec.logits_size() : nullptr,
                           reading);
  }
}

template <typename T>
double DrivenStack<T>::LogWeight() const {
  const auto* nondeterministic = std::get_if<NondeterministicStack<T>>(&stack_);
  return nondeterministic == nullptr ? 0 : nondeterministic->LogWeight();
}

template <typename T>
void DrivenStack<T>::BackwardStep(const T* actions, T* reading_gradient, T* action_gradient,
                                  T* hidden_gradient) {
  if (auto* superposition = std::get_if<SuperpositionStack<T>>(&stack_)) {
    const int vectors = superposition->spec().actions_size();
    if (push_hidden_) {
      // The reading's derivatives are not needed any more, and have the size of the hidden state.
      superposition->BackwardStep(reading_gradient, action_gradient, reading_gradient);
      for (int n = 0; n < reading_size_; ++n) hidden_gradient[n] += reading_gradient[n];
    } else {
      superposition->BackwardStep(reading_gradient, action_gradient, action_gradient + vectors);
      SigmoidBackward(reading_size_, actions + vectors, action_gradient + vectors);
    }
    SoftmaxOfThreeBackward(superposition->spec().stacks(), actions, action_gradient);
  } else if (auto* nondeterministic = std::get_if<NondeterministicStack<T>>(&stack_)) {
    const NondeterministicStackSpec& spec = nondeterministic->spec();
    const int vector = spec.logits_size();
    nondeterministic->BackwardStep(reading_gradient, action_gradient,
                                   spec.vector_size > 0 ? action_gradient + vector : nullptr);
    SigmoidBackward(spec.vector_size, actions + vector, action_gradient + vector);
  }
}

template <typename T>
void DrivenStack<T>::BackwardStart(const T* reading_gradient, T* bottom_gradient) {
  if (bottom_vector_.empty()) return;
  T* gradient = bottom_vector_gradient_.data();
  std::get<NondeterministicStack<T>>(stack_).BackwardStart(reading_gradient, gradient);
  SigmoidBackward(static_cast<int>(bottom_vector_.size()), bottom_vector_.data(), gradient);
  for (std::size_t n = 0; n < bottom_vector_.size(); ++n) bottom_gradient[n] += gradient[n];
}

template <typename T>
void DrivenStack<T>::Carry() {
  if (auto* superposition = std::get_if<SuperpositionStack<T>>(&stack_)) {
    superposition->Carry();
  } else if (auto* nondeterministic = std::get_if<NondeterministicStack<T>>(&stack_)) {
    nondeterministic->Carry();
  }
}

template <typename T>
std::string DrivenStack<T>::Carried() const {
  if (const auto* superposition = std::get_if<SuperpositionStack<T>>(&stack_)) {
    return superposition->Carried();
  }
  if (const auto* nondeterministic = std::get_if<NondeterministicStack<T>>(&stack_)) {
    return nondeterministic->Carried();
  }
  return {};
}

template <typename T>
void DrivenStack<T>::RestoreCarried(std::string_view carried) {
  if (auto* superposition = std::get_if<SuperpositionStack<T>>(&stack_)) {
    superposition->RestoreCarried(carried);
  } else if (auto* nondeterministic = std::get_if<NondeterministicStack<T>>(&stack_)) {
    nondeterministic->RestoreCarried(carried);
  } else if (!carried.empty()) {
    throw Error("pushdown::DrivenStack::RestoreCarried", "the model has no stack");
  }
}

template void ActivateActions(const ModelSpec&, float*);
template void ActivateActions(const ModelSpec&, double*);
template class DrivenStack<float>;
template class DrivenStack<double>;

}  // namespace pushdown
