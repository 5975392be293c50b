#pragma once

#include <span>
#include <vector>

namespace pushdown {

// Adam (Kingma and Ba 2015), as PyTorch computes it.
struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

// What an optimiser keeps from step to step. Plain gradient descent only counts the steps.
struct OptimizerState {
  std::vector<float> mean;    // Adam only: the running mean of the gradients
  std::vector<float> square;  // Adam only: the running mean of their squares
  long long steps = 0;
};

// One step. All arrays have the size of the parameters; those of the state are zero at first.
void AdamStep(const AdamOptions& options, double learning_rate, std::span<const float> gradient,
              OptimizerState& state, std::span<float> parameters);

}  // namespace pushdown
