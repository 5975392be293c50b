#include "pushdown/train/text_benchmark.h"

#include <cstddef>
#include <cstdint>

#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/denormals.h"
#include "pushdown/random.h"
#include "pushdown/train/clipping.h"
#include "pushdown/train/sgd.h"

namespace pushdown {
namespace {

// In so many chunks, stacks with usual windows are as full as in training.
constexpr int kChunks = 4;

std::vector<int> RandomText(int symbols, int size) {
  Random random(1);
  std::vector<int> text(static_cast<std::size_t>(size));
  for (int& token : text) {
    token = static_cast<int>(random.Below(static_cast<std::uint64_t>(symbols)));
  }
  return text;
}

}  // namespace

TextBenchmark::TextBenchmark(const ModelSpec& spec, const TextBatching& batching, int threads)
    : rows_(batching.rows),
      steps_(batching.chunk_length),
      text_(RandomText(spec.symbols, kChunks * tokens())),
      objective_(spec, text_, std::span(text_).first(static_cast<std::size_t>(tokens())), 0,
                 batching, threads),
      parameters_(objective_.layout().size),
      gradient_(parameters_.size()),
      embedding_size_(spec.embedding_size),
      state_size_(objective_.layout().controller.inputs) {
  Random random(2);
  InitializeUniformly(objective_.layout(), 0.05, random, parameters_.data());
}

double TextBenchmark::EstimateBytes(const ModelSpec& spec, const TextBatching& batching,
                                    int threads) {
  const ParameterLayout layout(spec);
  const double tokens = static_cast<double>(batching.rows) * batching.chunk_length;
  const double numbers = 2.0 * static_cast<double>(layout.size) +
                         tokens * (kChunks + layout.controller.inputs + layout.controller.outputs +
                                   layout.output.outputs);
  return TextModel<float>::EstimateBytes(spec, batching.rows, batching.chunk_length, true,
                                         threads) +
         numbers * sizeof(float);
}

void TextBenchmark::Step() {
  // Small, so that many steps with the same text leave the parameters as they are in training.
  constexpr double kLearningRate = 1e-3;
  constexpr double kClipping = 0.25;
  objective_.Gradient(1, next_, parameters_, gradient_);
  next_ = (next_ + 1) % kChunks;
  const auto ranges = objective_.gradient_ranges();
  const double norm = Norm(gradient_, ranges, objective_.pool());
  SgdStep(kLearningRate * ClippingFactor(kClipping, norm), gradient_, ranges, parameters_,
          objective_.pool());
}

void TextBenchmark::Validate() {
  objective_.Validate(parameters_, {});
  next_ = 0;  // what was carried is lost
}

void TextBenchmark::Products() {
  const ParameterLayout& layout = objective_.layout();
  const auto count = static_cast<std::size_t>(tokens());
  // As in a model, which has the values of all tokens.
  states_.resize(count * static_cast<std::size_t>(state_size_));
  gates_.resize(count * static_cast<std::size_t>(layout.controller.outputs));
  logits_.resize(count * static_cast<std::size_t>(layout.output.outputs));
  WorkerPool& pool = objective_.pool();
  const int parts = pool.threads();
  const auto run = [&](const auto& task) {
    pool.Run(parts, [&](int, int part) {
      const FlushDenormals flush;
      task(part);
    });
  };
  const auto share = [&](int size, int part) {
    return static_cast<int>(static_cast<std::int64_t>(size) * part / parts);
  };
  run([&](int part) { ProductsOfRows(share(rows_, part), share(rows_, part + 1)); });
  run([&](int part) { ProductsOfTokens(share(tokens(), part), share(tokens(), part + 1)); });
  run([&](int part) { ProductsOfWeights(part, parts); });
}

// What the LSTM takes step by step, forward and backward.
void TextBenchmark::ProductsOfRows(int begin, int end) {
  const ParameterLayout& layout = objective_.layout();
  const int gates = layout.controller.outputs;
  const int recurrent = state_size_ - embedding_size_;
  const float* weights = parameters_.data() + layout.controller.weights;
  const float* recurrent_weights = weights + std::ptrdiff_t{embedding_size_} * gates;
  const auto state = [&](int row) {
    return Steps<float>{states_.data() + std::ptrdiff_t{row} * state_size_, state_size_};
  };
  for (int step = 0; step < steps_; ++step) {
    const int row = step * rows_ + begin;
    const Steps<float> in = state(row);
    const Steps<float> out = {gates_.data() + std::ptrdiff_t{row} * gates, gates};
    const Steps<const float> const_in = {in.data + embedding_size_, in.stride};
    AddProducts(end - begin, recurrent, gates, const_in, recurrent_weights, out, Product::kSet);
  }
  for (int step = 0; step < steps_; ++step) {
    const int row = step * rows_ + begin;
    const Steps<const float> in = {gates_.data() + std::ptrdiff_t{row} * gates, gates};
    Steps<float> out = state(row);
    out.data += embedding_size_;
    AddTransposedProducts(end - begin, recurrent, gates, recurrent_weights, in, out, Product::kSet);
  }
}

// What does not depend on the step before: embeddings and the output layer.
void TextBenchmark::ProductsOfTokens(int begin, int end) {
  const ParameterLayout& layout = objective_.layout();
  const int gates = layout.controller.outputs;
  const int outputs = layout.output.outputs;
  const int hidden = layout.output.inputs;
  const float* weights = parameters_.data() + layout.controller.weights;
  const float* output_weights = parameters_.data() + layout.output.weights;
  float* states = states_.data() + std::ptrdiff_t{begin} * state_size_;
  float* gate_rows = gates_.data() + std::ptrdiff_t{begin} * gates;
  float* logits = logits_.data() + std::ptrdiff_t{begin} * outputs;
  const int count = end - begin;
  AddProducts(count, embedding_size_, gates, Steps<const float>{states, state_size_}, weights,
              Steps<float>{gate_rows, gates}, Product::kSet);
  AddProducts(count, hidden, outputs, Steps<const float>{states, state_size_}, output_weights,
              Steps<float>{logits, outputs}, Product::kSet);
  AddTransposedProducts(count, hidden, outputs, output_weights, Steps<const float>{logits, outputs},
                        Steps<float>{states, state_size_}, Product::kSet);
  AddTransposedProducts(count, embedding_size_, gates, weights,
                        Steps<const float>{gate_rows, gates}, Steps<float>{states, state_size_},
                        Product::kSet);
}

void TextBenchmark::ProductsOfWeights(int part, int parts) {
  const ParameterLayout& layout = objective_.layout();
  const auto columns = [&](const AffineLayer& layer, int inputs, float* values) {
    const auto share = [&](int n) {
      return static_cast<int>(static_cast<std::int64_t>(layer.outputs) * n / parts);
    };
    const int begin = share(part);
    AddOuterProducts(tokens(), inputs, share(part + 1) - begin,
                     Steps<const float>{states_.data(), state_size_},
                     Steps<const float>{values + begin, layer.outputs},
                     gradient_.data() + layer.weights + begin, Product::kSet, layer.outputs);
  };
  columns(layout.controller, layout.controller.inputs, gates_.data());
  columns(layout.output, layout.output.inputs, logits_.data());
}

}  // namespace pushdown
