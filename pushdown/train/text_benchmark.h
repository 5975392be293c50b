#pragma once

#include <vector>

#include "pushdown/train/text_objective.h"

namespace pushdown {

// The work that benchmarks of running text measure, with random text and parameters that are always
// the same.
class TextBenchmark {
 public:
  TextBenchmark(const ModelSpec& spec, const TextReading& reading, int threads);

  static double EstimateBytes(const ModelSpec& spec, const TextReading& reading, int threads);

  // A training step: forward, loss, backward, clipping and SGD of the next chunk.
  void Step();
  // Forward only, of chunks of the same size.
  void Validate();
  // The matrix products of the LSTM and of the output layer in a step, by themselves, in OpenBLAS
  // on as many threads: three of each layer, and with the hidden state one at a time of each step.
  void Products();

  int tokens() const { return rows_ * steps_; }  // of a step

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
  int next_ = 0;  // chunk
  // For Products.
  int embedding_size_;
  int state_size_;  // embedding, reading and hidden state
  std::vector<float> states_;
  std::vector<float> gates_;
  std::vector<float> logits_;
};

}  // namespace pushdown
