// Norms and clipping by hand.

#include "pushdown/train/clipping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "pushdown/random.h"

namespace pushdown {
namespace {

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

TEST(ClippingFactor, IsAtMostOne) {
  EXPECT_EQ(ClippingFactor(5, 4), 1);
  EXPECT_EQ(ClippingFactor(5, 0), 1);
  EXPECT_DOUBLE_EQ(ClippingFactor(5, 10), 5 / (10 + 1e-6));
}

TEST(NormOfRanges, CountsTheRangesOnly) {
  WorkerPool pool(2);
  const std::vector<float> vector = {1e30F, 3, 1e30F, 1e30F, 4, 12, 1e30F};
  const std::vector<ParameterRange> ranges = {{1, 2}, {4, 6}};
  EXPECT_EQ(Norm(vector, ranges, pool), 13);
  EXPECT_EQ(Norm(vector, {}, pool), 0);
}

// Ranges shorter and longer than a block, with an end in the midst of one.
TEST(NormOfRanges, DoesNotDependOnThreads) {
  Random random(1);
  std::vector<float> vector(200'000);
  for (float& value : vector) value = static_cast<float>(random.Uniform(-1, 1));
  const std::vector<ParameterRange> ranges = {
      {3, 5}, {100, 356}, {1000, 150'123}, {199'999, 200'000}};
  double sum = 0;
  for (const ParameterRange& range : ranges) {
    for (std::size_t n = range.begin; n < range.end; ++n) {
      sum += static_cast<double>(vector[n]) * static_cast<double>(vector[n]);
    }
  }
  WorkerPool alone(1);
  const double expected = Norm(vector, ranges, alone);
  EXPECT_NEAR(expected, std::sqrt(sum), 1e-10 * std::sqrt(sum));
  for (int threads : {2, 5}) {
    WorkerPool pool(threads);
    EXPECT_EQ(Norm(vector, ranges, pool), expected) << threads;
  }
}

TEST(BlocksOf, CoverTheRanges) {
  const std::vector<ParameterRange> ranges = {{0, 1}, {5, 5}, {10, 100'000}, {100'000, 116'384}};
  const std::vector<ParameterRange> blocks = BlocksOf(ranges);
  ASSERT_GT(blocks.size(), 4u) << "long ranges are cut";
  std::size_t covered = 0;
  for (const ParameterRange& block : blocks) {
    EXPECT_LT(block.begin, block.end);
    covered += block.end - block.begin;
  }
  EXPECT_EQ(covered, 1u + 99'990 + 16'384);
  for (std::size_t n = 2; n < blocks.size(); ++n) EXPECT_EQ(blocks[n].begin, blocks[n - 1].end);
}

}  // namespace
}  // namespace pushdown
