// Sequences in chunks, windows, and the use of one object for many sequences.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "pushdown/kernels/nondeterministic_stack.h"
#include "tests/kernels/stack_oracle.h"

namespace pushdown {
namespace {

using namespace testing_oracle;  // NOLINT(google-build-using-namespace): this file is about it

class StackSequence : public testing::TestWithParam<NondeterministicStackSpec> {};
INSTANTIATE_TEST_SUITE_P(TwoStates, StackSequence, testing::ValuesIn(Variants(2, 2)),
                         [](const auto& test) { return TestName(test.param); });
INSTANTIATE_TEST_SUITE_P(OneState, StackSequence, testing::ValuesIn(Variants(1, 3)),
                         [](const auto& test) { return TestName(test.param); });

TEST_P(StackSequence, ObjectCanBeUsedAgain) {
  // A longer, a shorter, a broken and an unfinished sequence must leave nothing behind.
  const NondeterministicStackSpec spec = GetParam();
  const StackProblem problem{spec, 10, 3, 0.2, 8};
  const auto arguments = MakeArguments(problem);
  const auto coefficients = MakeCoefficients(problem);
  const auto expected = Solve<double>(problem, arguments, coefficients);

  NondeterministicStack<double> stack(spec, 25);
  const StackProblem other{spec, 25, 3, 0, 9};
  const auto other_arguments = MakeArguments(other);
  const auto other_coefficients = MakeCoefficients(other);
  StackResults<double> results{expected.readings, Zeros(other_arguments)};
  results.readings.resize(other_coefficients.size());
  for (int steps : {25, 4}) {
    stack.ForwardSequence(steps, other_arguments.logits.data(), other_arguments.vectors.data(),
                          other_arguments.bottom_vector.data(), results.readings.data());
    stack.BackwardSequence(steps, other_coefficients.data(), results.gradients.logits.data(),
                           results.gradients.vectors.data(),
                           results.gradients.bottom_vector.data());
  }
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> no_numbers(other_coefficients.size() + other_arguments.vectors.size(),
                                       kNan);
  stack.ForwardSequence(25, other_arguments.logits.data(), no_numbers.data(), no_numbers.data(),
                        results.readings.data());
  stack.BackwardSequence(25, no_numbers.data(), results.gradients.logits.data(),
                         results.gradients.vectors.data(), results.gradients.bottom_vector.data());
  stack.ForwardSequence(17, other_arguments.logits.data(), other_arguments.vectors.data(),
                        other_arguments.bottom_vector.data(), results.readings.data());

  results = {expected.readings, Zeros(arguments)};
  std::fill(results.readings.begin(), results.readings.end(), 0);
  stack.ForwardSequence(10, arguments.logits.data(), arguments.vectors.data(),
                        arguments.bottom_vector.data(), results.readings.data());
  stack.BackwardSequence(10, coefficients.data(), results.gradients.logits.data(),
                         results.gradients.vectors.data(), results.gradients.bottom_vector.data());
  EXPECT_EQ(results.readings, expected.readings);
  EXPECT_EQ(results.gradients.logits, expected.gradients.logits);
  EXPECT_EQ(results.gradients.vectors, expected.gradients.vectors);
  EXPECT_EQ(results.gradients.bottom_vector, expected.gradients.bottom_vector);
}

TEST_P(StackSequence, FloatGoesOverToDoubleWithinASequence) {
  // Moderate logits at first, then some that float cannot hold apart: readings and gradients are
  // those of double, to the digits of float, and the next sequence is again as if it were the
  // first.
  const StackProblem problem{GetParam(), 12, 3, 0, 8};
  auto arguments = MakeArguments(problem).As<float>().As<double>();
  const auto coefficients = MakeCoefficients(problem);
  const auto before = Solve<float>(problem, arguments, coefficients);
  auto wide = arguments;
  for (std::size_t j = wide.logits.size() / 2; j < wide.logits.size(); ++j) wide.logits[j] *= 16;
  wide = wide.As<float>().As<double>();

  NondeterministicStack<float> stack(problem.spec, problem.steps);
  for (const auto* input : {&wide, &arguments}) {
    const auto in_float = input->As<float>();
    const std::vector<float> float_coefficients = As<float>(coefficients);
    std::vector<float> readings(coefficients.size());
    auto gradients = in_float;
    stack.ForwardSequence(problem.steps, in_float.logits.data(), in_float.vectors.data(),
                          in_float.bottom_vector.data(), readings.data());
    stack.BackwardSequence(problem.steps, float_coefficients.data(), gradients.logits.data(),
                           gradients.vectors.data(), gradients.bottom_vector.data());
    const auto expected = Solve<double>(problem, *input, coefficients);
    EXPECT_LT(LargestDifference(expected.readings, Reference(problem, *input)), 1e-12);
    ExpectGradientsInRandomDirection(problem, *input, coefficients, expected.gradients, 1, 1e-9);
    EXPECT_LT(LargestDifference(readings, expected.readings), 2e-6);
    EXPECT_LT(LargestDifference(gradients.logits, expected.gradients.logits), 1e-5);
    EXPECT_LT(LargestDifference(gradients.vectors, expected.gradients.vectors), 1e-5);
    if (input == &arguments) {
      EXPECT_EQ(readings, before.readings);
      EXPECT_EQ(gradients.logits, before.gradients.logits);
    }
  }
}

TEST_P(StackSequence, ObjectCanBeMovedBetweenSteps) {
  const StackProblem problem{GetParam(), 6, 3, 0.2, 4};
  const auto arguments = MakeArguments(problem);
  const auto expected = Solve<double>(problem, arguments).readings;
  std::vector<double> readings(expected.size());
  const int size = problem.spec.reading_size();
  std::vector<NondeterministicStack<double>> stacks;
  stacks.emplace_back(problem.spec, problem.steps);
  stacks.back().Start(arguments.bottom_vector.data(), readings.data());
  for (int t = 0; t < problem.steps; ++t) {
    NondeterministicStack<double> moved = std::move(stacks.back());
    stacks.back() = std::move(moved);
    stacks.back().Step(arguments.logits.data() + t * problem.spec.logits_size(),
                       arguments.vectors.data() + t * problem.spec.vector_size,
                       readings.data() + (t + 1) * size);
  }
  EXPECT_EQ(readings, expected);
}

TEST_P(StackSequence, ForwardOnlyGivesTheSameReadings) {
  const StackProblem problem{GetParam(), 12, 3, 0.2, 4};
  const auto arguments = MakeArguments(problem);
  const auto expected = Solve<double>(problem, arguments).readings;
  std::vector<double> readings(expected.size());
  NondeterministicStack<double> stack(problem.spec, problem.steps, /*gradients=*/false);
  stack.ForwardSequence(problem.steps, arguments.logits.data(), arguments.vectors.data(),
                        arguments.bottom_vector.data(), readings.data());
  EXPECT_EQ(readings, expected);
}

TEST_P(StackSequence, ChunksGiveTheSameReadings) {
  const StackProblem problem{GetParam(), 40, 3, 0.2, 6};
  const auto arguments = MakeArguments(problem);
  const auto whole = Solve<double>(problem, arguments).readings;
  const auto whole_float = Solve<float>(problem, arguments).readings;
  EXPECT_LT(LargestDifference(whole, Reference(problem, arguments)), 1e-12);
  for (int chunk : {1, 7, problem.spec.window + 3}) {
    EXPECT_EQ(Solve<double>(problem, arguments, {}, chunk).readings, whole) << "chunk " << chunk;
    EXPECT_EQ(Solve<float>(problem, arguments, {}, chunk).readings, whole_float)
        << "chunk " << chunk;
  }
}

// The arguments of each chunk have the gradients of the chunk's own readings.
void ExpectGradientsOfChunks(const StackProblem& problem, int chunk, double tolerance) {
  const auto arguments = MakeArguments(problem);
  const auto coefficients = MakeCoefficients(problem);
  const auto gradients = Solve<double>(problem, arguments, coefficients, chunk).gradients;
  const auto reading_size = static_cast<std::size_t>(problem.spec.reading_size());
  const auto logits_size = static_cast<std::size_t>(problem.spec.logits_size());
  const auto vector_size = static_cast<std::size_t>(problem.spec.vector_size);
  for (int begin = 0; begin < problem.steps; begin += chunk) {
    const int end = std::min(begin + chunk, problem.steps);
    std::vector<double> own(coefficients.size());
    for (auto t = static_cast<std::size_t>(begin == 0 ? 0 : begin + 1);
         t <= static_cast<std::size_t>(end); ++t) {
      std::copy_n(coefficients.begin() + static_cast<std::ptrdiff_t>(t * reading_size),
                  reading_size, own.begin() + static_cast<std::ptrdiff_t>(t * reading_size));
    }
    Random random(static_cast<std::uint64_t>(begin));
    StackArguments<double> direction = Zeros(arguments);
    double expected = 0;
    for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
      for (std::size_t j = t * logits_size; j < (t + 1) * logits_size; ++j) {
        direction.logits[j] = random.Uniform(-1, 1);
        expected += direction.logits[j] * gradients.logits[j];
      }
      for (std::size_t j = t * vector_size; j < (t + 1) * vector_size; ++j) {
        direction.vectors[j] = random.Uniform(-1, 1);
        expected += direction.vectors[j] * gradients.vectors[j];
      }
    }
    if (begin == 0) {
      direction.bottom_vector = UniformValues(99, vector_size, -1, 1);
      expected += Dot(direction.bottom_vector, gradients.bottom_vector);
    }
    EXPECT_NEAR(expected, ReferenceDerivative(problem, arguments, direction, own),
                tolerance * std::max(1.0, std::abs(expected)))
        << problem << " chunk from " << begin;
  }
}

TEST_P(StackSequence, ChunksCutGradientsAtTheirEnds) {
  ExpectGradientsOfChunks({GetParam(), 8, 2, 0, 7}, 3, 1e-12);
}

// Actions of an input of n symbols end at n - 1, so a window of n keeps all of gamma[-1 -> n-1].
TEST(StackWindow, WindowAsLongAsTheInputIsNoWindow) {
  for (NondeterministicStackSpec spec : Variants(2, 2)) {
    if (spec.window != 0) continue;
    const StackProblem unlimited{spec, 12, 3, 0.2, 2};
    const auto arguments = MakeArguments(unlimited);
    const auto coefficients = MakeCoefficients(unlimited);
    const auto expected = Solve<double>(unlimited, arguments, coefficients);
    for (int window : {13, 50}) {
      StackProblem problem = unlimited;
      problem.spec.window = window;
      const auto results = Solve<double>(problem, arguments, coefficients);
      EXPECT_EQ(results.readings, expected.readings) << problem;
      // Without a window, derivatives are summed in another order.
      EXPECT_LT(LargestDifference(results.gradients.logits, expected.gradients.logits), 1e-14)
          << problem;
      EXPECT_LT(LargestDifference(results.gradients.vectors, expected.gradients.vectors), 1e-14)
          << problem;
    }
    // One less is felt, where the bottom can be on top in the end.
    if (spec.bottom == Bottom::kFixed) {
      StackProblem shorter = unlimited;
      shorter.spec.window = 12;
      EXPECT_NE(Solve<double>(shorter, arguments).readings, expected.readings) << shorter;
    }
  }
}

// Windows whose columns are several vectors long, and cut at positions that are no vector's end.
TEST(StackWindow, LongerWindowsAgreeWithTheRecurrences) {
  for (int window : {6, 11, 19}) {
    for (int vector_size : {0, 2}) {
      const StackProblem problem{{3, 2, vector_size, window}, 45, 4, 0.1, 17};
      const auto arguments = MakeArguments(problem);
      const auto coefficients = MakeCoefficients(problem);
      const auto results = Solve<double>(problem, arguments, coefficients);
      EXPECT_LT(LargestDifference(results.readings, Reference(problem, arguments)), 1e-12)
          << problem;
      ExpectGradientsInRandomDirection(problem, arguments, coefficients, results.gradients, 1,
                                       1e-9);
    }
  }
}

// Chunks no longer than the window, whose gradients are pulled for several columns at once.
TEST(StackWindow, GradientsOfChunksWithinTheWindowAreRight) {
  for (int states : {1, 2, 3, 4, 5}) {
    for (int chunk : {11, 12}) {
      ExpectGradientsOfChunks({{states, 2, 0, 12}, 36, 2, 0.1, 7}, chunk, 1e-11);
    }
    ExpectGradientsOfChunks({{states, 1, 2, 9, Bottom::kOld}, 30, 2, 0, 7}, 9, 1e-11);
  }
}

// The same beyond the cache, for many columns at once.
TEST(StackWindow, GradientsOfLargeChunksWithinTheWindowAreRight) {
  for (const NondeterministicStackSpec& spec :
       {NondeterministicStackSpec{1, 16, 0, 35}, NondeterministicStackSpec{4, 4, 0, 35}}) {
    ExpectGradientsOfChunks({spec, 72, 2, 0, 7}, 35, 1e-10);
  }
}

// Endless input: memory and state stay bounded, and the readings do not drift.
TEST(StackWindow, LongInputInChunksAgreesWithOnePiece) {
  const NondeterministicStackSpec spec{2, 3, 2, 6};
  const int steps = 5000;
  const StackProblem problem{spec, steps, 3, 0, 12};
  const auto arguments = MakeArguments(problem);
  const auto whole = Solve<float>(problem, arguments).readings;
  const auto chunked = Solve<float>(problem, arguments, {}, 35).readings;
  EXPECT_EQ(chunked, whole);
  for (float value : whole) ASSERT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace pushdown
