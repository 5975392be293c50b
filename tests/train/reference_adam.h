#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "pushdown/train/adam.h"

namespace pushdown::testing_oracle {

// Algorithm 1 of Kingma and Ba 2015, as it is written there.
class ReferenceAdam {
 public:
  ReferenceAdam(const AdamOptions& options, std::vector<double> parameters)
      : options_(options),
        parameters_(std::move(parameters)),
        m_(parameters_.size()),
        v_(parameters_.size()) {}

  const std::vector<double>& parameters() const { return parameters_; }

  void Step(double learning_rate, const std::vector<double>& gradient) {
    ++t_;
    for (std::size_t j = 0; j < parameters_.size(); ++j) {
      m_[j] = options_.beta1 * m_[j] + (1 - options_.beta1) * gradient[j];
      v_[j] = options_.beta2 * v_[j] + (1 - options_.beta2) * gradient[j] * gradient[j];
      const double m_hat = m_[j] / (1 - std::pow(options_.beta1, t_));
      const double v_hat = v_[j] / (1 - std::pow(options_.beta2, t_));
      parameters_[j] -= learning_rate * m_hat / (std::sqrt(v_hat) + options_.epsilon);
    }
  }

 private:
  AdamOptions options_;
  std::vector<double> parameters_;
  std::vector<double> m_;
  std::vector<double> v_;
  int t_ = 0;
};

inline double ReferenceNorm(const std::vector<double>& values) {
  double squares = 0;
  for (double value : values) squares += value * value;
  return std::sqrt(squares);
}

// As PyTorch's clip_grad_norm_ is documented.
inline void ReferenceClip(double threshold, std::vector<double>& gradient) {
  const double factor = std::min(1.0, threshold / (ReferenceNorm(gradient) + 1e-6));
  for (double& value : gradient) value *= factor;
}

}  // namespace pushdown::testing_oracle
