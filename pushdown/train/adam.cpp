#include "pushdown/train/adam.h"

#include <cmath>
#include <cstddef>

namespace pushdown {

void AdamStep(const AdamOptions& options, double learning_rate, std::span<const float> gradient,
              OptimizerState& state, std::span<float> parameters) {
  ++state.steps;
  const auto steps = static_cast<double>(state.steps);
  const double mean_bias = 1 - std::pow(options.beta1, steps);
  const double square_bias = 1 - std::pow(options.beta2, steps);
  const auto beta1 = static_cast<float>(options.beta1);
  const auto beta2 = static_cast<float>(options.beta2);
  const auto new_mean = static_cast<float>(1 - options.beta1);
  const auto new_square = static_cast<float>(1 - options.beta2);
  const auto step_size = static_cast<float>(learning_rate / mean_bias);
  const auto square_scale = static_cast<float>(1 / std::sqrt(square_bias));
  const auto epsilon = static_cast<float>(options.epsilon);
  float* mean = state.mean.data();
  float* square = state.square.data();
  for (std::size_t n = 0; n < parameters.size(); ++n) {
    mean[n] = beta1 * mean[n] + new_mean * gradient[n];
    square[n] = beta2 * square[n] + new_square * gradient[n] * gradient[n];
    parameters[n] -= step_size * mean[n] / (std::sqrt(square[n]) * square_scale + epsilon);
  }
}

}  // namespace pushdown
