#include "pushdown/train/step_benchmark.h"

#include <gtest/gtest.h>

#include <string>

namespace pushdown {
namespace {

StepBenchmark Make(const std::string& model, int length, int threads = 1, int batch = 2) {
  return {ParseModelSpec(model, 4, StepBenchmark::kSymbols), length, threads, batch};
}

TEST(StepBenchmark, CountsThePopTermsAsALoopDoes) {
  const int length = 9;
  const int stack_steps = length - 1;
  int triples = 0;
  for (int t = 0; t <= stack_steps; ++t) {
    for (int k = 0; k < t; ++k) triples += k;  // i < k
  }
  const int batch = 2;
  const int passes = 3;
  // |Q|^3 |Gamma|^2.
  EXPECT_EQ(Make("rns-3-2", length).PopMultiplyAdds(), passes * batch * triples * 27 * 4);
  EXPECT_EQ(Make("vrns-2-3-5", length).PopMultiplyAdds(), passes * batch * triples * 8 * 9);
  EXPECT_EQ(Make("rns-3-2", 2).PopMultiplyAdds(), 0);
  EXPECT_EQ(Make("lstm", length).PopMultiplyAdds(), 0);
  EXPECT_EQ(Make("sup-3-3", length).PopMultiplyAdds(), 0);
}

TEST(StepBenchmark, RunsEveryKindOfModelOnThreads) {
  for (const char* model : {"lstm", "sup-3", "sup-h", "rns-2-2", "vrns-2-2-3"}) {
    StepBenchmark benchmark = Make(model, 5, 2, 3);
    for (int n = 0; n < 3; ++n) {
      EXPECT_NO_THROW(benchmark.Step()) << model;
      EXPECT_NO_THROW(benchmark.Validate()) << model;
    }
  }
}

}  // namespace
}  // namespace pushdown
