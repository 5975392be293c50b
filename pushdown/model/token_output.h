#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/rows.h"
#include "pushdown/model/parameters.h"
#include "pushdown/model/ranges.h"
#include "pushdown/model/text_chunk.h"
#include "pushdown/model/weight_products.h"
#include "pushdown/model/workspace.h"

namespace pushdown {

// The output layer of a model of text, whose many words make it most of the work: blocks of tokens
// go through it together. Hidden states and their derivatives are those of all tokens.
template <typename T>
class TokenOutput {
 public:
  explicit TokenOutput(const AffineLayer& layer)
      : layer_(layer),
        logit_stride_(RoundUpToVectors<T>(layer.outputs)),
        scaled_stride_(RoundUpToVectors<T>(layer.inputs + 1)) {}

  void Place(std::int64_t max_tokens, int threads, bool gradients, Workspace<T>& workspace);

  void Begin(const TextChunk& chunk) { losses_.assign(chunk.targets.size(), 0.0); }
  // The losses of a block of tokens, which `worker` takes.
  void Forward(const T* parameters, const TextChunk& chunk, Range tokens, int worker,
               Steps<const T> hidden);
  // The same, and the derivatives of the mean loss by the hidden states.
  void Backward(const T* parameters, const TextChunk& chunk, Range tokens, Steps<const T> hidden,
                Steps<T> hidden_gradients);
  // The gradient of the weights, from what Backward has left.
  WeightProduct<T> Weights(int tokens, T* gradient) const;

  // log p of each word after a hidden state.
  void LogProbabilities(const T* parameters, const T* hidden, std::span<T> log_probabilities) const;

  // -log p of each target.
  std::span<const double> losses() const { return losses_; }

 private:
  void Logits(const T* parameters, Range tokens, Steps<const T> hidden, T* logits) const;
  T* scaled_hidden(int token) const { return scaled_hidden_ + token * scaled_stride_; }

  AffineLayer layer_;
  std::ptrdiff_t logit_stride_;
  std::ptrdiff_t scaled_stride_;
  // With gradients [token][outputs]; otherwise a block of them for each thread.
  T* logits_ = nullptr;
  T* scaled_hidden_ = nullptr;  // [token][h; 1]: times what the derivatives by logits lack
  std::vector<double> losses_;
};

extern template class TokenOutput<float>;
extern template class TokenOutput<double>;

}  // namespace pushdown
