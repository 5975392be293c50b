#include "pushdown/kernels/simd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "pushdown/error.h"
#include "tests/kernels/simd_targets.h"

namespace pushdown {
namespace {

class SimdTarget : public testing_oracle::WithSimdTarget {};
INSTANTIATE_TEST_SUITE_P(All, SimdTarget, testing::ValuesIn(AvailableSimdTargets()));

TEST_P(SimdTarget, ForcingTakesEffectInTheDispatchedCode) {
  EXPECT_EQ(ActiveSimdTarget(), GetParam());
}

TEST(SimdTargets, BestOneIsUsedUnlessTheEnvironmentSaysOtherwise) {
  if (std::getenv("PUSHDOWN_SIMD") != nullptr) GTEST_SKIP() << "PUSHDOWN_SIMD is set";
  EXPECT_EQ(ActiveSimdTarget(), AvailableSimdTargets().front());
}

TEST(SimdTargets, UnknownOneIsRefusedWithTheKnownOnes) {
  try {
    ForceSimdTarget("avx9");
    FAIL() << "avx9 was accepted";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("avx9"), std::string::npos) << message;
    EXPECT_NE(message.find(AvailableSimdTargets().front()), std::string::npos) << message;
  }
}

// Run by ctest with PUSHDOWN_SIMD=scalar, which every machine has.
TEST(SimdEnvironment, VariableForcesTheTarget) {
  const char* name = std::getenv("PUSHDOWN_SIMD");
  if (name == nullptr) GTEST_SKIP() << "PUSHDOWN_SIMD is not set";
  EXPECT_EQ(ActiveSimdTarget(), name);
}

}  // namespace
}  // namespace pushdown
