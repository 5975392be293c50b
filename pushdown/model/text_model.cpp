#include "pushdown/model/text_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/model/carried_rows.h"
#include "pushdown/model/embedding_layer.h"
#include "pushdown/model/recurrence.h"
#include "pushdown/model/token_output.h"
#include "pushdown/model/weight_products.h"

namespace pushdown {
namespace {

// Rows of text that go through time together; a row's result does not depend on the others.
constexpr int kMaxRowsAtOnce = 8;

void CheckSize(const char* what, int value) {
  if (value >= 1) return;
  throw Error("pushdown::TextModel", std::string("the number of ") + what + " is " +
                                         std::to_string(value) + ", must be positive");
}

void CheckBounded(const ModelSpec& spec) {
  const NondeterministicStackSpec* nondeterministic = spec.nondeterministic();
  const SuperpositionStackSpec* superposition = spec.superposition();
  if ((nondeterministic != nullptr && nondeterministic->window == 0) ||
      (superposition != nullptr && superposition->depth_limit == 0)) {
    throw Error("pushdown::TextModel", ModelName(spec) + " has no " +
                                           (superposition != nullptr ? "depth limit" : "window") +
                                           ", and would grow without end");
  }
}

RecurrenceSize SizeFor(int max_rows, int max_steps, bool gradients) {
  return {.rows = max_rows, .steps = max_steps, .stack_steps = max_steps, .gradients = gradients};
}

RecurrenceSize CheckedSize(const ModelSpec& spec, int max_rows, int max_steps, bool gradients) {
  if (!spec.is_text()) throw Error("pushdown::TextModel", "a model of strings, not of text");
  CheckBounded(spec);
  CheckSize("rows", max_rows);
  CheckSize("steps", max_steps);
  if (max_rows > kMaxSteps / max_steps) {
    throw Error(ErrorKind::kLimit, "pushdown::TextModel",
                "chunks of " + std::to_string(max_rows) + " rows and " + std::to_string(max_steps) +
                    " steps are too large");
  }
  return SizeFor(max_rows, max_steps, gradients);
}

// What both of the layers around the recurrence take.
template <typename T>
void PlaceLayers(const RecurrenceSize& size, int threads, EmbeddingLayer<T>& input,
                 TokenOutput<T>& output, Workspace<T>& workspace) {
  const std::int64_t tokens = std::int64_t{size.rows} * size.steps;
  input.Place(tokens, size.gradients, workspace);
  output.Place(tokens, threads, size.gradients, workspace);
}

}  // namespace

template <typename T>
struct TextModel<T>::Parts {
  using TextRecurrence = Recurrence<T, PanelProducts<T>>;

  Parts(const ModelSpec& spec, const RecurrenceSize& size, int threads)
      : recurrence(spec, size),
        input(spec, recurrence.layout()),
        output(recurrence.layout().output),
        buffer(MakeTables<T>([&](Workspace<T>& workspace) {
          PlaceLayers(size, threads, input, output, workspace);
        })) {}

  // Of all tokens.
  Steps<const T> hidden() const {
    const RecurrenceTables<T>& tables = recurrence.tables();
    return {tables.hidden(tables.rows), tables.state_stride};
  }
  Steps<T> hidden_gradients() const {
    const RecurrenceTables<T>& tables = recurrence.tables();
    return {tables.hidden_gradient(tables.rows), tables.state_stride};
  }
  Steps<T> gates() const { return {recurrence.tables().gates(0), recurrence.tables().gate_stride}; }
  Steps<const T> gate_gradients() const {
    return {recurrence.tables().gate_gradient(0), recurrence.tables().gate_stride};
  }

