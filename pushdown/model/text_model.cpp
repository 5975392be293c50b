#include "pushdown/model/text_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "pushdown/error.h"
#include "pushdown/kernels/activations.h"
#include "pushdown/kernels/carried_bytes.h"
#include "pushdown/kernels/denormals.h"
#include "pushdown/kernels/lstm.h"
#include "pushdown/kernels/rows.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/kernels/zero_buffer.h"
#include "pushdown/model/log_softmax.h"

namespace pushdown {
namespace {

// How work is cut does not depend on the number of threads, since OpenBLAS may round differently
// for other sizes. Larger blocks are faster, and more of them can be spread better.
constexpr int kBlockTokens = 140;
constexpr double kBlockMultiplyAdds = 2e8;
// Rows of text that go through time together; a row's result does not depend on the others.
constexpr int kMaxRowsAtOnce = 8;

int BlockTokens(int tokens) { return std::min(tokens, kBlockTokens); }

void CheckSize(const char* what, int value) {
  if (value >= 1) return;
  throw Error(std::string("[pushdown::TextModel] the number of ") + what + " is " +
              std::to_string(value) + ", must be positive");
}

// Whole vectors are loaded from where the output gates begin, which come last.
template <typename T>
int GateStride(int hidden_units) {
  return RoundUpToVectors<T>(3 * hidden_units + RoundUpToVectors<T>(hidden_units));
}

// Whole vectors are loaded from where the pushed vectors begin, which may be anywhere.
template <typename T>
int ActionStride(int actions_size) {
  return actions_size == 0 ? 0 : RowStride<T>(actions_size);
}

void CheckBounded(const ModelSpec& spec) {
  const NondeterministicStackSpec* nondeterministic = spec.nondeterministic();
  const SuperpositionStackSpec* superposition = spec.superposition();
  if ((nondeterministic != nullptr && nondeterministic->window == 0) ||
      (superposition != nullptr && superposition->depth_limit == 0)) {
    throw Error("[pushdown::TextModel] " + ModelName(spec) + " has no " +
                (superposition != nullptr ? "depth limit" : "window") +
                ", and would grow without end");
  }
}

}  // namespace

template <typename T>
TextModel<T>::TextModel(const ModelSpec& spec, int max_rows, int max_steps, bool gradients,
                        WorkerPool& pool)
    : spec_(spec),
      layout_(spec),
      max_rows_(max_rows),
      max_steps_(max_steps),
      gradients_(gradients),
      pool_(&pool),
      reading_size_(spec.reading_size()) {
  if (!spec.is_text()) throw Error("[pushdown::TextModel] a model of strings, not of text");
  CheckBounded(spec);
  CheckSize("rows", max_rows);
  CheckSize("steps", max_steps);
  if (max_rows > kMaxSteps / max_steps) {
    throw Error("[pushdown::TextModel] chunks of " + std::to_string(max_rows) + " rows and " +
                std::to_string(max_steps) + " steps are too large");
  }
  InitializeSimdTarget();
  InitializeBlas();
  ReserveBlasBuffers(pool.threads());
  stacks_.reserve(static_cast<std::size_t>(max_rows));
  for (int row = 0; row < max_rows; ++row) stacks_.emplace_back(spec, max_steps, gradients);

  const int hidden_units = spec.hidden_units;
  const int actions_size = StackLayerOutputs(layout_);
  recurrent_ = PanelMatrix<T>(reading_size_ + hidden_units + 1, 4 * hidden_units);
  if (actions_size > 0) stack_layers_ = PanelMatrix<T>(hidden_units + 1, actions_size);
  reading_stride_ = RoundUpToVectors<T>(reading_size_);
  state_stride_ = reading_stride_ + RoundUpToVectors<T>(hidden_units + 1);
  cell_stride_ = RoundUpToVectors<T>(hidden_units);
  gate_stride_ = GateStride<T>(hidden_units);
  action_stride_ = ActionStride<T>(actions_size);
  input_stride_ = RoundUpToVectors<T>(spec.embedding_size);
  scaled_stride_ = RoundUpToVectors<T>(hidden_units + 1);
  logit_stride_ = RoundUpToVectors<T>(spec.outputs());

  const int tokens = max_rows * max_steps;
  const int places = tokens + max_rows;
  const auto buffer = [](int count, std::ptrdiff_t size) {
    // EndRows copies whole strides from the readings on, which do not begin their rows.
    return ZeroBuffer<T>(static_cast<std::size_t>(count) * static_cast<std::size_t>(size) +
                         static_cast<std::size_t>(kRowPadding<T>));
  };
  states_ = buffer(places, state_stride_);
  for (int place = 0; place < places; ++place) hidden(place)[hidden_units] = 1;
  cells_ = buffer(places, cell_stride_);
  inputs_ = buffer(tokens, input_stride_);
  tanh_cells_ = buffer(tokens, cell_stride_);
  gates_ = buffer(tokens, gate_stride_);
  actions_ = buffer(tokens, action_stride_);
  const int block = pool.threads() * BlockTokens(tokens);
  logits_ = buffer(gradients ? std::max(tokens, block) : block, logit_stride_);
  losses_.reserve(static_cast<std::size_t>(tokens));
  if (!gradients) return;
  recurrent_transposed_ = PanelMatrix<T>(4 * hidden_units, reading_size_ + hidden_units);
  if (actions_size > 0) stack_transposed_ = PanelMatrix<T>(actions_size, hidden_units);
  state_gradients_ = buffer(places, state_stride_);
  cell_gradients_ = buffer(max_rows, cell_stride_);
  gate_gradients_ = buffer(tokens, gate_stride_);
  action_gradients_ = buffer(tokens, action_stride_);
  input_gradients_ = buffer(tokens, input_stride_);
  scaled_hidden_ = buffer(tokens, scaled_stride_);
  if (spec.nondeterministic() != nullptr) {
    bottom_gradients_ = buffer(max_rows, spec.nondeterministic()->vector_size);
  }
}

template <typename T>
double TextModel<T>::EstimateBytes(const ModelSpec& spec, int max_rows, int max_steps,
                                   bool gradients, int threads) {
  const ParameterLayout layout(spec);
  const double hidden = spec.hidden_units;
  const double gates = GateStride<T>(spec.hidden_units);
  const double actions = ActionStride<T>(StackLayerOutputs(layout));
  const double tokens = static_cast<double>(max_rows) * max_steps;
  const double state = spec.reading_size() + hidden + 2 * kRowPadding<T>;
  const double factor = gradients ? 2 : 1;
  const double row =
      factor * (state + 2 * hidden + gates + actions + spec.embedding_size + 4 * kRowPadding<T>);
  double elements = (tokens + max_rows) * row;
  elements += factor * ((state + hidden) * 4 * hidden + (hidden + 1) * actions);
  const double block = threads * std::min<double>(tokens, kBlockTokens);
  elements += (gradients ? std::max(tokens, block) : block) * RoundUpToVectors<T>(spec.outputs());
  return elements * sizeof(T) +
         max_rows * DrivenStack<T>::EstimateBytes(spec, max_steps, gradients);
}

template <typename T>
void TextModel<T>::ForRanges(int count, int size,
                             const std::function<void(int worker, Range)>& task) {
  pool_->Run((count + size - 1) / size, [&](int worker, int index) {
    const FlushDenormals flush;
    task(worker, {index * size, std::min((index + 1) * size, count)});
  });
}

template <typename T>
auto TextModel<T>::TokensOf(const TextChunk& chunk, int step, Range rows) const -> Range {
  const int first = step * rows_;
  return {first + rows.begin,
          first + std::max(rows.begin, std::min(rows.end, chunk.rows_of(step)))};
}

template <typename T>
void TextModel<T>::SetParameters(const T* parameters) {
  parameters_ = parameters;
  // A layer's bias follows its weights.
  const AffineLayer& controller = layout_.controller;
  const T* recurrent = parameters + controller.weights +
                       static_cast<std::ptrdiff_t>(spec_.embedding_size) * controller.outputs;
  pool_->Run(gradients_ ? 4 : 2, [&](int, int task) {
    if (task == 0) recurrent_.CopyColumns(recurrent, controller.outputs, 0);
    if (task == 1) {
      int column = 0;
      for (const AffineLayer& layer : layout_.stack) {
        stack_layers_.CopyColumns(parameters + layer.weights, layer.outputs, column);
        column += layer.outputs;
      }
    }
    if (task == 2) recurrent_transposed_.CopyTransposed(recurrent, controller.outputs, 0);
    if (task == 3) {
      int row = 0;
      for (const AffineLayer& layer : layout_.stack) {
        stack_transposed_.CopyTransposed(parameters + layer.weights, layer.outputs, row);
        row += layer.outputs;
      }
    }
  });
}

template <typename T>
void TextModel<T>::Start(int rows) {
  if (parameters_ == nullptr) throw Error("[pushdown::TextModel] SetParameters comes first");
  if (rows < 1 || rows > max_rows_) {
    throw Error("[pushdown::TextModel] " + std::to_string(rows) +
                " rows, and the model was made for " + std::to_string(max_rows_));
  }
  rows_ = rows;
  first_ = true;
  ended_ = false;
  for (int row = 0; row < rows; ++row) {
    std::fill_n(hidden(row), spec_.hidden_units, T{0});
    std::fill_n(cell(row), spec_.hidden_units, T{0});
    stacks_[static_cast<std::size_t>(row)].Start(parameters_ + layout_.bottom_vector, state(row));
  }
}

template <typename T>
int TextModel<T>::RowsAtOnce() const {
  return std::min(kMaxRowsAtOnce, (rows_ + pool_->threads() - 1) / pool_->threads());
}

// --- A chunk.

template <typename T>
void TextModel<T>::Begin(const TextChunk& chunk) {
  const auto fail = [](const std::string& message) {
    throw Error("[pushdown::TextModel] " + message);
  };
  if (rows_ == 0) fail("Start comes first");
  if (ended_) fail("rows have come to their ends; Start begins new ones");
  if (chunk.rows != rows_ || chunk.tokens() == 0) fail("the chunk is not one of these rows");
  if (chunk.steps() > max_steps_) {
    fail("a chunk of " + std::to_string(chunk.steps()) + " steps, and the model was made for " +
         std::to_string(max_steps_));
  }
  if (!chunk.targets.empty() && chunk.targets.size() != chunk.inputs.size()) {
    fail("the chunk has not as many targets as inputs");
  }
  for (const std::vector<int>* tokens : {&chunk.inputs, &chunk.targets}) {
    for (const int token : *tokens) {
      if (token >= 0 && token < spec_.symbols) continue;
      fail("token " + std::to_string(token) + " is not one of the model's " +
           std::to_string(spec_.symbols));
    }
  }
  losses_.assign(chunk.targets.size(), 0.0);
  ended_ = chunk.rows_of(chunk.steps() - 1) < rows_;
}

template <typename T>
double TextModel<T>::Loss(const TextChunk& chunk) {
  Begin(chunk);
  const int block = BlockTokens(chunk.tokens());
  const int rows_at_once = RowsAtOnce();
  ForRanges(chunk.tokens(), block, [&](int, Range tokens) { ReadInputs(chunk, tokens); });
  ForRanges(rows_, rows_at_once, [&](int, Range rows) {
    ForwardRows(chunk, rows);
    EndRows(chunk, rows);
  });
  if (!chunk.targets.empty()) {
    ForRanges(chunk.tokens(), block, [&](int worker, Range tokens) {
      const std::ptrdiff_t begin = std::ptrdiff_t{worker} * block;
      ForwardOutputs(chunk, tokens, logits_.get() + begin * logit_stride_);
    });
  }
  first_ = false;
  return std::accumulate(losses_.begin(), losses_.end(), 0.0);
}

template <typename T>
double TextModel<T>::Gradient(const TextChunk& chunk, T* gradient) {
  if (!gradients_) throw Error("[pushdown::TextModel] was made without gradients");
  Begin(chunk);
  if (chunk.targets.empty()) throw Error("[pushdown::TextModel] the chunk has no targets");
  SortInputs(chunk);
  const int block = BlockTokens(chunk.tokens());
  const int rows_at_once = RowsAtOnce();
  ForRanges(chunk.tokens(), block, [&](int, Range tokens) { ReadInputs(chunk, tokens); });
  ForRanges(rows_, rows_at_once, [&](int, Range rows) { ForwardRows(chunk, rows); });
  ForRanges(chunk.tokens(), block, [&](int, Range tokens) {
    BackwardOutputs(chunk, tokens, logits_.get() + tokens.begin * logit_stride_);
  });
  ForRanges(rows_, rows_at_once, [&](int, Range rows) { BackwardRows(chunk, rows); });
  WeightGradients(chunk, gradient);
  EmbeddingGradients(chunk, gradient);
  ForRanges(rows_, rows_at_once, [&](int, Range rows) { EndRows(chunk, rows); });
  first_ = false;
  return std::accumulate(losses_.begin(), losses_.end(), 0.0);
}

// --- Inputs: embeddings, and what they bring to the gates.

template <typename T>
void TextModel<T>::ReadInputs(const TextChunk& chunk, Range tokens) {
  const int size = spec_.embedding_size;
  for (int n = tokens.begin; n < tokens.end; ++n) {
    const int word = chunk.inputs[static_cast<std::size_t>(n)];
    std::copy_n(parameters_ + layout_.embeddings + std::ptrdiff_t{word} * size, size, input(n));
  }
  AddProducts(tokens.size(), size, 4 * spec_.hidden_units,
              Steps<const T>{input(tokens.begin), input_stride_},
              parameters_ + layout_.controller.weights, Steps<T>{gates(tokens.begin), gate_stride_},
              Product::kSet);
}

template <typename T>
void TextModel<T>::EmbeddingGradients(const TextChunk& chunk, T* gradient) {
  const int size = spec_.embedding_size;
  ForRanges(chunk.tokens(), BlockTokens(chunk.tokens()), [&](int, Range tokens) {
    AddTransposedProducts(tokens.size(), size, 4 * spec_.hidden_units,
                          parameters_ + layout_.controller.weights,
                          Steps<const T>{gate_gradient(tokens.begin), gate_stride_},
                          Steps<T>{input_gradient(tokens.begin), input_stride_}, Product::kSet);
  });
  constexpr int kInputs = 64;
  ForRanges(static_cast<int>(distinct_inputs_.size()), kInputs, [&](int, Range inputs) {
    for (int k = inputs.begin; k < inputs.end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      T* row = gradient + layout_.embeddings + std::ptrdiff_t{distinct_inputs_[index]} * size;
      std::fill_n(row, size, T{0});
      for (int place = input_begin_[index]; place < input_begin_[index + 1]; ++place) {
        const T* of_token = input_gradient(by_input_[static_cast<std::size_t>(place)]);
        for (int n = 0; n < size; ++n) row[n] += of_token[n];
      }
    }
  });
}

template <typename T>
void TextModel<T>::SortInputs(const TextChunk& chunk) {
  const auto input_of = [&](int token) { return chunk.inputs[static_cast<std::size_t>(token)]; };
  by_input_.resize(chunk.inputs.size());
  std::iota(by_input_.begin(), by_input_.end(), 0);
  std::sort(by_input_.begin(), by_input_.end(), [&](int a, int b) {
    return input_of(a) != input_of(b) ? input_of(a) < input_of(b) : a < b;
  });
  distinct_inputs_.clear();
  input_begin_.clear();
  for (std::size_t n = 0; n < by_input_.size(); ++n) {
    const int input = input_of(by_input_[n]);
    if (!distinct_inputs_.empty() && distinct_inputs_.back() == input) continue;
    distinct_inputs_.push_back(input);
    input_begin_.push_back(static_cast<int>(n));
  }
  input_begin_.push_back(chunk.tokens());
}

// --- Some rows through time, forward and backward.

template <typename T>
void TextModel<T>::ForwardRows(const TextChunk& chunk, Range rows) {
  const int units = spec_.hidden_units;
  for (int step = 0; step < chunk.steps(); ++step) {
    const Range tokens = TokensOf(chunk, step, rows);
    MultiplyPanels(recurrent_, tokens.size(), state(tokens.begin), state_stride_,
                   gates(tokens.begin), gate_stride_, true);
    for (int n = tokens.begin; n < tokens.end; ++n) {
      LstmActivations(units, cell(n), gates(n), cell(n + rows_), tanh_cell(n), hidden(n + rows_));
    }
    // What the last step does to the stack is for the next chunk, see EndRows.
    if (step + 1 < chunk.steps()) StepStacks(tokens);
  }
}

template <typename T>
void TextModel<T>::StepStacks(Range tokens) {
  if (layout_.stack.empty()) return;
  MultiplyPanels(stack_layers_, tokens.size(), hidden(tokens.begin + rows_), state_stride_,
                 actions(tokens.begin), action_stride_, false);
  for (int n = tokens.begin; n < tokens.end; ++n) {
    const int row = n % rows_;
    DrivenStack<T>& stack = stacks_[static_cast<std::size_t>(row)];
    stack.Activate(actions(n));
    try {
      stack.Step(actions(n), hidden(n + rows_), state(n + rows_));
    } catch (const Error& error) {
      throw Error("[pushdown::TextModel] row " + std::to_string(row + 1) + ": " + error.what());
    }
  }
}

template <typename T>
void TextModel<T>::BackwardRows(const TextChunk& chunk, Range rows) {
  const int units = spec_.hidden_units;
  std::fill_n(cell_gradients_.get() + rows.begin * cell_stride_, rows.size() * cell_stride_, T{0});
  for (int step = chunk.steps() - 1; step >= 0; --step) {
    const Range tokens = TokensOf(chunk, step, rows);
    const int after = tokens.begin + rows_;
    if (step + 1 < chunk.steps() && !layout_.stack.empty()) {
      for (int n = tokens.begin; n < tokens.end; ++n) {
        stacks_[static_cast<std::size_t>(n % rows_)].BackwardStep(
            actions(n), state_gradient(n + rows_), action_gradient(n), hidden_gradient(n + rows_));
      }
      MultiplyPanels(stack_transposed_, tokens.size(), action_gradient(tokens.begin),
                     action_stride_, hidden_gradient(after), state_stride_, true);
    }
    for (int n = tokens.begin; n < tokens.end; ++n) {
      LstmActivationsBackward(units, gates(n), cell(n), tanh_cell(n), hidden_gradient(n + rows_),
                              cell_gradients_.get() + n % rows_ * cell_stride_, gate_gradient(n));
    }
    if (step > 0) {
      MultiplyPanels(recurrent_transposed_, tokens.size(), gate_gradient(tokens.begin),
                     gate_stride_, state_gradient(tokens.begin), state_stride_, true);
    }
  }
  if (!first_ || bottom_gradients_ == nullptr) return;
  // The bottom vector is in the reading before the first step.
  const int size = spec_.nondeterministic()->vector_size;
  const Range tokens = TokensOf(chunk, 0, rows);
  MultiplyPanels(recurrent_transposed_, tokens.size(), gate_gradient(tokens.begin), gate_stride_,
                 state_gradient(tokens.begin), state_stride_, false);
  for (int row = rows.begin; row < rows.end; ++row) {
    T* bottom = bottom_gradients_.get() + std::ptrdiff_t{row} * size;
    std::fill_n(bottom, size, T{0});
    stacks_[static_cast<std::size_t>(row)].BackwardStart(state_gradient(row), bottom);
  }
}

// What is left of the chunk's last step, and the beginning of the next one.
template <typename T>
void TextModel<T>::EndRows(const TextChunk& chunk, Range rows) {
  if (ended_) return;
  const Range tokens = TokensOf(chunk, chunk.steps() - 1, rows);
  StepStacks(tokens);
  const int after = tokens.begin + rows_;
  std::copy_n(state(after), rows.size() * state_stride_, state(rows.begin));
  std::copy_n(cell(after), rows.size() * cell_stride_, cell(rows.begin));
  for (int row = rows.begin; row < rows.end; ++row) stacks_[static_cast<std::size_t>(row)].Carry();
}

// --- The output layer.

template <typename T>
void TextModel<T>::ForwardOutputs(const TextChunk& chunk, Range tokens, T* logits) {
  const AffineLayer& output = layout_.output;
  AddProducts(tokens.size(), output.inputs + 1, output.outputs,
              Steps<const T>{hidden(tokens.begin + rows_), state_stride_},
              parameters_ + output.weights, Steps<T>{logits, logit_stride_}, Product::kSet);
  for (int n = tokens.begin; n < tokens.end; ++n) {
    const auto index = static_cast<std::size_t>(n);
    T sum;
    losses_[index] = SoftmaxExponentials(output.outputs, logits, chunk.targets[index], sum);
    logits += logit_stride_;
  }
}

// The same, and the derivatives by the hidden states. Those by a token's logits are left where the
// logits were, but for a factor, with which the hidden state in their products is multiplied.
template <typename T>
void TextModel<T>::BackwardOutputs(const TextChunk& chunk, Range tokens, T* logits) {
  const AffineLayer& output = layout_.output;
  AddProducts(tokens.size(), output.inputs + 1, output.outputs,
              Steps<const T>{hidden(tokens.begin + rows_), state_stride_},
              parameters_ + output.weights, Steps<T>{logits, logit_stride_}, Product::kSet);
  const T scale = T{1} / static_cast<T>(chunk.tokens());
  T* row = logits;
  for (int n = tokens.begin; n < tokens.end; ++n) {
    const auto index = static_cast<std::size_t>(n);
    const int target = chunk.targets[index];
    T sum;
    losses_[index] = SoftmaxExponentials(output.outputs, row, target, sum);
    row[target] -= sum;
    const T factor = scale / sum;
    const T* from = hidden(n + rows_);
    for (int k = 0; k <= spec_.hidden_units; ++k) scaled_hidden(n)[k] = factor * from[k];
    row += logit_stride_;
  }
  AddTransposedProducts(tokens.size(), output.inputs, output.outputs, parameters_ + output.weights,
                        Steps<const T>{logits, logit_stride_},
                        Steps<T>{hidden_gradient(tokens.begin + rows_), state_stride_},
                        Product::kSet);
  for (int n = tokens.begin; n < tokens.end; ++n) {
    const T factor = scaled_hidden(n)[spec_.hidden_units];  // times the 1 of the bias
    T* to = hidden_gradient(n + rows_);
    for (int k = 0; k < spec_.hidden_units; ++k) to[k] *= factor;
    std::fill_n(state_gradient(n + rows_), reading_size_, T{0});
  }
}

// --- Gradients of weights, summed over all tokens.

// Writes the products of inputs and derivatives by outputs to `gradient` [inputs, outputs], block
// by block of its columns.
template <typename T>
void TextModel<T>::AddWeightTasks(int tokens, int inputs, int outputs, Steps<const T> in,
                                  Steps<const T> out, T* gradient,
                                  std::vector<std::function<void()>>& tasks) const {
  const double columns = kBlockMultiplyAdds / (static_cast<double>(tokens + 1) * inputs);
  const int block =
      RoundUpToVectors<T>(std::max(static_cast<int>(std::min<double>(columns, outputs)), 1));
  for (int begin = 0; begin < outputs; begin += block) {
    const int count = std::min(block, outputs - begin);
    tasks.emplace_back([=] {
      AddOuterProducts(tokens, inputs, count, in, Steps<const T>{out.data + begin, out.stride},
                       gradient + begin, Product::kSet, outputs);
    });
  }
}

template <typename T>
void TextModel<T>::WeightGradients(const TextChunk& chunk, T* gradient) {
  const int tokens = chunk.tokens();
  const int units = spec_.hidden_units;
  std::vector<std::function<void()>> tasks;
  const AffineLayer& output = layout_.output;
  AddWeightTasks(tokens, units + 1, output.outputs, {scaled_hidden(0), scaled_stride_},
                 {logits_.get(), logit_stride_}, gradient + output.weights, tasks);
  const AffineLayer& controller = layout_.controller;
  T* weights = gradient + controller.weights;
  const Steps<const T> gate_gradients = {gate_gradient(0), gate_stride_};
  AddWeightTasks(tokens, spec_.embedding_size, controller.outputs, {input(0), input_stride_},
                 gate_gradients, weights, tasks);
  AddWeightTasks(tokens, recurrent_.rows(), controller.outputs, {state(0), state_stride_},
                 gate_gradients,
                 weights + std::ptrdiff_t{spec_.embedding_size} * controller.outputs, tasks);
  // Not those of the last step, which are for the next chunk.
  const int stack_tokens = (chunk.steps() - 1) * rows_;
  std::ptrdiff_t column = 0;
  for (const AffineLayer& layer : layout_.stack) {
    AddWeightTasks(stack_tokens, units + 1, layer.outputs, {hidden(rows_), state_stride_},
                   {action_gradient(0) + column, action_stride_}, gradient + layer.weights, tasks);
    column += layer.outputs;
  }
  pool_->Run(static_cast<int>(tasks.size()), [&](int, int index) {
    const FlushDenormals flush;
    tasks[static_cast<std::size_t>(index)]();
  });
  if (spec_.nondeterministic() == nullptr) return;
  const int size = spec_.nondeterministic()->vector_size;
  T* bottom = gradient + layout_.bottom_vector;
  std::fill_n(bottom, size, T{0});
  for (int row = 0; first_ && row < rows_; ++row) {
    for (int n = 0; n < size; ++n) bottom[n] += bottom_gradients_[std::ptrdiff_t{row} * size + n];
  }
}

// --- Between chunks.

template <typename T>
void TextModel<T>::LogProbabilities(int row, std::span<T> log_probabilities) {
  const AffineLayer& output = layout_.output;
  AddProducts(1, output.inputs + 1, output.outputs, Steps<const T>{hidden(row), state_stride_},
              parameters_ + output.weights, Steps<T>{log_probabilities.data(), output.outputs},
              Product::kSet);
  LogSoftmaxInPlace(log_probabilities);
}

// By row: hidden state, cell, reading, and what the stack carries, after its number of bytes.
template <typename T>
std::string TextModel<T>::Carried() const {
  if (rows_ == 0 || ended_) throw Error("[pushdown::TextModel] no row has anything to carry");
  const auto units = static_cast<std::size_t>(spec_.hidden_units);
  std::string bytes;
  for (int row = 0; row < rows_; ++row) {
    AppendNumbers(state(row), static_cast<std::size_t>(reading_size_) + units, bytes);
    AppendNumbers(cell(row), units, bytes);
    const std::string stack = stacks_[static_cast<std::size_t>(row)].Carried();
    const std::uint64_t size = stack.size();
    AppendNumbers(&size, 1, bytes);
    bytes += stack;
  }
  return bytes;
}

template <typename T>
void TextModel<T>::RestoreCarried(int rows, std::string_view carried) {
  Start(rows);
  first_ = false;
  rows_ = 0;  // until all is well
  const auto units = static_cast<std::size_t>(spec_.hidden_units);
  const auto refuse = [] {
    throw Error("[pushdown::TextModel] what should be carried on is not of this model");
  };
  const auto all_within = [](const T* values, std::size_t count, T bound) {
    return std::all_of(values, values + count,
                       [bound](T value) { return std::abs(value) <= bound; });
  };
  for (int row = 0; row < rows; ++row) {
    const std::size_t numbers = static_cast<std::size_t>(reading_size_) + 2 * units;
    if (carried.size() < numbers * sizeof(T) + sizeof(std::uint64_t)) refuse();
    TakeNumbers(carried, state(row), numbers - units);
    TakeNumbers(carried, cell(row), units);
    constexpr T kLargest = std::numeric_limits<T>::max();
    if (!all_within(hidden(row), units, T{1}) || !all_within(cell(row), units, kLargest) ||
        !all_within(state(row), static_cast<std::size_t>(reading_size_), kLargest)) {
      refuse();
    }
    std::uint64_t size = 0;
    TakeNumbers(carried, &size, 1);
    if (size > carried.size()) refuse();
    stacks_[static_cast<std::size_t>(row)].RestoreCarried(carried.substr(0, size));
    carried.remove_prefix(size);
  }
  if (!carried.empty()) refuse();
  rows_ = rows;
}

template class TextModel<float>;
template class TextModel<double>;

}  // namespace pushdown
