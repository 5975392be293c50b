#pragma once

#include <vector>

#include "pushdown/train/adam.h"
#include "pushdown/train/parallel_model.h"

namespace pushdown {

// The work that benchmarks measure. Its strings and parameters are random, with a fixed seed.
class StepBenchmark {
 public:
  static constexpr int kSymbols = 3;  // the number that marked reversal has

  // For a batch of strings of `length` symbols.
  StepBenchmark(const ModelSpec& spec, int length, int threads, int batch);

  static double EstimateBytes(const ModelSpec& spec, int length, int threads, int batch);

  // A training step: forward, loss, backward, clipping and Adam.
  void Step();
  // Forward only, on the same strings.
  void Validate();

  // The number of multiply-adds of the pop terms in a training step; 0 for models without a
  // nondeterministic stack.
  double PopMultiplyAdds() const;

 private:
  int length_;
  ParallelModel model_;
  std::vector<std::vector<int>> strings_;
  std::vector<int> batch_;
  std::vector<float> parameters_;
  std::vector<float> gradient_;
  OptimizerState adam_;
};

}  // namespace pushdown
