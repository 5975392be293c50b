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

struct AdamState {
  std::vector<float> mean;    // of the gradients
  std::vector<float> square;  // mean of their squares
  long long steps = 0;
};

// One step; all arrays have the size of the parameters, the state's being zero at first.
void AdamStep(const AdamOptions& options, double learning_rate, std::span<const float> gradient,
              AdamState& state, std::span<float> parameters);

}  // namespace pushdown
