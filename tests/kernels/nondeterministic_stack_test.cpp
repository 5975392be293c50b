// The nondeterministic stack against the enumeration of all runs, against the recurrences of the
// paper in log space, and against complex-step derivatives of these.

#include "pushdown/kernels/nondeterministic_stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/kernels/enumeration.h"
#include "tests/kernels/simd_targets.h"
#include "tests/kernels/stack_oracle.h"

namespace pushdown {
namespace {

using namespace testing_oracle;  // NOLINT(google-build-using-namespace): this file is about it

// Every derivative by one array, coordinate by coordinate.
void ExpectGradient(const StackProblem& problem, const StackArguments<double>& arguments,
                    const std::vector<double>& coefficients,
                    std::vector<double> StackArguments<double>::*array,
                    const std::vector<double>& actual, double tolerance) {
  StackArguments<double> direction = Zeros(arguments);
  for (std::size_t j = 0; j < actual.size(); ++j) {
    (direction.*array)[j] = 1;
    ASSERT_NEAR(actual[j], ReferenceDerivative(problem, arguments, direction, coefficients),
                tolerance)
        << problem << " coordinate " << j;
    (direction.*array)[j] = 0;
  }
}

void ExpectAllGradients(const StackProblem& problem, const StackArguments<double>& arguments,
                        const std::vector<double>& coefficients,
                        const StackArguments<double>& actual, double tolerance) {
  using Arguments = StackArguments<double>;
  ExpectGradient(problem, arguments, coefficients, &Arguments::logits, actual.logits, tolerance);
  ExpectGradient(problem, arguments, coefficients, &Arguments::vectors, actual.vectors, tolerance);
  ExpectGradient(problem, arguments, coefficients, &Arguments::bottom_vector, actual.bottom_vector,
                 tolerance);
}

// Sizes of automata, with as many steps as all their runs can be enumerated for.
struct Size {
  int states;
  int symbols;
  int steps;
};
class EverySize : public testing::TestWithParam<Size> {};
INSTANTIATE_TEST_SUITE_P(Sizes, EverySize,
                         testing::Values(Size{1, 1, 9}, Size{1, 2, 7}, Size{1, 3, 6}, Size{2, 1, 6},
                                         Size{2, 2, 4}, Size{2, 3, 4}, Size{3, 1, 5}, Size{3, 2, 4},
                                         Size{3, 3, 3}, Size{4, 1, 4}, Size{4, 2, 3}),
                         [](const auto& test) {
                           return "States" + std::to_string(test.param.states) + "Symbols" +
                                  std::to_string(test.param.symbols);
                         });

TEST_P(EverySize, ReadingsAreThoseOfAllRuns) {
  const Size size = GetParam();
  for (const NondeterministicStackSpec& spec : Variants(size.states, size.symbols)) {
    for (double zero_share : {0.0, 0.4}) {
      const StackProblem problem{spec, size.steps, 3, zero_share, 11};
      const auto arguments = MakeArguments(problem);
      const auto expected = EnumeratedReadings(spec, size.steps, arguments.logits,
                                               arguments.vectors, arguments.bottom_vector);
      EXPECT_LT(LargestDifference(Solve<double>(problem, arguments).readings, expected), 1e-13)
          << problem;
      EXPECT_LT(LargestDifference(Solve<float>(problem, arguments).readings, expected), 5e-6)
          << problem;
    }
  }
}

// The log of the total weight after Start and each step.
template <typename T>
std::vector<double> LogWeights(const StackProblem& problem,
                               const StackArguments<double>& arguments) {
  const NondeterministicStackSpec& spec = problem.spec;
  const auto given = arguments.As<T>();
  std::vector<T> reading(static_cast<std::size_t>(spec.reading_size()));
  NondeterministicStack<T> stack(spec, problem.steps, false);
  stack.Start(given.bottom_vector.data(), reading.data());
  std::vector<double> weights = {stack.LogWeight()};
  for (int t = 0; t < problem.steps; ++t) {
    stack.Step(given.logits.data() + t * spec.logits_size(),
               given.vectors.data() + t * spec.vector_size, reading.data());
    weights.push_back(stack.LogWeight());
  }
  return weights;
}

TEST_P(EverySize, WeightIsThatOfAllRuns) {
  const Size size = GetParam();
  for (const NondeterministicStackSpec& spec : Variants(size.states, size.symbols)) {
    for (double zero_share : {0.0, 0.4}) {  // with -inf, a float stack goes over to double
      const StackProblem problem{spec, size.steps, 3, zero_share, 11};
      const auto arguments = MakeArguments(problem);
      RunEnumerator runs(spec, size.steps, arguments.logits, arguments.vectors,
                         arguments.bottom_vector);
      runs.Readings();
      const auto expected = runs.LogWeights();
      EXPECT_LT(LargestDifference(LogWeights<double>(problem, arguments), expected), 1e-13)
          << problem;
      EXPECT_LT(LargestDifference(LogWeights<float>(problem, arguments), expected), 5e-6)
          << problem;
    }
  }
}

// Weights far beyond the range of any number, in float until logits are far apart.
TEST(LogWeight, IsThatOfTheRecurrences) {
  for (int window : {0, 7}) {
    const StackProblem problem{{2, 3, 0, window}, 40, kMaxFloatSpread / 2, 0, 3};
    auto arguments = MakeArguments(problem).As<float>().As<double>();
    const auto logits_size = static_cast<std::size_t>(problem.spec.logits_size());
    for (std::size_t n = 0; n < arguments.logits.size(); ++n) {
      if (n < 20 * logits_size) arguments.logits[n] += 100;
      if (n >= 25 * logits_size) arguments.logits[n] *= 10;
    }
    arguments.logits[30 * logits_size] = -std::numeric_limits<double>::infinity();
    internal::ReferenceStack<double> reference(problem.spec, problem.steps, arguments.logits,
                                               arguments.vectors, arguments.bottom_vector);
    std::vector<double> expected = {0};
    for (int t = 1; t <= problem.steps; ++t) {
      reference.Advance(t);
      expected.push_back(reference.Total(t).log_abs);
    }
    EXPECT_GT(expected[20], 1000);
    EXPECT_LT(LargestDifference(LogWeights<double>(problem, arguments), expected), 1e-9) << problem;
    EXPECT_LT(LargestDifference(LogWeights<float>(problem, arguments), expected), 1e-4) << problem;
  }
}

TEST(LogWeight, GoesOnAfterChunksAndBackwardSteps) {
  for (float bound : {1.0F, 100.0F}) {
    const NondeterministicStackSpec spec{1, 2, 0, 4};
    const StackProblem problem{spec, 12, static_cast<double>(bound), 0, 5};
    const auto arguments = MakeArguments(problem).As<float>();
    const auto expected = LogWeights<float>(problem, arguments.As<double>());
    std::vector<float> reading(static_cast<std::size_t>(spec.reading_size()));
    std::vector<float> gradient(static_cast<std::size_t>(spec.logits_size()));
    NondeterministicStack<float> stack(spec, 3);
    NondeterministicStack<float> restored(spec, 3);
    stack.Start(nullptr, reading.data());
    for (int t = 1; t <= problem.steps; ++t) {
      const float* logits = arguments.logits.data() + (t - 1) * spec.logits_size();
      stack.Step(logits, nullptr, reading.data());
      if (t > 6) restored.Step(logits, nullptr, reading.data());
      if (t % 3 != 0) continue;
      stack.BackwardStep(reading.data(), gradient.data(), nullptr);
      EXPECT_EQ(stack.LogWeight(), expected[static_cast<std::size_t>(t)]) << t;
      stack.Carry();
      EXPECT_EQ(stack.LogWeight(), expected[static_cast<std::size_t>(t)]) << t;
      if (t > 6) {
        EXPECT_NEAR(restored.LogWeight(), expected[static_cast<std::size_t>(t)] - expected[6], 1e-9)
            << t;
        restored.Carry();
      }
      if (t == 6) {
        restored.RestoreCarried(stack.Carried());
        EXPECT_EQ(restored.LogWeight(), 0);
      }
    }
  }
}

TEST_P(EverySize, GradientsAreThoseOfTheRecurrences) {
  const Size size = GetParam();
  for (const NondeterministicStackSpec& spec : Variants(size.states, size.symbols)) {
    // Long enough for pops of pops, and for the window to cut.
    const StackProblem problem{spec, 9, 2, 0.2, 5};
    const auto arguments = MakeArguments(problem);
    const auto coefficients = MakeCoefficients(problem);
    const auto gradients = Solve<double>(problem, arguments, coefficients).gradients;
    for (std::uint64_t seed : {1, 2, 3}) {
      ExpectGradientsInRandomDirection(problem, arguments, coefficients, gradients, seed, 1e-12);
    }
  }
}

class EveryVariant : public testing::TestWithParam<NondeterministicStackSpec> {};
INSTANTIATE_TEST_SUITE_P(Variants, EveryVariant, testing::ValuesIn(Variants(2, 2)),
                         [](const auto& test) { return TestName(test.param); });

TEST_P(EveryVariant, EveryCoordinateOfTheGradientIsRight) {
  const StackProblem problem{GetParam(), 7, 2, 0.2, 3};
  const auto arguments = MakeArguments(problem);
  const auto coefficients = MakeCoefficients(problem);
  const auto gradients = Solve<double>(problem, arguments, coefficients).gradients;
  ExpectAllGradients(problem, arguments, coefficients, gradients, 1e-9);
}

// After a pass over some steps, or over all, another one gives what it would have given alone.
template <typename T>
void ExpectThatBackwardCanBeRestarted(const StackProblem& problem) {
  const NondeterministicStackSpec& spec = problem.spec;
  const auto arguments = MakeArguments(problem).As<T>();
  const std::vector<T> coefficients = As<T>(MakeCoefficients(problem));
  const auto expected =
      RunStack<T>(spec, problem.steps, arguments, coefficients, problem.steps).gradients;
  NondeterministicStack<T> stack(spec, problem.steps);
  std::vector<T> reading(static_cast<std::size_t>(spec.reading_size()));
  stack.Start(arguments.bottom_vector.data(), reading.data());
  for (int t = 0; t < problem.steps; ++t) {
    stack.Step(arguments.logits.data() + t * spec.logits_size(),
               arguments.vectors.data() + t * spec.vector_size, reading.data());
  }
  for (const int undone : {1, problem.steps / 2, problem.steps, problem.steps}) {
    StackArguments<T> gradients = arguments;
    for (int t = problem.steps - 1; t >= problem.steps - undone; --t) {
      stack.BackwardStep(coefficients.data() + (t + 1) * spec.reading_size(),
                         gradients.logits.data() + t * spec.logits_size(),
                         gradients.vectors.data() + t * spec.vector_size);
    }
    if (undone == problem.steps) {
      stack.BackwardStart(coefficients.data(), gradients.bottom_vector.data());
      EXPECT_EQ(gradients.logits, expected.logits) << problem;
      EXPECT_EQ(gradients.vectors, expected.vectors) << problem;
      EXPECT_EQ(gradients.bottom_vector, expected.bottom_vector) << problem;
    }
    stack.RestartBackward();
  }
}

TEST_P(EveryVariant, BackwardCanBeRestarted) {
  ExpectThatBackwardCanBeRestarted<double>({GetParam(), 9, 2, 0.2, 5});
  ExpectThatBackwardCanBeRestarted<float>({GetParam(), 9, 2, 0.2, 5});
  // So far apart that it goes over to double.
  ExpectThatBackwardCanBeRestarted<float>({GetParam(), 9, 4 * kMaxFloatSpread, 0, 5});
}

class ExtremeLogits : public testing::TestWithParam<NondeterministicStackSpec> {};
INSTANTIATE_TEST_SUITE_P(
    Stacks, ExtremeLogits,
    testing::Values(NondeterministicStackSpec{1, 2}, NondeterministicStackSpec{2, 1},
                    NondeterministicStackSpec{2, 3}, NondeterministicStackSpec{3, 2},
                    NondeterministicStackSpec{1, 2, 0, 3}, NondeterministicStackSpec{2, 2, 0, 2},
                    NondeterministicStackSpec{2, 3, 0, 5}, NondeterministicStackSpec{1, 1, 3},
                    NondeterministicStackSpec{1, 1, 3, 5}, NondeterministicStackSpec{2, 1, 3},
                    NondeterministicStackSpec{2, 3, 2, 35},
                    NondeterministicStackSpec{1, 6, 0, 0, Bottom::kOld}),
    [](const auto& test) { return TestName(test.param); });

void ExpectReadingsOfTheReference(const StackProblem& problem) {
  // The oracle gets the numbers that float gets.
  const auto arguments = MakeArguments(problem).As<float>().As<double>();
  const auto expected = Reference(problem, arguments);
  EXPECT_LT(LargestDifference(Solve<float>(problem, arguments).readings, expected), 1e-5)
      << problem;
  EXPECT_LT(LargestDifference(Solve<double>(problem, arguments).readings, expected), 1e-9)
      << problem;
}

TEST_P(ExtremeLogits, FloatReadingsStayExactFor200Steps) {
  for (std::uint64_t seed : {1, 2}) ExpectReadingsOfTheReference({GetParam(), 200, 100, 0, seed});
}

// Not so far apart that a float stack goes over to double.
TEST_P(ExtremeLogits, FloatItselfHoldsWhatItKeeps) {
  ExpectReadingsOfTheReference({GetParam(), 200, kMaxFloatSpread / 2, 0, 1});
}

// Pushes are all possible, most of the rest is not: what is improbable can be all that is left.
TEST_P(ExtremeLogits, FewPossibleTransitionsLoseNoRun) {
  ExpectReadingsOfTheReference({GetParam(), 80, 100, 0.8, 3});
}

class LongGradients : public testing::TestWithParam<NondeterministicStackSpec> {};
INSTANTIATE_TEST_SUITE_P(Stacks, LongGradients,
                         testing::Values(NondeterministicStackSpec{1, 2},
                                         NondeterministicStackSpec{2, 3},
                                         NondeterministicStackSpec{1, 3, 0, 0, Bottom::kOld},
                                         NondeterministicStackSpec{2, 1, 2},
                                         NondeterministicStackSpec{2, 3, 2, 35},
                                         NondeterministicStackSpec{1, 2, 2, 0, Bottom::kFixed,
                                                                   InitialVector::kPaperCode}),
                         [](const auto& test) { return TestName(test.param); });

TEST_P(LongGradients, FloatGradientsStayWithinOneTenThousandth) {
  const StackProblem problem{GetParam(), 200, 10, 0, 1};
  const auto arguments = MakeArguments(problem).As<float>().As<double>();
  const auto coefficients = MakeCoefficients(problem);
  const auto exact = Solve<double>(problem, arguments, coefficients).gradients;
  // The gradients in double are right, in all coordinates at once ...
  ExpectGradientsInRandomDirection(problem, arguments, coefficients, exact, 1, 1e-9);
  // ... and those in float are near them.
  const auto gradients = Solve<float>(problem, arguments, coefficients).gradients;
  using Doubles = StackArguments<double>;
  using Floats = StackArguments<float>;
  const auto expect_near = [&](std::vector<float> Floats::*actual,
                               std::vector<double> Doubles::*expected) {
    double largest = 0;
    for (double value : exact.*expected) largest = std::max(largest, std::abs(value));
    EXPECT_LE(LargestDifference(gradients.*actual, exact.*expected), 1e-4 * largest) << problem;
  };
  expect_near(&Floats::logits, &Doubles::logits);
  expect_near(&Floats::vectors, &Doubles::vectors);
  expect_near(&Floats::bottom_vector, &Doubles::bottom_vector);
}

class EveryTarget : public testing_oracle::WithSimdTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, EveryTarget, testing::ValuesIn(AvailableSimdTargets()));

// Large enough that gradients outgrow the cache, and are pulled for many columns at once.
TEST_P(EveryTarget, GradientsBeyondTheCacheAreRight) {
  for (const NondeterministicStackSpec& spec :
       {NondeterministicStackSpec{1, 12}, NondeterministicStackSpec{2, 6},
        NondeterministicStackSpec{3, 4}, NondeterministicStackSpec{4, 3}}) {
    const StackProblem problem{spec, 47, 2, 0, 6};
    const auto arguments = MakeArguments(problem);
    const auto coefficients = MakeCoefficients(problem);
    const auto gradients = Solve<double>(problem, arguments, coefficients).gradients;
    ExpectGradientsInRandomDirection(problem, arguments, coefficients, gradients, 1, 1e-11);
  }
}

TEST_P(EveryTarget, AgreesWithTheRecurrences) {
  for (const NondeterministicStackSpec& base :
       {NondeterministicStackSpec{3, 3}, NondeterministicStackSpec{4, 2},
        NondeterministicStackSpec{1, 7}, NondeterministicStackSpec{2, 8},
        NondeterministicStackSpec{1, 19}, NondeterministicStackSpec{5, 1},
        NondeterministicStackSpec{2, 3, 3}, NondeterministicStackSpec{2, 3, 17}}) {
    for (int window : {0, 6}) {
      StackProblem problem{base, 24, 5, 0.1, 4};
      problem.spec.window = window;
      const auto arguments = MakeArguments(problem).As<float>().As<double>();
      const auto coefficients = MakeCoefficients(problem);
      const auto expected = Reference(problem, arguments);
      const auto in_double = Solve<double>(problem, arguments, coefficients);
      const auto in_float = Solve<float>(problem, arguments, coefficients);
      EXPECT_LT(LargestDifference(in_double.readings, expected), 1e-12) << problem;
      EXPECT_LT(LargestDifference(in_float.readings, expected), 2e-6) << problem;
      ExpectGradientsInRandomDirection(problem, arguments, coefficients, in_double.gradients, 1,
                                       1e-9);
      EXPECT_LT(LargestDifference(in_float.gradients.logits, in_double.gradients.logits), 1e-4)
          << problem;
    }
  }
}

}  // namespace
}  // namespace pushdown
