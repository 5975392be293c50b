#include "pushdown/kernels/nondeterministic_stack.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include "pushdown/error.h"
#include "pushdown/kernels/wide_stack.h"

namespace pushdown {
namespace {

template <typename T>
bool NeedsDouble(const T* logits, int count) {
  if (std::is_same_v<T, double>) return false;
  constexpr int kAtOnce = 8;  // compilers turn this into vectors
  T low[kAtOnce];
  T high[kAtOnce];
  std::fill_n(low, kAtOnce, logits[0]);
  std::fill_n(high, kAtOnce, logits[0]);
  const auto include = [&](T logit, int n) {
    low[n] = logit < low[n] ? logit : low[n];
    high[n] = logit > high[n] ? logit : high[n];
  };
  int j = 0;
  for (; j + kAtOnce <= count; j += kAtOnce) {
    for (int n = 0; n < kAtOnce; ++n) include(logits[j + n], n);
  }
  for (; j < count; ++j) include(logits[j], 0);
  return *std::max_element(high, high + kAtOnce) - *std::min_element(low, low + kAtOnce) >
         static_cast<T>(kMaxFloatSpread);
}

}  // namespace

template <typename T>
NondeterministicStack<T>::NondeterministicStack(const NondeterministicStackSpec& spec,
                                                int max_steps, bool gradients)
    : spec_(spec),
      max_steps_(max_steps),
      gradients_(gradients),
      wide_(StartsWide<T>(spec) ? std::make_unique<Wide>(spec, max_steps, gradients) : nullptr),
      // The smallest there are, if they are not used.
      stack_(wide_ ? NondeterministicStackSpec{} : spec, wide_ ? 0 : max_steps, gradients),
      readings_(wide_ ? NondeterministicStackSpec{} : spec, wide_ ? 0 : max_steps, gradients) {
  if (!wide_ && spec.initial_vector == InitialVector::kPaperCode) {
    bottom_ = std::make_unique<BottomWeights<T>>(spec, max_steps, gradients);
  }
}

template <typename T>
NondeterministicStack<T>::NondeterministicStack(NondeterministicStack&& other) noexcept = default;
template <typename T>
NondeterministicStack<T>& NondeterministicStack<T>::operator=(
    NondeterministicStack&& other) noexcept = default;
template <typename T>
NondeterministicStack<T>::~NondeterministicStack() = default;

template <typename T>
double NondeterministicStack<T>::WorkspaceBytes(const NondeterministicStackSpec& spec,
                                                int max_steps, bool gradients) {
  if (StartsWide<T>(spec)) {
    return NondeterministicStack<double>::WorkspaceBytes(spec, max_steps, gradients);
  }
  double bytes = StackWfa<T>::EstimateBytes(spec, max_steps, gradients) +
                 StackReadings<T>::EstimateBytes(spec, max_steps, gradients);
  if (spec.initial_vector == InitialVector::kPaperCode) {
    bytes += BottomWeights<T>::EstimateBytes(spec, max_steps, gradients);
  }
  return bytes;
}

template <typename T>
double NondeterministicStack<T>::WideBytes(const NondeterministicStackSpec& spec, int max_steps,
                                           bool gradients) {
  if (std::is_same_v<T, double> || StartsWide<T>(spec)) return 0;
  return NondeterministicStack<double>::WorkspaceBytes(spec, max_steps, gradients);
}

template <typename T>
double NondeterministicStack<T>::EstimateBytes(const NondeterministicStackSpec& spec, int max_steps,
                                               bool gradients) {
  return WorkspaceBytes(spec, max_steps, gradients) + WideBytes(spec, max_steps, gradients);
}

template <typename T>
void NondeterministicStack<T>::CheckVector(const T* vector, const char* function) const {
  if (has_vectors() && vector == nullptr) {
    throw Error(std::string("pushdown::NondeterministicStack::") + function,
                StackName(spec_) + " needs a vector of " + std::to_string(spec_.vector_size) +
                    " numbers, found null");
  }
}

template <typename T>
void NondeterministicStack<T>::Widen() {
  if constexpr (std::is_same_v<T, float>) {
    if (!wide_) wide_ = std::make_unique<Wide>(spec_, max_steps_, gradients_);
    wide_->stack.CopyFrom(*this);
    widened_ = true;
  }
}

template <typename T>
template <typename U>
void NondeterministicStack<T>::CopyFrom(const NondeterministicStack<U>& other) {
  started_ = other.started_;
  undone_ = 0;
  stack_.CopyFrom(other.stack_);
  readings_.CopyFrom(other.readings_, stack_.now());
}

template <typename T>
void NondeterministicStack<T>::Start(const T* bottom_vector, T* reading) {
  CheckVector(bottom_vector, "Start");
  started_ = true;
  widened_ = StartsWide<T>(spec_);
  if (widened_) {
    wide_->stack.Start(Wide::In(bottom_vector, wide_->vector), wide_->reading.data());
    return Wide::Out(wide_->reading, reading);
  }
  stack_.Reset(StackWfa<T>::Start::kBottom);
  undone_ = 0;
  if (bottom_) bottom_->Start();
  if (has_vectors()) readings_.SetVector(0, bottom_vector);
  readings_.Write(stack_, bottom_.get(), reading);
}

template <typename T>
void NondeterministicStack<T>::Step(const T* logits, const T* vector, T* reading) {
  if (!started_) throw Error("pushdown::NondeterministicStack::Step", "Start comes first");
  CheckVector(vector, "Step");
  if (!widened_ && NeedsDouble(logits, spec_.logits_size())) Widen();
  if (widened_) {
    wide_->stack.Step(Wide::In(logits, wide_->logits), Wide::In(vector, wide_->vector),
                      wide_->reading.data());
    return Wide::Out(wide_->reading, reading);
  }
  stack_.Step(logits);
  undone_ = 0;
  if (bottom_) bottom_->Step(stack_, logits);
  if (has_vectors()) readings_.SetVector(stack_.now(), vector);
  readings_.Write(stack_, bottom_.get(), reading);
}

template <typename T>
double NondeterministicStack<T>::LogWeight() const {
  return widened_ ? wide_->stack.LogWeight() : stack_.column(stack_.now()).log_weight;
}

template <typename T>
void NondeterministicStack<T>::BackwardStep(const T* reading_gradient, T* logit_gradient,
                                            T* vector_gradient) {
  if (widened_) {
    wide_->stack.BackwardStep(Wide::In(reading_gradient, wide_->reading), wide_->logits.data(),
                              wide_->vector.data());
    Wide::Out(wide_->logits, logit_gradient);
    return Wide::Out(wide_->vector, vector_gradient);
  }
  const int t = stack_.now() - undone_;
  if (t <= stack_.boundary()) {
    throw Error("pushdown::NondeterministicStack::BackwardStep", "no step of this chunk is left");
  }
  if (!gradients_) {
    throw Error("pushdown::NondeterministicStack::BackwardStep", "made without gradients");
  }
  CheckVector(vector_gradient, "BackwardStep");
  if (undone_ == 0 && has_vectors()) readings_.ClearVectorGradients();
  readings_.Backward(stack_, bottom_.get(), t, reading_gradient);
  stack_.BackwardStep(t, readings_.log_alpha_gradient(), readings_.row_gradient(),
                      readings_.row_gradient_stride(), logit_gradient);
  if (bottom_) bottom_->BackwardStep(stack_, t, logit_gradient);
  if (has_vectors()) readings_.CopyVectorGradient(t, vector_gradient);
  ++undone_;
}

template <typename T>
void NondeterministicStack<T>::BackwardStart(const T* reading_gradient, T* bottom_vector_gradient) {
  if (widened_) {
    wide_->stack.BackwardStart(Wide::In(reading_gradient, wide_->reading), wide_->vector.data());
    return Wide::Out(wide_->vector, bottom_vector_gradient);
  }
  if (stack_.absolute_time(stack_.now() - undone_) != 0) {
    throw Error("pushdown::NondeterministicStack::BackwardStart", "the first step is not undone");
  }
  if (!has_vectors()) return;
  if (!gradients_) {
    throw Error("pushdown::NondeterministicStack::BackwardStart", "made without gradients");
  }
  CheckVector(bottom_vector_gradient, "BackwardStart");
  if (undone_ == 0) readings_.ClearVectorGradients();
  readings_.Backward(stack_, bottom_.get(), 0, reading_gradient);
  readings_.CopyVectorGradient(0, bottom_vector_gradient);
}

template <typename T>
void NondeterministicStack<T>::RestartBackward() {
  if (widened_) return wide_->stack.RestartBackward();
  undone_ = 0;  // with which the next BackwardStep clears what steps add to
}

template <typename T>
void NondeterministicStack<T>::ForwardSequence(int steps, const T* logits, const T* vectors,
                                               const T* bottom_vector, T* readings) {
  Start(bottom_vector, readings);
  for (int t = 1; t <= steps; ++t) {
    readings += spec_.reading_size();
    Step(logits, vectors, readings);
    logits += spec_.logits_size();
    if (has_vectors()) vectors += spec_.vector_size;
  }
}

template <typename T>
void NondeterministicStack<T>::BackwardSequence(int steps, const T* reading_gradients,
                                                T* logit_gradients, T* vector_gradients,
                                                T* bottom_vector_gradient) {
  for (int t = steps; t >= 1; --t) {
    BackwardStep(reading_gradients + static_cast<std::ptrdiff_t>(t) * spec_.reading_size(),
                 logit_gradients + static_cast<std::ptrdiff_t>(t - 1) * spec_.logits_size(),
                 has_vectors()
                     ? vector_gradients + static_cast<std::ptrdiff_t>(t - 1) * spec_.vector_size
                     : nullptr);
  }
  BackwardStart(reading_gradients, bottom_vector_gradient);
}

template class NondeterministicStack<float>;
template class NondeterministicStack<double>;

}  // namespace pushdown
