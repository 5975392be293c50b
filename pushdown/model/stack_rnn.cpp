#include "pushdown/model/stack_rnn.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "pushdown/error.h"
#include "pushdown/kernels/activations.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/denormals.h"
#include "pushdown/kernels/lstm.h"
#include "pushdown/kernels/rows.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/kernels/zero_buffer.h"
#include "pushdown/model/log_softmax.h"

namespace pushdown {
namespace {

int StackSteps(int max_length) { return std::max(max_length - 1, 0); }

// Without the stack.
template <typename T>
double OwnBytes(const ModelSpec& spec, int max_length, bool gradients) {
  const ParameterLayout layout(spec);
  const double hidden = spec.hidden_units;
  const auto stride = [](int size) { return static_cast<double>(AffineMatrix<T>::Stride(size)); };
  const double state = stride(spec.reading_size()) + stride(spec.hidden_units + 1);
  const double gates = stride(4 * spec.hidden_units);
  const double actions = stride(StackLayerOutputs(layout));
  double row = state + gates + actions + 2 * stride(spec.hidden_units) + spec.outputs();
  double elements = (spec.reading_size() + hidden + 1) * gates + (hidden + 1) * actions;
  if (gradients) {
    row += state + gates + actions;
    elements += (hidden + 1) * actions;
  }
  return (row * (max_length + 1.0) + elements) * sizeof(T);
}

}  // namespace

template <typename T>
StackRnn<T>::StackRnn(const ModelSpec& spec, int max_length, bool gradients)
    : spec_(spec),
      layout_(spec),
      max_length_(max_length),
      gradients_(gradients),
      stack_((ValidateSteps(max_length), spec), StackSteps(max_length), gradients),
      reading_size_(spec.reading_size()) {
  if (spec.is_text()) throw Error("[pushdown::StackRnn] a model of text, not of strings");
  InitializeSimdTarget();
  InitializeBlas();
  controller_ = AffineMatrix<T>(reading_size_ + spec_.hidden_units + 1, 4 * spec_.hidden_units);
  if (!layout_.stack.empty()) {
    stack_layers_ = AffineMatrix<T>(spec_.hidden_units + 1, StackLayerOutputs(layout_));
  }
  reading_stride_ = AffineMatrix<T>::Stride(reading_size_);
  state_stride_ = reading_stride_ + AffineMatrix<T>::Stride(spec_.hidden_units + 1);
  cell_stride_ = AffineMatrix<T>::Stride(spec_.hidden_units);
  gate_stride_ = controller_.stride();
  action_stride_ = stack_layers_.stride();
  const auto buffer = [&](std::ptrdiff_t row_size) {
    // Activations are read a vector's width beyond their ends.
    const auto size =
        (static_cast<std::size_t>(max_length) + 1) * static_cast<std::size_t>(row_size);
    return ZeroBuffer<T>(size + static_cast<std::size_t>(kRowPadding<T>));
  };
  targets_.reserve(static_cast<std::size_t>(max_length) + 1);
  states_ = buffer(state_stride_);
  for (int t = 0; t <= max_length; ++t) hidden(t)[spec_.hidden_units] = 1;
  cells_ = buffer(cell_stride_);
  tanh_cells_ = buffer(cell_stride_);
  gates_ = buffer(gate_stride_);
  actions_ = buffer(action_stride_);
  probabilities_ = buffer(spec_.outputs());
  if (!gradients) return;
  state_gradients_ = buffer(state_stride_);
  gate_gradients_ = buffer(gate_stride_);
  action_gradients_ = buffer(action_stride_);
  cell_gradient_ = ZeroBuffer<T>(static_cast<std::size_t>(spec_.hidden_units + kRowPadding<T>));
  stack_weight_gradients_ = ZeroBuffer<T>(
      static_cast<std::size_t>(stack_layers_.rows() * action_stride_ + kRowPadding<T>));
}

template <typename T>
double StackRnn<T>::WorkspaceBytes(const ModelSpec& spec, int max_length, bool gradients) {
  return OwnBytes<T>(spec, max_length, gradients) +
         DrivenStack<T>::WorkspaceBytes(spec, StackSteps(max_length), gradients);
}

template <typename T>
double StackRnn<T>::EstimateBytes(const ModelSpec& spec, int max_length, bool gradients) {
  return OwnBytes<T>(spec, max_length, gradients) +
         DrivenStack<T>::EstimateBytes(spec, StackSteps(max_length), gradients);
}

template <typename T>
void StackRnn<T>::CheckSymbol(int symbol) const {
  if (symbol < 0 || symbol >= spec_.symbols) {
    throw Error("[pushdown::StackRnn] symbol " + std::to_string(symbol) +
                " is not one of the model's " + std::to_string(spec_.symbols));
  }
}

template <typename T>
void StackRnn<T>::CopyWeights(const T* parameters) {
  // A layer's bias follows its weights.
  const AffineLayer& controller = layout_.controller;
  const T* recurrent = parameters + controller.weights +
                       static_cast<std::ptrdiff_t>(spec_.symbols) * controller.outputs;
  controller_.CopyColumns(recurrent, controller.outputs, 0);
  int column = 0;
  for (const AffineLayer& layer : layout_.stack) {
    stack_layers_.CopyColumns(parameters + layer.weights, layer.outputs, column);
    column += layer.outputs;
  }
}

// --- The stack at time t: it takes actions(t), made from hidden(t), and its reading is in
// state(t).

template <typename T>
void StackRnn<T>::StepStack(int t) {
  if (layout_.stack.empty()) return;
  if (const SuperpositionStackSpec* superposition = spec_.superposition()) {
    // Product and activations at once: there is little else to do.
    SuperpositionActions(stack_layers_, hidden(t), superposition->stacks(),
                         spec_.push_hidden ? 0 : reading_size_, actions(t));
  } else {
    Affine<T>(stack_layers_, hidden(t), nullptr, actions(t));
    stack_.Activate(actions(t));
  }
  stack_.Step(actions(t), hidden(t), state(t));
}

// From the derivatives by the reading, adds to those by the hidden state.
template <typename T>
void StackRnn<T>::BackwardStack(int t) {
  if (layout_.stack.empty()) return;
  T* action_gradient = action_gradients_.get() + t * action_stride_;
  stack_.BackwardStep(actions(t), state_gradient(t), action_gradient, hidden_gradient(t));
  AffineBackward(stack_layers_, spec_.hidden_units, action_gradient, hidden_gradient(t));
}

// --- One symbol.

template <typename T>
void StackRnn<T>::StepController(const T* parameters, int symbol, int t) {
  // A one-hot input selects a row, which is read to the end of a vector: the rows of the hidden
  // state, the bias and the output layer follow it.
  const T* row =
      parameters + layout_.controller.weights + std::ptrdiff_t{symbol} * layout_.controller.outputs;
  LstmForward(spec_.hidden_units, controller_, state(t - 1), row, cell(t - 1), gates(t), cell(t),
              tanh_cell(t), hidden(t));
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
  targets_.assign(string.begin(), string.end());
  targets_.push_back(spec_.end());
  const int length = static_cast<int>(string.size());

  CopyWeights(parameters);
  stack_.Start(parameters + layout_.bottom_vector, state(0));  // h_0 and c_0 are zero and stay so
  for (int t = 1; t <= length; ++t) {
    StepController(parameters, string[static_cast<std::size_t>(t - 1)], t);
    if (t < length) StepStack(t);
  }

  const AffineLayer& output = layout_.output;
  T* logits = probabilities_.get();
  std::fill_n(logits, std::ptrdiff_t{length + 1} * output.outputs, T{0});
  AddProducts(length + 1, output.inputs + 1, output.outputs,
              Steps<const T>{hidden(0), state_stride_}, parameters + output.weights,
              Steps<T>{logits, output.outputs});
  return SoftmaxCrossEntropy(length + 1, output.outputs, logits, targets_.data(), gradients_);
}

template <typename T>
void StackRnn<T>::Backward(const T* parameters, T scale, T* gradient) {
  if (!gradients_) throw Error("[pushdown::StackRnn] was made without gradients");
  const FlushDenormals flush;
  const int length = static_cast<int>(targets_.size()) - 1;

  // The loss and the output layer.
  const AffineLayer& output = layout_.output;
  for (int t = 0; t <= length; ++t) {
    T* row = probabilities_.get() + std::ptrdiff_t{t} * output.outputs;
    row[targets_[static_cast<std::size_t>(t)]] -= T{1};
    for (int n = 0; n < output.outputs; ++n) row[n] *= scale;
  }
  const Steps<const T> logit_gradients = {probabilities_.get(), output.outputs};
  AddOuterProducts(length + 1, output.inputs + 1, output.outputs,
                   Steps<const T>{hidden(0), state_stride_}, logit_gradients,
                   gradient + output.weights);
  std::fill_n(state_gradients_.get(), (length + 1) * state_stride_, T{0});
  AddTransposedProducts(length + 1, output.inputs, output.outputs, parameters + output.weights,
                        logit_gradients, Steps<T>{hidden_gradient(0), state_stride_});

  // Back through time: the derivatives by what happened at t.
  const auto gate_gradient = [&](int t) { return gate_gradients_.get() + t * gate_stride_; };
  std::fill_n(cell_gradient_.get(), spec_.hidden_units, T{0});
  for (int t = length; t >= 1; --t) {
    if (t < length) BackwardStack(t);
    LstmBackward(spec_.hidden_units, controller_, gates(t), cell(t - 1), tanh_cell(t),
                 hidden_gradient(t), cell_gradient_.get(), gate_gradient(t), state_gradient(t - 1));
  }

  // The weights, summed over time.
  const int gate_count = layout_.controller.outputs;
  T* symbol_rows = gradient + layout_.controller.weights;
  for (int t = 1; t <= length; ++t) {
    T* row = symbol_rows + std::ptrdiff_t{targets_[static_cast<std::size_t>(t - 1)]} * gate_count;
    for (int n = 0; n < gate_count; ++n) row[n] += gate_gradient(t)[n];
  }
  AddOuterProducts(length, controller_.rows(), gate_count, Steps<const T>{state(0), state_stride_},
                   Steps<const T>{gate_gradient(1), gate_stride_},
                   symbol_rows + std::ptrdiff_t{spec_.symbols} * gate_count);
  if (!layout_.stack.empty()) {
    const int stride = stack_layers_.stride();
    T* weights = stack_weight_gradients_.get();
    std::fill_n(weights, stack_layers_.rows() * action_stride_, T{0});
    AddOuterProducts(StackSteps(length), stack_layers_.rows(), stride,
                     Steps<const T>{hidden(1), state_stride_},
                     Steps<const T>{action_gradients_.get() + stride, stride}, weights);
    for (const AffineLayer& layer : layout_.stack) {
      T* out = gradient + layer.weights;
      for (int row = 0; row < stack_layers_.rows(); ++row) {
        for (int n = 0; n < layer.outputs; ++n) *out++ += weights[row * action_stride_ + n];
      }
      weights += layer.outputs;
    }
  }
  stack_.BackwardStart(state_gradient(0), gradient + layout_.bottom_vector);
}

// --- A string that is not known in advance.

template <typename T>
void StackRnn<T>::Start(const T* parameters, T* log_probabilities) {
  const FlushDenormals flush;
  CopyWeights(parameters);
  stack_.Start(parameters + layout_.bottom_vector, state(0));
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
  if (now_ > 0) StepStack(now_);
  StepController(parameters, symbol, ++now_);
  WriteLogProbabilities(parameters, log_probabilities);
}

template <typename T>
std::span<const T> StackRnn<T>::hidden() const {
  return {hidden(now_), static_cast<std::size_t>(spec_.hidden_units)};
}

template <typename T>
std::span<const T> StackRnn<T>::reading() const {
  return {state(std::max(now_ - 1, 0)), static_cast<std::size_t>(reading_size_)};
}

template <typename T>
void StackRnn<T>::WriteLogProbabilities(const T* parameters, T* log_probabilities) {
  const AffineLayer& output = layout_.output;
  std::fill_n(log_probabilities, output.outputs, T{0});
  AddProducts(1, output.inputs + 1, output.outputs, Steps<const T>{hidden(now_), state_stride_},
              parameters + output.weights, Steps<T>{log_probabilities, output.outputs});
  LogSoftmaxInPlace(std::span(log_probabilities, static_cast<std::size_t>(output.outputs)));
}

template class StackRnn<float>;
template class StackRnn<double>;

}  // namespace pushdown
