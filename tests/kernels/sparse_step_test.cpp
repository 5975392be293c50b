// Steps with few possible transitions, which have kernels of their own, against the enumeration of
// all runs and the recurrences of the paper in log space.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/nondeterministic_stack.h"
#include "pushdown/kernels/stack_wfa.h"
#include "pushdown/random.h"
#include "tests/kernels/enumeration.h"
#include "tests/kernels/simd_targets.h"
#include "tests/kernels/stack_oracle.h"

namespace pushdown {
namespace {

using namespace testing_oracle;  // NOLINT(google-build-using-namespace): this file is about it

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Steps { kSparse, kAlternating, kDenseThenSparse };

bool IsSparse(Steps steps, int t) {
  if (steps == Steps::kAlternating) return t % 3 != 2;
  return steps == Steps::kSparse || t > 4;
}

// Of a sparse step, all but a few percent of the logits are -inf, and more of the pops are not. One
// run always survives: it stays in (0,0), on top of a push in the first step, without which an old
// bottom could not be replaced.
StackArguments<double> SparseArguments(const StackProblem& problem, double possible,
                                       Steps steps = Steps::kSparse) {
  const NondeterministicStackSpec& spec = problem.spec;
  StackArguments<double> arguments = MakeArguments(problem);
  Random random(problem.seed, 2);
  for (int t = 1; t <= problem.steps; ++t) {
    if (!IsSparse(steps, t)) continue;
    double* logits = arguments.logits.data() + (t - 1) * spec.logits_size();
    int left = spec.logits_size() / kSparse - 2;  // or else the step is not a sparse one
    for (int n = 0; n < spec.logits_size(); ++n) {
      const bool pops = n % spec.logits_per_pair() >= 2 * spec.pairs();
      if (random.Uniform() >= (pops ? 4 * possible : possible) || left == 0) {
        logits[n] = -kInfinity;
      } else {
        --left;
      }
    }
    logits[0] = 0;
    logits[spec.pairs()] = 0;
  }
  return arguments;
}

std::vector<NondeterministicStackSpec> Specs() {
  return {{1, 12},
          {3, 4},
          {2, 18},
          {4, 9},
          {5, 8},
          {2, 8, 0, 0, Bottom::kOld},
          {3, 4, 3},
          {1, 17, 1, 0, Bottom::kOld},
          {2, 8, 2, 0, Bottom::kFixed, InitialVector::kPaperCode},
          {3, 4, 2, 5}};
}

class SparseSteps : public testing_oracle::WithSimdTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, SparseSteps, testing::ValuesIn(AvailableSimdTargets()));

TEST_P(SparseSteps, ReadingsAreThoseOfAllRuns) {
  for (const NondeterministicStackSpec& spec : Specs()) {
    for (std::uint64_t seed : {1, 2, 3}) {
      const StackProblem problem{spec, 8, 3, 0, seed};
      const auto arguments = SparseArguments(problem, seed == 1 ? 0.01 : 0.035);
      const auto expected = EnumeratedReadings(spec, problem.steps, arguments.logits,
                                               arguments.vectors, arguments.bottom_vector);
      EXPECT_LT(LargestDifference(Solve<double>(problem, arguments).readings, expected), 1e-13)
          << problem;
      EXPECT_LT(LargestDifference(Solve<float>(problem, arguments).readings, expected), 5e-6)
          << problem;
    }
  }
}

TEST_P(SparseSteps, ReadingsAndGradientsAreThoseOfTheRecurrences) {
  for (const NondeterministicStackSpec& spec : Specs()) {
    for (Steps steps : {Steps::kSparse, Steps::kAlternating, Steps::kDenseThenSparse}) {
      const StackProblem problem{spec, 9, 3, 0, 4};
      const auto arguments = SparseArguments(problem, 0.03, steps).As<float>().As<double>();
      const auto coefficients = MakeCoefficients(problem);
      const auto expected = Reference(problem, arguments);
      const auto in_double = Solve<double>(problem, arguments, coefficients);
      const auto in_float = Solve<float>(problem, arguments, coefficients);
      EXPECT_LT(LargestDifference(in_double.readings, expected), 1e-12) << problem;
      EXPECT_LT(LargestDifference(in_float.readings, expected), 5e-6) << problem;
      EXPECT_LT(LargestDifference(in_float.gradients.logits, in_double.gradients.logits), 1e-4)
          << problem;
      // The oracle takes its time, and gradients come from what all targets have in common.
      if (GetParam() != AvailableSimdTargets().front()) continue;
      ExpectGradientsInRandomDirection(problem, arguments, coefficients, in_double.gradients, 1,
                                       1e-11);
    }
  }
}

// Above, a float stack goes over to double.
TEST_P(SparseSteps, FloatItselfAgreesWithTheRecurrences) {
  for (const NondeterministicStackSpec& spec : Specs()) {
    if (spec.vector_size > 0) continue;
    for (Steps steps : {Steps::kSparse, Steps::kAlternating}) {
      const StackProblem problem{spec, 12, 2, 0, 8};
      const auto arguments = SparseArguments(problem, 0.03, steps).As<float>();
      const auto expected = Reference(problem, arguments.As<double>());
      StackWfa<float> stack(spec, problem.steps, /*gradients=*/false);
      stack.Reset(StackWfa<float>::Start::kBottom);
      std::vector<float> readings = {stack.column(0).alpha, stack.column(0).alpha + spec.pairs()};
      for (int t = 1; t <= problem.steps; ++t) {
        stack.Step(arguments.logits.data() + (t - 1) * spec.logits_size());
        const float* alpha = stack.column(t).alpha;
        readings.insert(readings.end(), alpha, alpha + spec.pairs());
      }
      EXPECT_LT(LargestDifference(readings, expected), 5e-6) << problem;
    }
  }
}

TEST_P(SparseSteps, WeightIsThatOfAllRuns) {
  const StackProblem problem{{3, 6}, 8, 3, 0, 6};
  const auto arguments = SparseArguments(problem, 0.03);
  RunEnumerator runs(problem.spec, problem.steps, arguments.logits, arguments.vectors,
                     arguments.bottom_vector);
  runs.Readings();
  const auto expected = runs.LogWeights();
  std::vector<double> reading(static_cast<std::size_t>(problem.spec.reading_size()));
  NondeterministicStack<double> stack(problem.spec, problem.steps, false);
  stack.Start(nullptr, reading.data());
  for (int t = 1; t <= problem.steps; ++t) {
    stack.Step(arguments.logits.data() + (t - 1) * problem.spec.logits_size(), nullptr,
               reading.data());
    EXPECT_NEAR(stack.LogWeight(), expected[static_cast<std::size_t>(t)], 1e-13) << t;
  }
}

// Rows that are known to be zeros are not written; what other sequences left must not show.
TEST_P(SparseSteps, AnObjectCanBeUsedAgain) {
  for (const NondeterministicStackSpec& spec : Specs()) {
    const int steps = 9;
    NondeterministicStack<double> used(spec, steps);
    const auto run = [&](NondeterministicStack<double>& stack, const StackProblem& problem,
                         Steps kind) {
      const auto arguments = SparseArguments(problem, 0.03, kind);
      const auto coefficients = MakeCoefficients(problem);
      std::vector<double> readings(coefficients.size());
      auto gradients = Zeros(arguments);
      stack.ForwardSequence(steps, arguments.logits.data(), arguments.vectors.data(),
                            arguments.bottom_vector.data(), readings.data());
      stack.BackwardSequence(steps, coefficients.data(), gradients.logits.data(),
                             gradients.vectors.data(), gradients.bottom_vector.data());
      readings.insert(readings.end(), gradients.logits.begin(), gradients.logits.end());
      return readings;
    };
    std::uint64_t seed = 20;
    for (Steps kind : {Steps::kSparse, Steps::kDenseThenSparse, Steps::kSparse, Steps::kAlternating,
                       Steps::kSparse, Steps::kSparse}) {
      const StackProblem problem{spec, steps, 2, 0, ++seed};
      NondeterministicStack<double> fresh(spec, steps);
      EXPECT_EQ(run(used, problem, kind), run(fresh, problem, kind)) << problem;
    }
  }
}

TEST_P(SparseSteps, GoOnFromWhatWasCarried) {
  for (const NondeterministicStackSpec& spec : Specs()) {
    const int steps = 9;
    const StackProblem problem{spec, steps, 2, 0, 31};
    const auto arguments = SparseArguments(problem, 0.03, Steps::kDenseThenSparse);
    std::vector<double> reading(static_cast<std::size_t>(spec.reading_size()));
    std::vector<double> restored_reading = reading;
    NondeterministicStack<double> stack(spec, steps);
    NondeterministicStack<double> restored(spec, steps);
    const auto step = [&](NondeterministicStack<double>& which, int t, double* out) {
      which.Step(arguments.logits.data() + (t - 1) * spec.logits_size(),
                 arguments.vectors.data() + (t - 1) * spec.vector_size, out);
    };
    stack.Start(arguments.bottom_vector.data(), reading.data());
    for (int t = 1; t <= 6; ++t) step(stack, t, reading.data());
    stack.Carry();
    restored.RestoreCarried(stack.Carried());
    for (int t = 7; t <= steps; ++t) {
      step(stack, t, reading.data());
      step(restored, t, restored_reading.data());
      EXPECT_EQ(reading, restored_reading) << problem << " step " << t;
    }
    // And then from the beginning.
    const auto sparse = SparseArguments(problem, 0.03);
    const auto expected = Solve<double>(problem, sparse).readings;
    std::vector<double> readings(expected.size());
    restored.ForwardSequence(steps, sparse.logits.data(), sparse.vectors.data(),
                             sparse.bottom_vector.data(), readings.data());
    EXPECT_EQ(readings, expected) << problem;
  }
}

std::string ErrorOf(NondeterministicStack<double>& stack, const std::vector<double>& logits) {
  std::vector<double> reading(static_cast<std::size_t>(stack.spec().reading_size()));
  try {
    stack.Start(nullptr, reading.data());
    stack.Step(logits.data(), nullptr, reading.data());
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_P(SparseSteps, RefuseWhatOtherStepsRefuse) {
  const NondeterministicStackSpec spec{3, 5};
  const std::vector<double> impossible(static_cast<std::size_t>(spec.logits_size()), -kInfinity);
  NondeterministicStack<double> stack(spec, 2);
  EXPECT_NE(ErrorOf(stack, impossible).find("no run of the automaton survives step 1"),
            std::string::npos);
  // From pairs where no run is, and pops of the bottom.
  std::vector<double> logits = impossible;
  logits[static_cast<std::size_t>(spec.logits_per_pair())] = 1;
  logits[static_cast<std::size_t>(2 * spec.pairs())] = 1;
  EXPECT_NE(ErrorOf(stack, logits).find("no run of the automaton survives step 1"),
            std::string::npos);
  logits[0] = -5;
  EXPECT_EQ(ErrorOf(stack, logits), "");
  for (std::size_t place = 0; place < logits.size(); place += 7) {
    for (double bad : {kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
      std::vector<double> changed = logits;
      changed[place] = bad;
      EXPECT_NE(ErrorOf(stack, changed).find("a logit of step 1 is NaN or +inf"), std::string::npos)
          << place;
    }
  }
  EXPECT_EQ(ErrorOf(stack, logits), "") << "usable after a refusal";
}

}  // namespace
}  // namespace pushdown
