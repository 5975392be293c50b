// Adam against the formulas of Kingma and Ba in double precision.

#include "pushdown/train/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pushdown/random.h"
#include "tests/train/reference_adam.h"

namespace pushdown {
namespace {

using testing_oracle::ReferenceAdam;

OptimizerState ZeroState(std::size_t size) {
  return {std::vector<float>(size), std::vector<float>(size), 0};
}

TEST(Adam, HasThePapersDefaults) {
  const AdamOptions options;
  EXPECT_EQ(options.beta1, 0.9);
  EXPECT_EQ(options.beta2, 0.999);
  EXPECT_EQ(options.epsilon, 1e-8);
}

// After bias correction the means are the gradient and its square, so that the step is
// rate * g / (|g| + epsilon): the rate if g is large, half of it if |g| = epsilon.
TEST(Adam, FirstStepByHand) {
  std::vector<float> parameters = {1, 1, 1, 1};
  const std::vector<float> gradient = {0.5f, -200, 1e-8f, 0};
  OptimizerState state = ZeroState(4);
  AdamStep({}, 0.1, gradient, state, parameters);
  EXPECT_EQ(state.steps, 1);
  EXPECT_FLOAT_EQ(parameters[0], 0.9f);
  EXPECT_FLOAT_EQ(parameters[1], 1.1f);
  EXPECT_FLOAT_EQ(parameters[2], 0.95f);
  EXPECT_EQ(parameters[3], 1);
  EXPECT_FLOAT_EQ(state.mean[0], 0.05f);
  EXPECT_FLOAT_EQ(state.mean[1], -20);
  EXPECT_FLOAT_EQ(state.square[0], 0.00025f);
  EXPECT_FLOAT_EQ(state.square[1], 40);
}

// g = 1, then g = -1: m = 0.1 * 0.9 - 0.1 = -0.01, corrected by 1 - 0.81 = 0.19;
// v = 0.001999, corrected by 1 - 0.998001 = 0.001999, hence 1.
TEST(Adam, SecondStepByHand) {
  std::vector<float> parameters = {0};
  OptimizerState state = ZeroState(1);
  AdamStep({}, 0.1, std::vector<float>{1}, state, parameters);
  AdamStep({}, 0.1, std::vector<float>{-1}, state, parameters);
  EXPECT_EQ(state.steps, 2);
  EXPECT_NEAR(parameters[0], -0.1 + 0.1 * 0.01 / 0.19, 1e-7);
}

// Gradients of very different sizes, every step at another rate.
TEST(Adam, AgreesWithDoublePrecisionForManySteps) {
  constexpr std::size_t kSize = 67;  // no multiple of a vector
  for (const AdamOptions& options :
       {AdamOptions{}, AdamOptions{.beta1 = 0.5, .beta2 = 0.9, .epsilon = 1e-2}}) {
    Random random(3);
    std::vector<float> parameters(kSize);
    for (float& parameter : parameters) parameter = static_cast<float>(random.Uniform(-1, 1));
    ReferenceAdam expected(options, std::vector<double>(parameters.begin(), parameters.end()));
    OptimizerState state = ZeroState(kSize);
    for (int step = 0; step < 300; ++step) {
      const double rate = 0.01 * random.Uniform(0.5, 1);
      std::vector<float> gradient(kSize);
      for (std::size_t j = 0; j < kSize; ++j) {
        gradient[j] = static_cast<float>(random.Uniform(-1, 2) *
                                         std::pow(10.0, static_cast<double>(j % 9) - 6));
      }
      AdamStep(options, rate, gradient, state, parameters);
      expected.Step(rate, std::vector<double>(gradient.begin(), gradient.end()));
      for (std::size_t j = 0; j < kSize; ++j) {
        // Each step may round by half a unit in the last place of a number below 4.
        ASSERT_NEAR(parameters[j], expected.parameters()[j], 1e-7 * (step + 3))
            << "step " << step << " parameter " << j;
      }
    }
    EXPECT_EQ(state.steps, 300);
  }
}

}  // namespace
}  // namespace pushdown
