#include "pushdown/model/stack_rnn.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/activations.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/denormals.h"
#include "pushdown/model/log_softmax.h"
#include "pushdown/model/recurrence.h"
#include "pushdown/model/workspace.h"

namespace pushdown {
namespace {

constexpr Range kTheRow = {0, 1};

// Nothing reads the stack after the last symbol.
RecurrenceSize SizeFor(int max_length, bool gradients) {
  return {.rows = 1,
          .steps = max_length,
          .stack_steps = std::max(max_length - 1, 0),
          .gradients = gradients};
}

// What the output layer makes of a string, all steps at once.
template <typename T>
struct StringOutputs {
  void Place(const ModelSpec& spec, int max_length, Workspace<T>& workspace) {
    const std::int64_t times = std::int64_t{max_length} + 1;
    probabilities = workspace.Table(times, spec.outputs());
    workspace.Reserve(targets, times);
  }
  int length() const { return static_cast<int>(targets.size()) - 1; }

  T* probabilities = nullptr;  // [t][outputs], then the derivatives by the logits
  std::vector<int> targets;    // of the newest Forward: its string and the end
};

}  // namespace

template <typename T>
struct StackRnn<T>::Parts {
  using StringRecurrence = Recurrence<T, FusedProducts<T>>;

  Parts(const ModelSpec& spec, int max_length, bool gradients)
      : recurrence(spec, SizeFor(max_length, gradients)),
        buffer(MakeTables<T>(
            [&](Workspace<T>& workspace) { outputs.Place(spec, max_length, workspace); })) {}