  TextRecurrence recurrence;
  EmbeddingLayer<T> input;
  TokenOutput<T> output;
  hwy::AlignedFreeUniquePtr<T[]> buffer;  // of the layers
};

template <typename T>
TextModel<T>::TextModel(const ModelSpec& spec, int max_rows, int max_steps, bool gradients,
                        WorkerPool& pool)
    : parts_(std::make_unique<Parts>(spec, CheckedSize(spec, max_rows, max_steps, gradients),
                                     pool.threads())),
      pool_(&pool) {
  ReserveBlasBuffers(pool.threads());
}

template <typename T>
TextModel<T>::~TextModel() = default;
template <typename T>
TextModel<T>::TextModel(TextModel&& other) noexcept = default;
template <typename T>
TextModel<T>& TextModel<T>::operator=(TextModel&& other) noexcept = default;

template <typename T>
double TextModel<T>::EstimateBytes(const ModelSpec& spec, int max_rows, int max_steps,
                                   bool gradients, int threads) {
  const RecurrenceSize size = SizeFor(max_rows, max_steps, gradients);
  const ParameterLayout layout(spec);
  EmbeddingLayer<T> input(spec, layout);
  TokenOutput<T> output(layout.output);
  const double layers = CountBytes<T>(
      [&](Workspace<T>& workspace) { PlaceLayers(size, threads, input, output, workspace); });
  return layers + Parts::TextRecurrence::WorkspaceBytes(spec, size) +
         Parts::TextRecurrence::WideBytes(spec, size);
}

template <typename T>
const ModelSpec& TextModel<T>::spec() const {
  return parts_->recurrence.spec();
}

template <typename T>
const ParameterLayout& TextModel<T>::layout() const {
  return parts_->recurrence.layout();
}

template <typename T>
int TextModel<T>::max_rows() const {
  return parts_->recurrence.tables().size.rows;
}

template <typename T>
int TextModel<T>::max_steps() const {
  return parts_->recurrence.tables().size.steps;
}

template <typename T>
int TextModel<T>::rows() const {
  return parts_->recurrence.tables().rows;
}

template <typename T>
std::span<const double> TextModel<T>::losses() const {
  return parts_->output.losses();
}

template <typename T>
std::span<const int> TextModel<T>::distinct_inputs() const {
  return parts_->input.distinct_inputs();
}

template <typename T>
void TextModel<T>::SetParameters(const T* parameters) {
  parameters_ = parameters;
  const RecurrenceTables<T>& tables = parts_->recurrence.tables();
  pool_->Run(PanelProducts<T>::CopyTasks(tables), [&](int, int task) {
    parts_->recurrence.products().CopyWeights(tables, parameters, task);
  });
}

template <typename T>
void TextModel<T>::Start(int rows) {
  if (parameters_ == nullptr) throw Error("pushdown::TextModel", "SetParameters comes first");
  if (rows < 1 || rows > max_rows()) {
    throw Error("pushdown::TextModel", std::to_string(rows) + " rows, and the model was made for " +
                                           std::to_string(max_rows()));
  }
  parts_->recurrence.Start(parameters_, rows);
  ready_ = true;
  first_ = true;
  ended_ = false;
  tokens_ = 0;
}

// --- A chunk.

template <typename T>
void TextModel<T>::Begin(const TextChunk& chunk) {
  const auto fail = [](const std::string& message) { throw Error("pushdown::TextModel", message); };
  if (!ready_) fail("Start comes first");
  if (ended_) fail("rows have come to their ends; Start begins new ones");
  if (chunk.rows != rows() || chunk.tokens() == 0) fail("the chunk is not one of these rows");
  if (chunk.steps() > max_steps()) {
    fail("a chunk of " + std::to_string(chunk.steps()) + " steps, and the model was made for " +
         std::to_string(max_steps()));
  }
  if (!chunk.targets.empty() && chunk.targets.size() != chunk.inputs.size()) {
    fail("the chunk has not as many targets as inputs");
  }
  for (const std::vector<int>* tokens : {&chunk.inputs, &chunk.targets}) {
    for (const int token : *tokens) {
      if (token >= 0 && token < spec().symbols) continue;
      fail("token " + std::to_string(token) + " is not one of the model's " +
           std::to_string(spec().symbols));
    }
  }
  parts_->output.Begin(chunk);
  tokens_ = chunk.tokens();
  ended_ = chunk.rows_of(chunk.steps() - 1) < rows();
}

template <typename T>
double TextModel<T>::Loss(const TextChunk& chunk) {
  Begin(chunk);
  ReadInputs(chunk);
  ForRows([&](Range rows) {
    parts_->recurrence.Forward(rows, tokens_);
    if (!ended_) parts_->recurrence.Carry(rows, tokens_);
  });
  if (!chunk.targets.empty()) {
    ForRanges(*pool_, tokens_, BlockTokens(tokens_), [&](int worker, Range tokens) {
      parts_->output.Forward(parameters_, chunk, tokens, worker, parts_->hidden());
    });
  }
  first_ = false;
  return std::accumulate(losses().begin(), losses().end(), 0.0);
}

template <typename T>
double TextModel<T>::Gradient(const TextChunk& chunk, T* gradient) {
  const RecurrenceTables<T>& tables = parts_->recurrence.tables();
  if (!tables.size.gradients) throw Error("pushdown::TextModel", "was made without gradients");
  if (chunk.targets.empty()) throw Error("pushdown::TextModel", "the chunk has no targets");
  Begin(chunk);
  ReadInputs(chunk);
  ForRows([&](Range rows) { parts_->recurrence.Forward(rows, tokens_); });
  ForRanges(*pool_, tokens_, BlockTokens(tokens_), [&](int, Range tokens) {
    parts_->output.Backward(parameters_, chunk, tokens, parts_->hidden(),
                            parts_->hidden_gradients());
    tables.ClearReadingGradients({tokens.begin + rows(), tokens.end + rows()});
  });
  ForRows([&](Range rows) { parts_->recurrence.Backward(rows, tokens_, first_); });
  WeightGradients(gradient);
  parts_->input.Backward(parameters_, chunk, parts_->gate_gradients(), *pool_, gradient);
  if (!ended_) ForRows([&](Range rows) { parts_->recurrence.Carry(rows, tokens_); });
  first_ = false;
  return std::accumulate(losses().begin(), losses().end(), 0.0);
}

template <typename T>
void TextModel<T>::ReadInputs(const TextChunk& chunk) {
  ForRanges(*pool_, tokens_, BlockTokens(tokens_), [&](int, Range tokens) {
    parts_->input.Forward(parameters_, chunk, tokens, parts_->gates());
  });
}

template <typename T>
void TextModel<T>::WeightGradients(T* gradient) {
  const RecurrenceTables<T>& tables = parts_->recurrence.tables();
  std::vector<WeightProduct<T>> products;
  products.push_back(parts_->output.Weights(tokens_, gradient));
  products.push_back(parts_->input.Weights(tokens_, parts_->gate_gradients(), gradient));
  parts_->recurrence.products().AppendWeightProducts(tables, tokens_, gradient, products);
  SetWeightGradients<T>(products, *pool_);
  std::fill_n(gradient + layout().bottom_vector, tables.bottom_size, T{0});
  if (first_) parts_->recurrence.AddBottomGradients(gradient);
}

// Calls task(range) for all rows, on the threads of the pool.
template <typename T>
template <typename Task>
void TextModel<T>::ForRows(const Task& task) {
  const int rows_at_once =
      std::min(kMaxRowsAtOnce, (rows() + pool_->threads() - 1) / pool_->threads());
  ForRanges(*pool_, rows(), rows_at_once, [&](int, Range rows) { task(rows); });
}

// --- Between chunks.

template <typename T>
void TextModel<T>::LogProbabilities(int row, std::span<T> log_probabilities) {
  parts_->output.LogProbabilities(parameters_, parts_->recurrence.tables().hidden(row),
                                  log_probabilities);
}

template <typename T>
int TextModel<T>::PlaceOf(const char* what, int row, int step, int first, bool needs_stack) const {
  const std::int64_t place = std::int64_t{step} * rows() + row;
  // Rows that have ended do not go on, and nothing has been done to their stacks in the last step.
  const bool is_last = std::int64_t{step} * rows() >= tokens_;
  const bool missing = ended_ && (step == 0 || (needs_stack && is_last));
  if (ready_ && row >= 0 && row < rows() && step >= first && place < tokens_ + rows() && !missing) {
    return static_cast<int>(place);
  }
  throw Error("pushdown::TextModel", std::string("there is no ") + what + " of row " +
                                         std::to_string(row) + " and step " + std::to_string(step));
}

template <typename T>
std::span<const T> TextModel<T>::hidden(int row, int step) const {
  return parts_->recurrence.hidden(PlaceOf("hidden state", row, step, 0, false));
}

template <typename T>
std::span<const T> TextModel<T>::reading(int row, int step) const {
  return parts_->recurrence.reading(PlaceOf("reading", row, step, 0, true));
}

template <typename T>
std::span<const T> TextModel<T>::actions(int row, int step) const {
  return parts_->recurrence.actions(PlaceOf("action", row, step, 1, true) - rows());
}

template <typename T>
std::string TextModel<T>::Carried() const {
  if (!ready_ || ended_) throw Error("pushdown::TextModel", "no row has anything to carry");
  return CarriedRows(parts_->recurrence);
}

template <typename T>
void TextModel<T>::RestoreCarried(int rows, std::string_view carried) {
  Start(rows);
  first_ = false;
  ready_ = false;  // until all is well
  RestoreRows(carried, parts_->recurrence);
  ready_ = true;
}

template class TextModel<float>;
template class TextModel<double>;

}  // namespace pushdown
