#include "pushdown/train/adam.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace pushdown {

void AdamStep(const AdamOptions& options, double learning_rate, std::span<const float> gradient,
              AdamState& state, std::span<float> parameters) {
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

double Norm(std::span<const float> vector) {
  // Several sums, which do not wait for each other.
  constexpr std::size_t kSums = 8;
  std::array<double, kSums> sums = {};
  for (std::size_t n = 0; n < vector.size(); n += kSums) {
    const std::size_t count = std::min(kSums, vector.size() - n);
    for (std::size_t k = 0; k < count; ++k) {
      const auto value = static_cast<double>(vector[n + k]);
      sums[k] += value * value;
    }
  }
  return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
}

double ClipGradient(double threshold, std::span<float> gradient) {
  const double norm = Norm(gradient);
  const double factor = threshold / (norm + 1e-6);
  if (factor < 1) {
    for (float& value : gradient) value *= static_cast<float>(factor);
  }
  return norm;
}

}  // namespace pushdown
