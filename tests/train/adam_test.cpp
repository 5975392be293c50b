// Adam against the formulas of Kingma and Ba in double precision, and clipping by hand.

#include "pushdown/train/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "pushdown/random.h"
#include "tests/train/reference_adam.h"

namespace pushdown {
namespace {

using testing_oracle::ReferenceAdam;

AdamState ZeroState(std::size_t size) {
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
  AdamState state = ZeroState(4);
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
  AdamState state = ZeroState(1);
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
    AdamState state = ZeroState(kSize);
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

TEST(Norm, IsEuclidean) {
  EXPECT_EQ(Norm(std::vector<float>{3, -4}), 5);
  EXPECT_EQ(Norm(std::vector<float>{}), 0);
  EXPECT_EQ(Norm(std::vector<float>{0, 0}), 0);
}

// Squares beyond float's range, and sums that float would round away.
TEST(Norm, IsComputedInDouble) {
  EXPECT_NEAR(Norm(std::vector<float>{3e30f, 4e30f}) / 5e30, 1, 1e-6);
  EXPECT_NEAR(Norm(std::vector<float>{3e-30f, 4e-30f}) / 5e-30, 1, 1e-6);
  std::vector<float> many(1 << 20, 1e-3f);
  many[0] = 100;
  EXPECT_NEAR(Norm(many), std::sqrt(1e4 + ((1 << 20) - 1) * 1e-6), 1e-6);
}

TEST(Norm, OfWhatIsNotFiniteIsNotFinite) {
  EXPECT_FALSE(std::isfinite(Norm(std::vector<float>{1, std::numeric_limits<float>::infinity()})));
  EXPECT_FALSE(std::isfinite(Norm(std::vector<float>{std::numeric_limits<float>::quiet_NaN(), 1})));
}

TEST(ClipGradient, ScalesALongGradientToTheThreshold) {
  std::vector<float> gradient = {6, -8};
  EXPECT_EQ(ClipGradient(5, gradient), 10) << "the norm before";
  EXPECT_FLOAT_EQ(gradient[0], static_cast<float>(6 * 5 / (10 + 1e-6)));
  EXPECT_FLOAT_EQ(gradient[1], static_cast<float>(-8 * 5 / (10 + 1e-6)));
}

TEST(ClipGradient, LeavesAShortGradientAlone) {
  std::vector<float> gradient = {0.3f, -0.4f};
  EXPECT_NEAR(ClipGradient(5, gradient), 0.5, 1e-7);
  EXPECT_EQ(gradient, (std::vector<float>{0.3f, -0.4f}));
  std::vector<float> zero = {0, 0};
  EXPECT_EQ(ClipGradient(5, zero), 0);
  EXPECT_EQ(zero, (std::vector<float>{0, 0}));
}

// PyTorch's 1e-6 shows where it is not small: 3 / (3 + 1e-6) is a sixth of the last place away
// from what plain scaling gives, 1e-6 / (1e-6 + 1e-6) a half.
TEST(ClipGradient, DividesByTheNormAndAMillionth) {
  std::vector<float> tiny = {1e-6f};
  ClipGradient(1e-6, tiny);
  EXPECT_NEAR(tiny[0], 0.5e-6, 1e-12);
  std::vector<float> exact = {3, 4};
  EXPECT_EQ(ClipGradient(5, exact), 5);
  EXPECT_NEAR(exact[0], 3 * 5 / (5 + 1e-6), 2.4e-7);
  EXPECT_LT(exact[0], 3);
}

}  // namespace
}  // namespace pushdown
