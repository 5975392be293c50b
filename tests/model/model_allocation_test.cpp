// A model promises to allocate at construction only: training calls it for every string.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <vector>

#include "pushdown/model/stack_rnn.h"
#include "tests/count_allocations.h"
#include "tests/model/model_problem.h"

namespace pushdown {
namespace {

TEST(Allocation, StackRnnAllocatesAtConstructionOnly) {
  if (!PUSHDOWN_CAN_COUNT_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted here";
  for (const testing_oracle::ModelCase& model_case : testing_oracle::ModelCases()) {
    const testing_oracle::ModelProblem problem(model_case, 20, 3, 12);
    const auto parameters = testing_oracle::ParametersAs<float>(problem.parameters);
    std::vector<float> gradient(parameters.size());
    std::vector<float> log_probabilities(4);
    const long before_construction = allocations;
    StackRnn<float> model(problem.spec, 12);
    const long before = allocations;
    EXPECT_GT(before, before_construction) << "allocations are not counted";
    for (std::size_t length : {12u, 3u, 0u}) {
      model.Forward(parameters.data(), std::span(problem.string).first(length));
      model.Backward(parameters.data(), 1, gradient.data());
    }
    model.Start(parameters.data(), log_probabilities.data());
    for (int symbol : problem.string) {
      model.Step(parameters.data(), symbol, log_probabilities.data());
    }
    EXPECT_EQ(allocations, before) << problem;
  }
}

}  // namespace
}  // namespace pushdown
