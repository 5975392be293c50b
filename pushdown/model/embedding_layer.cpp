#include "pushdown/model/embedding_layer.h"

#include <algorithm>
#include <numeric>

namespace pushdown {

template <typename T>
void EmbeddingLayer<T>::Place(std::int64_t max_tokens, bool gradients, Workspace<T>& workspace) {
  inputs_ = workspace.Table(max_tokens, stride_);
  if (!gradients) return;
  input_gradients_ = workspace.Table(max_tokens, stride_);
  workspace.Reserve(distinct_inputs_, max_tokens);
  workspace.Reserve(by_input_, max_tokens);
  workspace.Reserve(input_begin_, max_tokens + 1);
}

template <typename T>
void EmbeddingLayer<T>::Forward(const T* parameters, const TextChunk& chunk, Range tokens,
                                Steps<T> gates) {
  for (int n = tokens.begin; n < tokens.end; ++n) {
    const std::ptrdiff_t word = chunk.inputs[static_cast<std::size_t>(n)];
    std::copy_n(parameters + embeddings_ + word * size_, size_, input(n));
  }
  AddProducts(tokens.size(), size_, controller_.outputs,
              Steps<const T>{input(tokens.begin), stride_}, parameters + controller_.weights,
              Steps<T>{gates.data + tokens.begin * gates.stride, gates.stride}, Product::kSet);
}

template <typename T>
void EmbeddingLayer<T>::Backward(const T* parameters, const TextChunk& chunk,
                                 Steps<const T> gate_gradients, WorkerPool& pool, T* gradient) {
  SortInputs(chunk);
  ForRanges(pool, chunk.tokens(), BlockTokens(chunk.tokens()), [&](int, Range tokens) {
    const std::ptrdiff_t stride = gate_gradients.stride;
    AddTransposedProducts(tokens.size(), size_, controller_.outputs,
                          parameters + controller_.weights,
                          Steps<const T>{gate_gradients.data + tokens.begin * stride, stride},
                          Steps<T>{input_gradient(tokens.begin), stride_}, Product::kSet);
  });
  constexpr int kWords = 64;
  ForRanges(pool, static_cast<int>(distinct_inputs_.size()), kWords, [&](int, Range words) {
    for (int k = words.begin; k < words.end; ++k) {
      const auto index = static_cast<std::size_t>(k);
      T* row = gradient + embeddings_ + std::ptrdiff_t{distinct_inputs_[index]} * size_;
      std::fill_n(row, size_, T{0});
      for (int place = input_begin_[index]; place < input_begin_[index + 1]; ++place) {
        const T* of_token = input_gradient(by_input_[static_cast<std::size_t>(place)]);
        for (int n = 0; n < size_; ++n) row[n] += of_token[n];
      }
    }
  });
}

template <typename T>
WeightProduct<T> EmbeddingLayer<T>::Weights(int tokens, Steps<const T> gate_gradients,
                                            T* gradient) const {
  return {tokens,
          size_,
          controller_.outputs,
          {inputs_, stride_},
          gate_gradients,
          gradient + controller_.weights};
}

template <typename T>
void EmbeddingLayer<T>::SortInputs(const TextChunk& chunk) {
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

template class EmbeddingLayer<float>;
template class EmbeddingLayer<double>;

}  // namespace pushdown
