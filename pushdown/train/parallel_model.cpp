#include "pushdown/train/parallel_model.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "pushdown/error.h"

namespace pushdown {

ParallelModel::ParallelModel(const ModelSpec& spec, int max_length, int threads, int max_batch)
    : pool_(std::min(threads, kMaxThreads)), losses_(static_cast<std::size_t>(max_batch)) {
  ReserveBlasBuffers(pool_.threads());
  for (int n = 0; n < pool_.threads(); ++n) workers_.emplace_back(spec, max_length, max_batch > 0);
  gradients_.assign(static_cast<std::size_t>(max_batch), std::vector<float>(layout().size));
}

double ParallelModel::EstimateBytes(const ModelSpec& spec, int max_length, int threads,
                                    int max_batch) {
  return threads * StackRnn<float>::EstimateBytes(spec, max_length, max_batch > 0) +
         static_cast<double>(max_batch) * static_cast<double>(ParameterLayout(spec).size) *
             sizeof(float);
}

std::vector<double> ParallelModel::LogProbabilities(std::span<const float> parameters,
                                                    std::span<const std::vector<int>> strings,
                                                    const std::function<void(double)>& progress) {
  std::vector<double> result(strings.size());
  std::atomic<std::size_t> done = 0;
  pool_.Run(static_cast<int>(strings.size()), [&](int worker, int index) {
    const auto n = static_cast<std::size_t>(index);
    result[n] = -workers_[static_cast<std::size_t>(worker)].Forward(parameters.data(), strings[n]);
    ++done;
    // Worker 0 is the calling thread.
    if (worker == 0 && progress) {
      progress(static_cast<double>(done) / static_cast<double>(strings.size()));
    }
  });
  if (progress) progress(1);  // on a busy machine, the calling thread may have got no string
  return result;
}

double ParallelModel::Gradient(std::span<const float> parameters,
                               std::span<const std::vector<int>> strings,
                               std::span<const int> batch, std::span<float> gradient) {
  if (batch.size() > gradients_.size()) {
    throw Error("pushdown::ParallelModel", "a batch of " + std::to_string(batch.size()) +
                                               " strings, and the model was made for " +
                                               std::to_string(gradients_.size()));
  }
  const float scale = 1.0F / static_cast<float>(batch.size());
  pool_.Run(static_cast<int>(batch.size()), [&](int worker, int index) {
    const auto n = static_cast<std::size_t>(index);
    StackRnn<float>& model = workers_[static_cast<std::size_t>(worker)];
    losses_[n] = model.Forward(parameters.data(), strings[static_cast<std::size_t>(batch[n])]);
    std::fill(gradients_[n].begin(), gradients_[n].end(), 0.0F);
    model.Backward(parameters.data(), scale, gradients_[n].data());
  });
  constexpr std::size_t kChunk = 1024;
  const auto chunks = static_cast<int>((gradient.size() + kChunk - 1) / kChunk);
  pool_.Run(chunks, [&](int, int chunk) {
    const std::size_t begin = static_cast<std::size_t>(chunk) * kChunk;
    const std::size_t end = std::min(begin + kChunk, gradient.size());
    std::fill(gradient.begin() + begin, gradient.begin() + end, 0.0F);
    for (std::size_t n = 0; n < batch.size(); ++n) {
      for (std::size_t k = begin; k < end; ++k) gradient[k] += gradients_[n][k];
    }
  });
  double loss = 0;
  for (std::size_t n = 0; n < batch.size(); ++n) loss += losses_[n];
  return loss;
}

}  // namespace pushdown
