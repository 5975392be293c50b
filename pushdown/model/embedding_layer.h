#pragma once

#include <span>
#include <vector>

#include "pushdown/kernels/blas.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"
#include "pushdown/model/ranges.h"
#include "pushdown/model/text_chunk.h"
#include "pushdown/model/weight_products.h"
#include "pushdown/model/workspace.h"
#include "pushdown/worker_pool.h"

namespace pushdown {

// The input layer of a model of text: embeddings of words, and what they bring to the gates.
template <typename T>
class EmbeddingLayer {
 public:
  EmbeddingLayer(const ModelSpec& spec, const ParameterLayout& layout)
      : size_(spec.embedding_size),
        embeddings_(layout.embeddings),
        controller_(layout.controller),
        stride_(RoundUpToVectors<T>(size_)) {}

  void Place(std::int64_t max_tokens, bool gradients, Workspace<T>& workspace);

  // Writes what the inputs of some tokens bring to their gates, which are those of all tokens.
  void Forward(const T* parameters, const TextChunk& chunk, Range tokens, Steps<T> gates);

  // From the derivatives by gates, the gradient of the embeddings of a chunk's inputs. Those of
  // other words are left as they are.
  void Backward(const T* parameters, const TextChunk& chunk, Steps<const T> gate_gradients,
                WorkerPool& pool, T* gradient);
  // The gradient of the weights.
  WeightProduct<T> Weights(int tokens, Steps<const T> gate_gradients, T* gradient) const;

  // Of the newest chunk that went backward, in ascending order, each once.
  std::span<const int> distinct_inputs() const { return distinct_inputs_; }

 private:
  T* input(int token) const { return inputs_ + token * stride_; }
  T* input_gradient(int token) const { return input_gradients_ + token * stride_; }
  void SortInputs(const TextChunk& chunk);

  int size_;
  std::size_t embeddings_;  // where they are in the arena
  AffineLayer controller_;
  std::ptrdiff_t stride_;
  T* inputs_ = nullptr;           // [token][E]
  T* input_gradients_ = nullptr;  // [token][E]
  std::vector<int> distinct_inputs_;
  std::vector<int> by_input_;     // tokens in the order of their inputs
  std::vector<int> input_begin_;  // where in by_input_ the tokens of each distinct input begin
};

extern template class EmbeddingLayer<float>;
extern template class EmbeddingLayer<double>;

}  // namespace pushdown
