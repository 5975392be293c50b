#include "pushdown/train/step_benchmark.h"

#include <cstddef>
#include <cstdint>
#include <numeric>

#include "pushdown/kernels/nondeterministic_stack.h"
#include "pushdown/model/parameters.h"
#include "pushdown/random.h"
#include "pushdown/train/clipping.h"
#include "pushdown/train/trainer.h"

namespace pushdown {

StepBenchmark::StepBenchmark(const ModelSpec& spec, int length, int threads, int batch)
    : length_(length),
      model_(spec, length, threads, batch),
      strings_(static_cast<std::size_t>(batch)),
      batch_(static_cast<std::size_t>(batch)),
      parameters_(model_.layout().size),
      gradient_(parameters_.size()) {
  Random random(1);
  for (std::vector<int>& string : strings_) {
    string.reserve(static_cast<std::size_t>(length));
    for (int n = 0; n < length; ++n) {
      string.push_back(static_cast<int>(random.Below(static_cast<std::uint64_t>(spec.symbols))));
    }
  }
  std::iota(batch_.begin(), batch_.end(), 0);
  InitializeParameters(model_.layout(), Initialization::kPaper, random, parameters_.data());
  adam_.mean.resize(parameters_.size());
  adam_.square.resize(parameters_.size());
}

double StepBenchmark::EstimateBytes(const ModelSpec& spec, int length, int threads, int batch) {
  const double string = static_cast<double>(length) * sizeof(int) + sizeof(std::vector<int>);
  return batch * string + ParallelModel::EstimateBytes(spec, length, threads, batch);
}

void StepBenchmark::Step() {
  // Small, so that many steps with the same strings leave the parameters as they are in training.
  constexpr double kLearningRate = 1e-4;
  const TrainingOptions options;
  model_.Gradient(parameters_, strings_, batch_, gradient_);
  ClipGradient(options.clipping, gradient_);
  AdamStep(options.adam, kLearningRate, gradient_, adam_, parameters_);
}

void StepBenchmark::Validate() { model_.LogProbabilities(parameters_, strings_); }

double StepBenchmark::PopMultiplyAdds() const {
  const NondeterministicStackSpec* stack = model_.spec().nondeterministic();
  if (stack == nullptr) return 0;
  constexpr double kPasses = 3;  // forward and twice backward
  // The last symbol only leads to the end.
  return kPasses * static_cast<double>(strings_.size()) *
         pushdown::PopMultiplyAdds(*stack, length_ - 1);
}

}  // namespace pushdown
