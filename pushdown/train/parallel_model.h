#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pushdown/kernels/blas.h"
#include "pushdown/model/stack_rnn.h"
#include "pushdown/worker_pool.h"

namespace pushdown {

// A model whose strings are spread over threads. Each string has a gradient of its own. These are
// added in the order of the strings, so that results do not depend on the number of threads.
class ParallelModel {
 public:
  // The limit for all objects of a process together.
  static constexpr int kMaxThreads = kMaxBlasCallers;

  // For strings of up to max_length symbols, on at most kMaxThreads threads. With gradients,
  // batches have up to max_batch strings.
  ParallelModel(const ModelSpec& spec, int max_length, int threads, int max_batch = 0);

  const ModelSpec& spec() const { return workers_.front().spec(); }
  const ParameterLayout& layout() const { return workers_.front().layout(); }
  WorkerPool& pool() { return pool_; }

  // log p of each string. `progress` is called from time to time, on the calling thread, with the
  // fraction that is done; if it throws, the work ends with its exception.
  std::vector<double> LogProbabilities(std::span<const float> parameters,
                                       std::span<const std::vector<int>> strings,
                                       const std::function<void(double)>& progress = {});

  // The sum of -log p over the strings of a batch, and the gradient of its mean.
  double Gradient(std::span<const float> parameters, std::span<const std::vector<int>> strings,
                  std::span<const int> batch, std::span<float> gradient);

  // The memory of all threads together.
  static double EstimateBytes(const ModelSpec& spec, int max_length, int threads, int max_batch);

 private:
  WorkerPool pool_;
  std::vector<StackRnn<float>> workers_;       // one for each thread
  std::vector<std::vector<float>> gradients_;  // one for each string of a batch
  std::vector<double> losses_;
};

}  // namespace pushdown
