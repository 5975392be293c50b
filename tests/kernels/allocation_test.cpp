// The stacks promise to allocate at construction only (but for float stacks that have to go over to
// double).

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "pushdown/kernels/nondeterministic_stack.h"
#include "pushdown/kernels/superposition_stack.h"
#include "tests/count_allocations.h"
#include "tests/kernels/stack_problem.h"

namespace pushdown {
namespace {

TEST(Allocation, NondeterministicStackAllocatesAtConstructionOnly) {
  if (!PUSHDOWN_CAN_COUNT_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted here";
  for (const NondeterministicStackSpec& spec :
       {NondeterministicStackSpec{2, 3}, NondeterministicStackSpec{1, 2},
        NondeterministicStackSpec{2, 3, 4, 5},
        NondeterministicStackSpec{2, 3, 4, 0, Bottom::kFixed, InitialVector::kPaperCode}}) {
    const testing_oracle::StackProblem problem{spec, 20, 3, 0, 1};
    const auto arguments = testing_oracle::MakeArguments(problem).As<float>();
    const auto coefficients = testing_oracle::MakeCoefficients(problem);
    std::vector<float> readings(coefficients.begin(), coefficients.end());
    auto gradients = arguments;
    const long before_construction = allocations;
    NondeterministicStack<float> stack(spec, 20);
    const long before = allocations;
    EXPECT_GT(before, before_construction) << "allocations are not counted";
    stack.ForwardSequence(20, arguments.logits.data(), arguments.vectors.data(),
                          arguments.bottom_vector.data(), readings.data());
    stack.BackwardSequence(20, readings.data(), gradients.logits.data(), gradients.vectors.data(),
                           gradients.bottom_vector.data());
    stack.Carry();
    EXPECT_EQ(allocations, before) << problem;
  }
}

TEST(Allocation, SuperpositionStackAllocatesAtConstructionOnly) {
  if (!PUSHDOWN_CAN_COUNT_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted here";
  for (int depth_limit : {0, 4}) {
    const SuperpositionStackSpec spec{{3, 2}, depth_limit};
    std::vector<float> actions(20 * 6, 0.3F);
    std::vector<float> vectors(20 * 5, 0.5F);
    std::vector<float> readings(21 * 5);
    const long before_construction = allocations;
    SuperpositionStack<float> stack(spec, 20);
    const long before = allocations;
    EXPECT_GT(before, before_construction) << "allocations are not counted";
    stack.ForwardSequence(20, actions.data(), vectors.data(), readings.data());
    stack.BackwardSequence(20, readings.data(), actions.data(), vectors.data());
    stack.Carry();
    EXPECT_EQ(allocations, before);
  }
}

}  // namespace
}  // namespace pushdown
