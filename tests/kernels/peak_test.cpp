#include "pushdown/kernels/peak.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pushdown/error.h"
#include "tests/kernels/simd_targets.h"

namespace pushdown {
namespace {

// Slower than any machine with floating-point arithmetic, also with sanitizers.
constexpr double kVerySlow = 1e6;

class PeakTest : public testing_oracle::WithSimdTarget {};
INSTANTIATE_TEST_SUITE_P(All, PeakTest, testing::ValuesIn(AvailableSimdTargets()));

TEST_P(PeakTest, IsAPlausibleRateOnAnyNumberOfThreads) {
  for (int threads : {1, 2, 5}) {
    const double peak = PeakMultiplyAdds(0.002, threads);
    EXPECT_TRUE(std::isfinite(peak)) << threads;
    EXPECT_GT(peak, kVerySlow) << threads;
  }
}

TEST(Peak, NeedsAThread) { EXPECT_THROW(PeakMultiplyAdds(0.002, 0), Error); }

}  // namespace
}  // namespace pushdown
