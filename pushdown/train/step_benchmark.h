#pragma once

#include <vector>

#include "pushdown/train/adam.h"
#include "pushdown/train/parallel_model.h"

namespace pushdown {

// The work that benchmarks measure, with random strings and parameters that are always the same.
class StepBenchmark {
 public:
  static constexpr int kSymbols = 3;  // as marked reversal has them

  // For a batch of strings of `length` symbols.
  StepBenchmark(const ModelSpec& spec, int length, int threads, int batch);

  static double EstimateBytes(const ModelSpec& spec, int length, int threads, int batch);

  // A training step: forward, loss, backward, clipping and Adam.
  void Step();
  // Forward only, on the same strings.
  void Validate();

  // Of the pop terms in a training step. 0 for models without a nondeterministic stack.
  double PopMultiplyAdds() const;

 private:
  int length_;
  ParallelModel model_;
  std::vector<std::vector<int>> strings_;
  std::vector<int> batch_;
  std::vector<float> parameters_;
  std::vector<float> gradient_;
  AdamState adam_;
};

}  // namespace pushdown
