#include "pushdown/model/stack_rnn.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "pushdown/error.h"
#include "pushdown/kernels/activations.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/denormals.h"
#include "pushdown/kernels/rows.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/kernels/zero_buffer.h"

namespace pushdown {
namespace {

int StackLayerOutputs(const ParameterLayout& layout) {
  int outputs = 0;
  for (const AffineLayer& layer : layout.stack) outputs += layer.outputs;
  return outputs;
}

int StackSteps(int max_length) { return std::max(max_length - 1, 0); }

template <typename T>
T Sigmoid(T x) {
  return T{1} / (T{1} + std::exp(-x));
}

// The weights of a superposition stack: each three logits become probabilities.
template <typename T>
void SoftmaxOfThree(int count, T* logits) {
  for (T* three = logits; three < logits + 3 * count; three += 3) {
    const T max = std::max({three[0], three[1], three[2]});
    T sum = 0;
    for (int k = 0; k < 3; ++k) sum += three[k] = std::exp(three[k] - max);
    for (int k = 0; k < 3; ++k) three[k] /= sum;
  }
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

template <typename T>
StackRnn<T>::StackRnn(const ModelSpec& spec, int max_length, bool gradients)
    : spec_(spec), layout_(spec), max_length_(max_length), gradients_(gradients) {
  ValidateSteps(max_length);
  InitializeSimdTarget();
  InitializeBlas();
  if (const SuperpositionStackSpec* superposition = spec_.superposition()) {
    stack_.template emplace<SuperpositionStack<T>>(*superposition, StackSteps(max_length),
                                                   gradients);
  } else if (const NondeterministicStackSpec* nondeterministic = spec_.nondeterministic()) {
    stack_.template emplace<NondeterministicStack<T>>(*nondeterministic, StackSteps(max_length),
                                                      gradients);
    bottom_vector_.resize(static_cast<std::size_t>(nondeterministic->vector_size));
    bottom_vector_gradient_.resize(bottom_vector_.size());
  }
  state_stride_ = spec_.reading_size() + spec_.hidden_units;
  action_stride_ = StackLayerOutputs(layout_);
  const auto buffer = [&](std::ptrdiff_t row_size) {
    // Activations are read a vector's width beyond their ends.
    const auto size =
        (static_cast<std::size_t>(max_length) + 1) * static_cast<std::size_t>(row_size);
    return ZeroBuffer<T>(size + static_cast<std::size_t>(kRowPadding<T>));
  };
  string_.reserve(static_cast<std::size_t>(max_length));
  states_ = buffer(state_stride_);
  cells_ = buffer(spec_.hidden_units);
  tanh_cells_ = buffer(spec_.hidden_units);
  gates_ = buffer(4 * spec_.hidden_units);
  actions_ = buffer(action_stride_);
  probabilities_ = buffer(spec_.outputs());
  if (!gradients) return;
  state_gradients_ = buffer(state_stride_);
  gate_gradients_ = buffer(4 * spec_.hidden_units);
  action_gradients_ = buffer(action_stride_);
  cell_gradient_ = ZeroBuffer<T>(static_cast<std::size_t>(spec_.hidden_units + kRowPadding<T>));
  ones_ = buffer(1);
  std::fill_n(ones_.get(), max_length + 1, T{1});
}

template <typename T>
double StackRnn<T>::WorkspaceBytes(const ModelSpec& spec, int max_length, bool gradients) {
  const ParameterLayout layout(spec);
  const double state = spec.reading_size() + spec.hidden_units;
  const double actions = StackLayerOutputs(layout);
  double row = state + actions + 6.0 * spec.hidden_units + spec.outputs();
  if (gradients) row += state + actions + 4.0 * spec.hidden_units + 1;
  double bytes = row * (max_length + 1.0) * sizeof(T);
  const int steps = StackSteps(max_length);
  if (const SuperpositionStackSpec* superposition = spec.superposition()) {
    bytes += SuperpositionStack<T>::EstimateBytes(*superposition, steps, gradients);
  } else if (const NondeterministicStackSpec* nondeterministic = spec.nondeterministic()) {
    bytes += NondeterministicStack<T>::WorkspaceBytes(*nondeterministic, steps, gradients);
  }
  return bytes;
}

template <typename T>
double StackRnn<T>::EstimateBytes(const ModelSpec& spec, int max_length, bool gradients) {
  double bytes = WorkspaceBytes(spec, max_length, gradients);
  if (const NondeterministicStackSpec* stack = spec.nondeterministic()) {
    const int steps = StackSteps(max_length);
    bytes += NondeterministicStack<T>::EstimateBytes(*stack, steps, gradients) -
             NondeterministicStack<T>::WorkspaceBytes(*stack, steps, gradients);
  }
  return bytes;
}

template <typename T>
void StackRnn<T>::CheckSymbol(int symbol) const {
  if (symbol < 0 || symbol >= spec_.symbols) {
    throw Error("[pushdown::StackRnn] symbol " + std::to_string(symbol) +
                " is not one of the model's " + std::to_string(spec_.symbols));
  }
}

// --- The stack at time t: it takes actions(t), made from hidden(t), and its reading is in
// state(t).

template <typename T>
void StackRnn<T>::StartStack(const T* parameters) {
  if (auto* superposition = std::get_if<SuperpositionStack<T>>(&stack_)) {
    superposition->Start(state(0));
  } else if (auto* nondeterministic = std::get_if<NondeterministicStack<T>>(&stack_)) {
    std::transform(parameters + layout_.bottom_vector,
                   parameters + layout_.bottom_vector + bottom_vector_.size(),
                   bottom_vector_.begin(), Sigmoid<T>);
    nondeterministic->Start(bottom_vector_.empty() ? nullptr : bottom_vector_.data(), state(0));
  }
}

template <typename T>
void StackRnn<T>::StepStack(const T* parameters, int t) {
  T* out = actions(t);
  for (const AffineLayer& layer : layout_.stack) {
    std::copy_n(parameters + layer.bias, layer.outputs, out);
    AddProduct(layer.inputs, layer.outputs, hidden(t), parameters + layer.weights, out);
    out += layer.outputs;
  }
  if (auto* superposition = std::get_if<SuperpositionStack<T>>(&stack_)) {
    const int stacks = superposition->spec().stacks();
    T* vectors = actions(t) + superposition->spec().actions_size();
    SoftmaxOfThree(stacks, actions(t));
    if (!spec_.push_hidden) SigmoidInPlace(vectors, spec_.reading_size());
    superposition->Step(actions(t), spec_.push_hidden ? hidden(t) : vectors, state(t));
  } else if (auto* nondeterministic = std::get_if<NondeterministicStack<T>>(&stack_)) {
    const NondeterministicStackSpec& stack = nondeterministic->spec();
    T* vector = actions(t) + stack.logits_size();
    SigmoidInPlace(vector, stack.vector_size);
    nondeterministic->Step(actions(t), stack.vector_size > 0 ? vector : nullptr, state(t));
  }
}

// From the derivatives by the reading, adds to those by the hidden state.
template <typename T>
void StackRnn<T>::BackwardStack(const T* parameters, int t) {
  T* reading_gradient = state_gradients_.get() + t * state_stride_;
  T* hidden_gradient = reading_gradient + spec_.reading_size();
  T* action_gradient = action_gradients_.get() + t * action_stride_;
  if (auto* superposition = std::get_if<SuperpositionStack<T>>(&stack_)) {
    const int stacks = superposition->spec().stacks();
    const int vectors = superposition->spec().actions_size();
    if (spec_.push_hidden) {
      // The reading's derivatives are not needed any more, and have the size of the hidden state.
      superposition->BackwardStep(reading_gradient, action_gradient, reading_gradient);
      for (int n = 0; n < spec_.hidden_units; ++n) hidden_gradient[n] += reading_gradient[n];
    } else {
      superposition->BackwardStep(reading_gradient, action_gradient, action_gradient + vectors);
      SigmoidBackward(spec_.reading_size(), actions(t) + vectors, action_gradient + vectors);
    }
    SoftmaxOfThreeBackward(stacks, actions(t), action_gradient);
  } else if (auto* nondeterministic = std::get_if<NondeterministicStack<T>>(&stack_)) {
    const NondeterministicStackSpec& stack = nondeterministic->spec();
    const int vector = stack.logits_size();
    nondeterministic->BackwardStep(reading_gradient, action_gradient,
                                   stack.vector_size > 0 ? action_gradient + vector : nullptr);
    SigmoidBackward(stack.vector_size, actions(t) + vector, action_gradient + vector);
  }
  for (const AffineLayer& layer : layout_.stack) {
    AddTransposedProduct(layer.inputs, layer.outputs, parameters + layer.weights, action_gradient,
                         hidden_gradient);
    action_gradient += layer.outputs;
  }
}

// --- One symbol.

template <typename T>
void StackRnn<T>::StepController(const T* parameters, int symbol, int t) {
  const int gate_count = 4 * spec_.hidden_units;
  const T* weights = parameters + layout_.controller.weights;
  const T* bias = parameters + layout_.controller.bias;
  // A one-hot input selects a row.
  const T* row = weights + static_cast<std::ptrdiff_t>(symbol) * gate_count;
  T* out = gates(t);
  for (int n = 0; n < gate_count; ++n) out[n] = bias[n] + row[n];
  AddProduct(static_cast<int>(state_stride_), gate_count, state(t - 1),
             weights + static_cast<std::ptrdiff_t>(spec_.symbols) * gate_count, out);
  LstmForward(spec_.hidden_units, out, cell(t - 1), cell(t), tanh_cell(t), hidden(t));
}

// --- One string.

template <typename T>
double StackRnn<T>::Forward(const T* parameters, std::span<const int> string) {
  if (string.size() > static_cast<std::size_t>(max_length_)) {
    throw Error("[pushdown::StackRnn] a string of " + std::to_string(string.size()) +
                " symbols, and the model was made for " + std::to_string(max_length_));
  }
  for (int symbol : string) CheckSymbol(symbol);
  const FlushDenormals flush;
  string_.assign(string.begin(), string.end());
  const int length = static_cast<int>(string.size());

  StartStack(parameters);  // h_0 and c_0 are zero and stay so
  for (int t = 1; t <= length; ++t) {
    StepController(parameters, string_[static_cast<std::size_t>(t - 1)], t);
    if (t < length) StepStack(parameters, t);
  }

  const AffineLayer& output = layout_.output;
  const auto logits = [&](int t) {
    return probabilities_.get() + std::ptrdiff_t{t} * output.outputs;
  };
  for (int t = 0; t <= length; ++t) {
    std::copy_n(parameters + output.bias, output.outputs, logits(t));
  }
  AddProducts(length + 1, output.inputs, output.outputs, Steps<const T>{hidden(0), state_stride_},
              parameters + output.weights, Steps<T>{logits(0), output.outputs});
  double loss = 0;
  for (int t = 0; t <= length; ++t) {
    const int target = t < length ? string_[static_cast<std::size_t>(t)] : spec_.end();
    loss += SoftmaxCrossEntropy(logits(t), output.outputs, target);
  }
  return loss;
}

template <typename T>
void StackRnn<T>::Backward(const T* parameters, T scale, T* gradient) {
  if (!gradients_) throw Error("[pushdown::StackRnn] was made without gradients");
  const FlushDenormals flush;
  const int length = static_cast<int>(string_.size());
  const int gate_count = 4 * spec_.hidden_units;
  const auto add_bias = [&](int steps, int outputs, Steps<const T> gradients, T* bias) {
    AddOuterProducts(steps, 1, outputs, Steps<const T>{ones_.get(), 1}, gradients, bias);
  };

  // The loss and the output layer.
  const AffineLayer& output = layout_.output;
  for (int t = 0; t <= length; ++t) {
    T* row = probabilities_.get() + std::ptrdiff_t{t} * output.outputs;
    row[t < length ? string_[static_cast<std::size_t>(t)] : spec_.end()] -= T{1};
    for (int n = 0; n < output.outputs; ++n) row[n] *= scale;
  }
  const Steps<const T> logit_gradients = {probabilities_.get(), output.outputs};
  AddOuterProducts(length + 1, output.inputs, output.outputs,
                   Steps<const T>{hidden(0), state_stride_}, logit_gradients,
                   gradient + output.weights);
  add_bias(length + 1, output.outputs, logit_gradients, gradient + output.bias);
  std::fill_n(state_gradients_.get(), (length + 1) * state_stride_, T{0});
  AddTransposedProducts(length + 1, output.inputs, output.outputs, parameters + output.weights,
                        logit_gradients,
                        Steps<T>{state_gradients_.get() + spec_.reading_size(), state_stride_});

  // Back through time: the derivatives by what happened at t.
  const AffineLayer& controller = layout_.controller;
  const std::ptrdiff_t recurrent = std::ptrdiff_t{spec_.symbols} * gate_count;
  const auto gate_gradient = [&](int t) {
    return gate_gradients_.get() + std::ptrdiff_t{t} * gate_count;
  };
  std::fill_n(cell_gradient_.get(), spec_.hidden_units, T{0});
  for (int t = length; t >= 1; --t) {
    if (t < length) BackwardStack(parameters, t);
    LstmBackward(spec_.hidden_units, gates(t), cell(t - 1), tanh_cell(t),
                 state_gradients_.get() + t * state_stride_ + spec_.reading_size(),
                 cell_gradient_.get(), gate_gradient(t));
    AddTransposedProduct(static_cast<int>(state_stride_), gate_count,
                         parameters + controller.weights + recurrent, gate_gradient(t),
                         state_gradients_.get() + (t - 1) * state_stride_);
  }

  // The weights, summed over time.
  const Steps<const T> gate_gradients = {gate_gradient(1), gate_count};
  for (int t = 1; t <= length; ++t) {
    T* row = gradient + controller.weights +
             std::ptrdiff_t{string_[static_cast<std::size_t>(t - 1)]} * gate_count;
    for (int n = 0; n < gate_count; ++n) row[n] += gate_gradient(t)[n];
  }
  AddOuterProducts(length, static_cast<int>(state_stride_), gate_count,
                   Steps<const T>{state(0), state_stride_}, gate_gradients,
                   gradient + controller.weights + recurrent);
  add_bias(length, gate_count, gate_gradients, gradient + controller.bias);
  const int stack_steps = StackSteps(length);
  Steps<const T> action_gradients = {action_gradients_.get() + action_stride_, action_stride_};
  for (const AffineLayer& layer : layout_.stack) {
    if (stack_steps == 0) break;
    AddOuterProducts(stack_steps, layer.inputs, layer.outputs,
                     Steps<const T>{hidden(1), state_stride_}, action_gradients,
                     gradient + layer.weights);
    add_bias(stack_steps, layer.outputs, action_gradients, gradient + layer.bias);
    action_gradients.data += layer.outputs;
  }
  if (!bottom_vector_.empty()) {
    T* bottom = bottom_vector_gradient_.data();
    const std::size_t size = bottom_vector_.size();
    std::get<NondeterministicStack<T>>(stack_).BackwardStart(state_gradients_.get(), bottom);
    SigmoidBackward(static_cast<int>(size), bottom_vector_.data(), bottom);
    for (std::size_t n = 0; n < size; ++n) gradient[layout_.bottom_vector + n] += bottom[n];
  }
}

// --- A string that is not known in advance.

template <typename T>
void StackRnn<T>::Start(const T* parameters, T* log_probabilities) {
  const FlushDenormals flush;
  StartStack(parameters);
  now_ = 0;
  WriteLogProbabilities(parameters, log_probabilities);
}

template <typename T>
void StackRnn<T>::Step(const T* parameters, int symbol, T* log_probabilities) {
  CheckSymbol(symbol);
  if (now_ == max_length_) {
    throw Error("[pushdown::StackRnn] more than the " + std::to_string(max_length_) +
                " symbols that the model was made for");
  }
  const FlushDenormals flush;
  // Only now is it known that the reading is needed.
  if (now_ > 0) StepStack(parameters, now_);
  StepController(parameters, symbol, ++now_);
  WriteLogProbabilities(parameters, log_probabilities);
}

template <typename T>
void StackRnn<T>::WriteLogProbabilities(const T* parameters, T* log_probabilities) {
  const AffineLayer& output = layout_.output;
  std::copy_n(parameters + output.bias, output.outputs, log_probabilities);
  AddProduct(output.inputs, output.outputs, hidden(now_), parameters + output.weights,
             log_probabilities);
  std::copy_n(log_probabilities, output.outputs, probabilities_.get());
  const double loss = SoftmaxCrossEntropy(probabilities_.get(), output.outputs, 0);
  // log p = logit - log of the sum of all exp(logit), and the first one's is -loss.
  const double shift = static_cast<double>(log_probabilities[0]) + loss;
  for (int n = 0; n < output.outputs; ++n) {
    log_probabilities[n] = static_cast<T>(static_cast<double>(log_probabilities[n]) - shift);
  }
}

template class StackRnn<float>;
template class StackRnn<double>;

}  // namespace pushdown
