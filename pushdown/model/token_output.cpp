#include "pushdown/model/token_output.h"

#include <algorithm>

#include "pushdown/kernels/activations.h"
#include "pushdown/model/log_softmax.h"

namespace pushdown {
namespace {

template <typename T>
Steps<T> From(Steps<T> steps, int token) {
  return {steps.data + token * steps.stride, steps.stride};
}

}  // namespace

template <typename T>
void TokenOutput<T>::Place(std::int64_t max_tokens, int threads, bool gradients,
                           Workspace<T>& workspace) {
  workspace.Reserve(losses_, max_tokens);
  const std::int64_t blocks = threads * std::min<std::int64_t>(max_tokens, kMaxBlockTokens);
  logits_ = workspace.Table(gradients ? std::max(max_tokens, blocks) : blocks, logit_stride_);
  if (gradients) scaled_hidden_ = workspace.Table(max_tokens, scaled_stride_);
}

template <typename T>
void TokenOutput<T>::Logits(const T* parameters, Range tokens, Steps<const T> hidden,
                            T* logits) const {
  AddProducts(tokens.size(), layer_.inputs + 1, layer_.outputs, From(hidden, tokens.begin),
              parameters + layer_.weights, Steps<T>{logits, logit_stride_}, Product::kSet);
}

template <typename T>
void TokenOutput<T>::Forward(const T* parameters, const TextChunk& chunk, Range tokens, int worker,
                             Steps<const T> hidden) {
  T* logits = logits_ + std::ptrdiff_t{worker} * BlockTokens(chunk.tokens()) * logit_stride_;
  Logits(parameters, tokens, hidden, logits);
  for (int n = tokens.begin; n < tokens.end; ++n) {
    const auto index = static_cast<std::size_t>(n);
    T sum;
    losses_[index] = SoftmaxExponentials(layer_.outputs, logits, chunk.targets[index], sum);
    logits += logit_stride_;
  }
}

// Derivatives by a token's logits are left where the logits were, but for a factor, with which the
// hidden state in their products is multiplied.
template <typename T>
void TokenOutput<T>::Backward(const T* parameters, const TextChunk& chunk, Range tokens,
                              Steps<const T> hidden, Steps<T> hidden_gradients) {
  T* logits = logits_ + tokens.begin * logit_stride_;
  Logits(parameters, tokens, hidden, logits);
  const T scale = T{1} / static_cast<T>(chunk.tokens());
  T* row = logits;
  for (int n = tokens.begin; n < tokens.end; ++n) {
    const auto index = static_cast<std::size_t>(n);
    const int target = chunk.targets[index];
    T sum;
    losses_[index] = SoftmaxExponentials(layer_.outputs, row, target, sum);
    row[target] -= sum;
    const T factor = scale / sum;
    const T* from = From(hidden, n).data;
    for (int k = 0; k <= layer_.inputs; ++k) scaled_hidden(n)[k] = factor * from[k];
    row += logit_stride_;
  }
  AddTransposedProducts(tokens.size(), layer_.inputs, layer_.outputs, parameters + layer_.weights,
                        Steps<const T>{logits, logit_stride_}, From(hidden_gradients, tokens.begin),
                        Product::kSet);
  for (int n = tokens.begin; n < tokens.end; ++n) {
    const T factor = scaled_hidden(n)[layer_.inputs];  // times the 1 of the bias
    T* to = From(hidden_gradients, n).data;
    for (int k = 0; k < layer_.inputs; ++k) to[k] *= factor;
  }
}

template <typename T>
WeightProduct<T> TokenOutput<T>::Weights(int tokens, T* gradient) const {
  return {tokens,
          layer_.inputs + 1,
          layer_.outputs,
          {scaled_hidden_, scaled_stride_},
          {logits_, logit_stride_},
          gradient + layer_.weights};
}

template <typename T>
void TokenOutput<T>::LogProbabilities(const T* parameters, const T* hidden,
                                      std::span<T> log_probabilities) const {
  AddProducts(1, layer_.inputs + 1, layer_.outputs, Steps<const T>{hidden, layer_.inputs + 1},
              parameters + layer_.weights, Steps<T>{log_probabilities.data(), layer_.outputs},
              Product::kSet);
  LogSoftmaxInPlace(log_probabilities);
}

template class TokenOutput<float>;
template class TokenOutput<double>;

}  // namespace pushdown
