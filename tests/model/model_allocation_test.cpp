// A model promises to allocate at construction only, since training calls it for every string, and
// to know beforehand how much that is.

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "pushdown/model/driven_stack.h"
#include "pushdown/model/stack_rnn.h"
#include "pushdown/model/text_model.h"
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

#if PUSHDOWN_CAN_COUNT_ALLOCATIONS
double BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

// Buffers are aligned, and the system's allocator rounds up; the layout's names are not counted.
void ExpectBytes(double actual, double announced, const std::string& name) {
  EXPECT_GE(actual, announced * 0.999) << name;
  EXPECT_LE(actual, announced * 1.02 + 65536) << name;
}

TEST(Allocation, WorkspaceBytesAreWhatConstructingTakes) {
  for (const testing_oracle::ModelCase& model_case : testing_oracle::ModelCases()) {
    const ModelSpec spec = model_case.Spec(60, 100);
    for (const bool gradients : {false, true}) {
      const double before = BytesInUse();
      const StackRnn<float> model(spec, 100, gradients);
      ExpectBytes(BytesInUse() - before, StackRnn<float>::WorkspaceBytes(spec, 100, gradients),
                  model_case.name);
    }
  }
}

TEST(Allocation, TextModelsTakeNoMoreThanTheyEstimate) {
  WorkerPool pool(2);
  for (const char* name : {"lstm", "sup-h", "sup-3-4", "rns-2-3", "vrns-2-2-5"}) {
    const ModelSpec spec = ParseTextModelSpec(name, 60, 1000);
    for (const bool gradients : {false, true}) {
      const double before = BytesInUse();
      const TextModel<float> model(spec, 16, 30, gradients, pool);
      const double later = 16 * DrivenStack<float>::WideBytes(spec, 30, gradients);
      const double estimate = TextModel<float>::EstimateBytes(spec, 16, 30, gradients, 2);
      ExpectBytes(BytesInUse() - before, estimate - later, name);
    }
  }
}
#endif

}  // namespace
}  // namespace pushdown