  StringRecurrence recurrence;  // token t - 1 leaves h_t at place t
  StringOutputs<T> outputs;
  hwy::AlignedFreeUniquePtr<T[]> buffer;  // of the outputs
};

template <typename T>
StackRnn<T>::StackRnn(const ModelSpec& spec, int max_length, bool gradients) {
  ValidateSteps(max_length);
  if (spec.is_text()) throw Error("pushdown::StackRnn", "a model of text, not of strings");
  parts_ = std::make_unique<Parts>(spec, max_length, gradients);
}

template <typename T>
StackRnn<T>::~StackRnn() = default;
template <typename T>
StackRnn<T>::StackRnn(StackRnn&& other) noexcept = default;
template <typename T>
StackRnn<T>& StackRnn<T>::operator=(StackRnn&& other) noexcept = default;

template <typename T>
double StackRnn<T>::WorkspaceBytes(const ModelSpec& spec, int max_length, bool gradients) {
  StringOutputs<T> outputs;
  return Parts::StringRecurrence::WorkspaceBytes(spec, SizeFor(max_length, gradients)) +
         CountBytes<T>(
             [&](Workspace<T>& workspace) { outputs.Place(spec, max_length, workspace); });
}

template <typename T>
double StackRnn<T>::EstimateBytes(const ModelSpec& spec, int max_length, bool gradients) {
  return WorkspaceBytes(spec, max_length, gradients) +
         Parts::StringRecurrence::WideBytes(spec, SizeFor(max_length, gradients));
}

template <typename T>
const ModelSpec& StackRnn<T>::spec() const {
  return parts_->recurrence.spec();
}

template <typename T>
const ParameterLayout& StackRnn<T>::layout() const {
  return parts_->recurrence.layout();
}

template <typename T>
int StackRnn<T>::max_length() const {
  return parts_->recurrence.tables().size.steps;
}

template <typename T>
void StackRnn<T>::CheckSymbol(int symbol) const {
  if (symbol < 0 || symbol >= spec().symbols) {
    throw Error("pushdown::StackRnn", "symbol " + std::to_string(symbol) +
                                          " is not one of the model's " +
                                          std::to_string(spec().symbols));
  }
}

// --- The input layer. A one-hot input selects a row of the weights. The row is read to the end of
// a vector: those of the hidden state, the bias and the output layer follow it.

template <typename T>
void StackRnn<T>::AppendInput(const T* parameters, int symbol) {
  const AffineLayer& controller = layout().controller;
  parts_->recurrence.products().AppendInput(parameters + controller.weights +
                                            std::ptrdiff_t{symbol} * controller.outputs);
}

template <typename T>
void StackRnn<T>::AddInputGradients(T* gradient) const {
  const RecurrenceTables<T>& tables = parts_->recurrence.tables();
  const int gates = layout().controller.outputs;
  for (int n = 0; n < parts_->outputs.length(); ++n) {
    const std::ptrdiff_t symbol = parts_->outputs.targets[static_cast<std::size_t>(n)];
    T* row = gradient + layout().controller.weights + symbol * gates;
    for (int k = 0; k < gates; ++k) row[k] += tables.gate_gradient(n)[k];
  }
}

// --- One string.

template <typename T>
void StackRnn<T>::StartString(const T* parameters) {
  parts_->recurrence.products().CopyWeights(parts_->recurrence.tables(), parameters);
  parts_->recurrence.products().ClearInputs();
  parts_->recurrence.Start(parameters, 1);
  length_ = 0;
}

template <typename T>
double StackRnn<T>::Forward(const T* parameters, std::span<const int> string) {
  if (string.size() > static_cast<std::size_t>(max_length())) {
    throw Error("pushdown::StackRnn", "a string of " + std::to_string(string.size()) +
                                          " symbols, and the model was made for " +
                                          std::to_string(max_length()));
  }
  for (int symbol : string) CheckSymbol(symbol);
  const FlushDenormals flush;
  parts_->outputs.targets.assign(string.begin(), string.end());
  parts_->outputs.targets.push_back(spec().end());

  StartString(parameters);
  for (int symbol : string) AppendInput(parameters, symbol);
  parts_->recurrence.Forward(kTheRow, parts_->outputs.length());
  length_ = parts_->outputs.length();

  const RecurrenceTables<T>& tables = parts_->recurrence.tables();
  const AffineLayer& output = layout().output;
  T* logits = parts_->outputs.probabilities;
  std::fill_n(logits, std::ptrdiff_t{length_ + 1} * output.outputs, T{0});
  AddProducts(length_ + 1, output.inputs + 1, output.outputs,
              Steps<const T>{tables.hidden(0), tables.state_stride}, parameters + output.weights,
              Steps<T>{logits, output.outputs});
  return SoftmaxCrossEntropy(length_ + 1, output.outputs, logits, parts_->outputs.targets.data(),
                             tables.size.gradients);
}

template <typename T>
void StackRnn<T>::Backward(const T* parameters, T scale, T* gradient) {
  const RecurrenceTables<T>& tables = parts_->recurrence.tables();
  if (!tables.size.gradients) throw Error("pushdown::StackRnn", "was made without gradients");
  const FlushDenormals flush;
  const int length = parts_->outputs.length();

  // The loss and the output layer.
  const AffineLayer& output = layout().output;
  for (int t = 0; t <= length; ++t) {
    T* row = parts_->outputs.probabilities + std::ptrdiff_t{t} * output.outputs;
    row[parts_->outputs.targets[static_cast<std::size_t>(t)]] -= T{1};
    for (int n = 0; n < output.outputs; ++n) row[n] *= scale;
  }
  const Steps<const T> logit_gradients = {parts_->outputs.probabilities, output.outputs};
  AddOuterProducts(length + 1, output.inputs + 1, output.outputs,
                   Steps<const T>{tables.hidden(0), tables.state_stride}, logit_gradients,
                   gradient + output.weights);
  tables.ClearStateGradients({0, length + 1});
  AddTransposedProducts(length + 1, output.inputs, output.outputs, parameters + output.weights,
                        logit_gradients, Steps<T>{tables.hidden_gradient(0), tables.state_stride});

  parts_->recurrence.Backward(kTheRow, length, /*began=*/true);
  AddInputGradients(gradient);
  parts_->recurrence.products().AddWeightGradients(tables, length, gradient);
  parts_->recurrence.AddBottomGradients(gradient);
}

// --- A string that is not known in advance.

template <typename T>
void StackRnn<T>::Start(const T* parameters, T* log_probabilities) {
  const FlushDenormals flush;
  StartString(parameters);
  WriteLogProbabilities(parameters, log_probabilities);
}

template <typename T>
void StackRnn<T>::Step(const T* parameters, int symbol, T* log_probabilities) {
  CheckSymbol(symbol);
  if (length_ == max_length()) {
    throw Error("pushdown::StackRnn", "more than the " + std::to_string(max_length()) +
                                          " symbols that the model was made for");
  }
  const FlushDenormals flush;
  // Only now is it known that the reading is needed.
  if (length_ > 0 && parts_->recurrence.has_stack())
    parts_->recurrence.StepStacks({length_ - 1, length_});
  AppendInput(parameters, symbol);
  parts_->recurrence.StepLstm({length_, length_ + 1});
  ++length_;
  WriteLogProbabilities(parameters, log_probabilities);
}

template <typename T>
void StackRnn<T>::WriteLogProbabilities(const T* parameters, T* log_probabilities) {
  const RecurrenceTables<T>& tables = parts_->recurrence.tables();
  const AffineLayer& output = layout().output;
  std::fill_n(log_probabilities, output.outputs, T{0});
  AddProducts(1, output.inputs + 1, output.outputs,
              Steps<const T>{tables.hidden(length_), tables.state_stride},
              parameters + output.weights, Steps<T>{log_probabilities, output.outputs});
  LogSoftmaxInPlace(std::span(log_probabilities, static_cast<std::size_t>(output.outputs)));
}

// --- What happened at a time.

template <typename T>
void StackRnn<T>::CheckTime(const char* what, int t, int first, int last) const {
  if (t >= first && t <= last) return;
  throw Error("pushdown::StackRnn", std::string("there is no ") + what + " of time " +
                                        std::to_string(t) + " of a string of " +
                                        std::to_string(length_) + " symbols");
}

template <typename T>
std::span<const T> StackRnn<T>::hidden(int t) const {
  CheckTime("hidden state", t, 0, length_);
  return parts_->recurrence.hidden(t);
}

template <typename T>
std::span<const T> StackRnn<T>::reading(int t) const {
  CheckTime("reading", t, 0, std::max(length_ - 1, 0));
  return parts_->recurrence.reading(t);
}

template <typename T>
double StackRnn<T>::LogStackWeight() const {
  return parts_->recurrence.stack(0).LogWeight();
}

template <typename T>
std::span<const T> StackRnn<T>::actions(int t) const {
  CheckTime("action", t, 1, length_ - 1);
  return parts_->recurrence.actions(t - 1);
}

template class StackRnn<float>;
template class StackRnn<double>;

}  // namespace pushdown
