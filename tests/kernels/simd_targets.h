#pragma once

#include <gtest/gtest.h>

#include <string>

#include "pushdown/kernels/simd.h"

namespace pushdown::testing_oracle {

// Runs a test on the SIMD target that is its parameter.
class WithSimdTarget : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    before_ = ActiveSimdTarget();
    ForceSimdTarget(GetParam());
  }
  void TearDown() override { ForceSimdTarget(before_); }

 private:
  std::string before_;
};

}  // namespace pushdown::testing_oracle
