#pragma once

#include <vector>

#include "pushdown/train/text_objective.h"

namespace pushdown {

// The work that benchmarks of running text measure. Its text and parameters are random, with a
// fixed seed.
class TextBenchmark {
 public:
  TextBenchmark(const ModelSpec& spec, const TextBatching& batching, int threads);

  static double EstimateBytes(const ModelSpec& spec, const TextBatching& batching, int threads);

  // A training step: forward, loss, backward, clipping and SGD of the next chunk.
  void Step();
  // Forward only, of chunks of the same size.
  void Validate();
  // Only the matrix products of the LSTM and of the output layer in a training step, in OpenBLAS on
  // as many threads: three products for each layer, where those with the hidden state are taken
  // time step by time step.
  void Products();

  int tokens() const { return rows_ * steps_; }  // in a training step

 private:
  void ProductsOfRows(int begin, int end);
  void ProductsOfTokens(int begin, int end);
  void ProductsOfWeights(int part, int parts);

  int rows_;
  int steps_;
  std::vector<int> text_;
  TextObjective objective_;
  std::vector<float> parameters_;
  std::vector<float> gradient_;
  int next_ = 0;  // the next chunk
  // For Products.
  int embedding_size_;
  int state_size_;  // of embedding, reading and hidden state together
  std::vector<float> states_;
  std::vector<float> gates_;
  std::vector<float> logits_;
};

}  // namespace pushdown
