#include "pushdown/kernels/superposition_stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "tests/kernels/random_stack.h"
#include "tests/kernels/simd_targets.h"
#include "tests/kernels/superposition_dense.h"

namespace pushdown {
namespace {

using testing_oracle::DenseSuperpositionReadings;
using testing_oracle::UniformValues;
using Complex = std::complex<double>;

template <typename T>
struct Results {
  std::vector<T> readings;
  std::vector<T> action_gradients;
  std::vector<T> vector_gradients;
};

template <typename T>
Results<T> RunSuperposition(const SuperpositionStackSpec& spec, int steps,
                            const std::vector<double>& actions, const std::vector<double>& vectors,
                            const std::vector<double>& coefficients, int chunk = 0) {
  if (chunk == 0) chunk = std::max(steps, 1);
  const std::vector<T> a(actions.begin(), actions.end());
  const std::vector<T> v(vectors.begin(), vectors.end());
  const std::vector<T> c(coefficients.begin(), coefficients.end());
  const int size = spec.reading_size();
  Results<T> results{std::vector<T>(static_cast<std::size_t>((steps + 1) * size)),
                     std::vector<T>(a.size()), std::vector<T>(v.size())};
  SuperpositionStack<T> stack(spec, spec.depth_limit > 0 ? chunk : steps);
  stack.Start(results.readings.data());
  for (int begin = 0; begin < steps; begin += chunk) {
    const int end = std::min(steps, begin + chunk);
    for (int t = begin; t < end; ++t) {
      stack.Step(a.data() + t * spec.actions_size(), v.data() + t * size,
                 results.readings.data() + (t + 1) * size);
    }
    for (int t = end - 1; t >= begin && !c.empty(); --t) {
      stack.BackwardStep(c.data() + (t + 1) * size,
                         results.action_gradients.data() + t * spec.actions_size(),
                         results.vector_gradients.data() + t * size);
    }
    stack.Carry();
  }
  return results;
}

struct Problem {
  explicit Problem(SuperpositionStackSpec stack, int length)
      : spec(std::move(stack)), steps(length) {
    const auto count = static_cast<std::size_t>(steps);
    const auto size = static_cast<std::size_t>(spec.reading_size());
    actions = UniformValues(1, count * static_cast<std::size_t>(spec.actions_size()), 0, 1);
    for (std::size_t j = 0; j < actions.size(); j += 3) {
      const double sum = actions[j] + actions[j + 1] + actions[j + 2];
      for (std::size_t k = j; k < j + 3; ++k) actions[k] /= sum;
    }
    vectors = UniformValues(2, count * size, -1, 1);
    coefficients = UniformValues(3, (count + 1) * size, -1, 1);
  }

  std::vector<double> Expected() const {
    return DenseSuperpositionReadings(spec.sizes, spec.depth_limit, steps, actions, vectors);
  }
  // The derivative of sum(weights * readings) by one entry of `actions` or `vectors`.
  double Derivative(const std::vector<double>& weights, const std::vector<double>& array,
                    std::size_t j) const {
    constexpr double kStep = 1e-50;
    std::vector<Complex> a(actions.begin(), actions.end());
    std::vector<Complex> v(vectors.begin(), vectors.end());
    (&array == &actions ? a : v)[j] += Complex(0, kStep);
    const auto readings = DenseSuperpositionReadings(spec.sizes, spec.depth_limit, steps, a, v);
    double derivative = 0;
    for (std::size_t k = 0; k < readings.size(); ++k) {
      derivative += weights[k] * (readings[k].imag() / kStep);
    }
    return derivative;
  }

  SuperpositionStackSpec spec;
  int steps;
  std::vector<double> actions;
  std::vector<double> vectors;
  std::vector<double> coefficients;
};

template <typename T>
void ExpectNear(const std::vector<T>& actual, const std::vector<double>& expected, double tolerance,
                const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t j = 0; j < actual.size(); ++j) {
    ASSERT_NEAR(static_cast<double>(actual[j]), expected[j], tolerance) << what << " at " << j;
  }
}

std::vector<SuperpositionStackSpec> Specs() {
  return {{{1}, 0}, {{3}, 0}, {{10}, 0},   {{3, 3, 3}, 0}, {{2, 17, 5}, 0},
          {{3}, 1}, {{4}, 2}, {{3, 3}, 5}, {{16}, 10}};
}

std::string Describe(const SuperpositionStackSpec& spec) {
  return StackName(spec) + " depth " + std::to_string(spec.depth_limit);
}

TEST(SuperpositionStackByHand, InterpolatesPushNoOpAndPop) {
  // Scalars. t=1: push 0.5 of v=4: top 2. t=2: push 0.25 of v=8, no-op 0.5, pop 0.25:
  // top 0.25*8 + 0.5*2 = 3, below it 0.25*2 = 0.5. t=3: pop 1: top 0.5. t=4: pop: nothing.
  const std::vector<double> actions = {0.5, 0.5, 0, 0.25, 0.5, 0.25, 0, 0, 1, 0, 0, 1};
  const std::vector<double> vectors = {4, 8, 100, 100};
  const auto results = RunSuperposition<double>({{1}, 0}, 4, actions, vectors, {});
  EXPECT_EQ(results.readings, (std::vector<double>{0, 2, 3, 0.5, 0}));
}

TEST(SuperpositionStackByHand, DepthLimitDropsWhatIsPushedBelow) {
  // Push 1, 2, 3, pop, pop: with room for two, the first push is gone.
  const std::vector<double> actions = {1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1};
  const std::vector<double> vectors = {1, 2, 3, 9, 9};
  EXPECT_EQ(RunSuperposition<double>({{1}, 0}, 5, actions, vectors, {}).readings,
            (std::vector<double>{0, 1, 2, 3, 2, 1}));
  EXPECT_EQ(RunSuperposition<double>({{1}, 2}, 5, actions, vectors, {}).readings,
            (std::vector<double>{0, 1, 2, 3, 2, 0}));
}

class SuperpositionTarget : public testing_oracle::WithSimdTarget {};
INSTANTIATE_TEST_SUITE_P(Targets, SuperpositionTarget, testing::ValuesIn(AvailableSimdTargets()));

TEST_P(SuperpositionTarget, ReadingsAreThoseOfTheDenseStack) {
  for (const SuperpositionStackSpec& spec : Specs()) {
    for (int steps : {0, 1, 2, 40}) {
      const Problem problem(spec, steps);
      const auto expected = problem.Expected();
      ExpectNear(
          RunSuperposition<double>(spec, steps, problem.actions, problem.vectors, {}).readings,
          expected, 1e-14, Describe(spec));
      ExpectNear(
          RunSuperposition<float>(spec, steps, problem.actions, problem.vectors, {}).readings,
          expected, 2e-6, Describe(spec));
    }
  }
}

TEST_P(SuperpositionTarget, GradientsAreThoseOfTheDenseStack) {
  for (const SuperpositionStackSpec& spec : Specs()) {
    const Problem problem(spec, 9);
    const auto results =
        RunSuperposition<double>(spec, 9, problem.actions, problem.vectors, problem.coefficients);
    for (std::size_t j = 0; j < problem.actions.size(); ++j) {
      ASSERT_NEAR(results.action_gradients[j],
                  problem.Derivative(problem.coefficients, problem.actions, j), 1e-12)
          << Describe(spec) << " action " << j;
    }
    for (std::size_t j = 0; j < problem.vectors.size(); ++j) {
      ASSERT_NEAR(results.vector_gradients[j],
                  problem.Derivative(problem.coefficients, problem.vectors, j), 1e-12)
          << Describe(spec) << " vector " << j;
    }
    const auto in_float =
        RunSuperposition<float>(spec, 9, problem.actions, problem.vectors, problem.coefficients);
    ExpectNear(in_float.action_gradients, results.action_gradients, 1e-5, Describe(spec));
    ExpectNear(in_float.vector_gradients, results.vector_gradients, 1e-5, Describe(spec));
  }
}

TEST(SuperpositionStack, ChunksGiveTheSameReadings) {
  for (const SuperpositionStackSpec& spec : Specs()) {
    const Problem problem(spec, 30);
    const auto whole =
        RunSuperposition<float>(spec, 30, problem.actions, problem.vectors, {}).readings;
    for (int chunk : {1, 7, 13}) {
      EXPECT_EQ(
          RunSuperposition<float>(spec, 30, problem.actions, problem.vectors, {}, chunk).readings,
          whole)
          << Describe(spec) << " chunk " << chunk;
    }
  }
}

TEST(SuperpositionStack, ChunksCutGradientsAtTheirEnds) {
  for (const SuperpositionStackSpec& spec : Specs()) {
    const Problem problem(spec, 8);
    const int chunk = 3;
    const auto results = RunSuperposition<double>(spec, 8, problem.actions, problem.vectors,
                                                  problem.coefficients, chunk);
    const auto size = static_cast<std::size_t>(spec.reading_size());
    for (std::size_t begin = 0; begin < 8; begin += chunk) {
      const std::size_t end = std::min<std::size_t>(begin + chunk, 8);
      std::vector<double> own(problem.coefficients.size());
      for (std::size_t j = (begin + 1) * size; j < (end + 1) * size; ++j) {
        own[j] = problem.coefficients[j];
      }
      for (std::size_t t = begin; t < end; ++t) {
        const auto first_action = t * static_cast<std::size_t>(spec.actions_size());
        EXPECT_NEAR(results.action_gradients[first_action],
                    problem.Derivative(own, problem.actions, first_action), 1e-12)
            << Describe(spec) << " step " << t;
        EXPECT_NEAR(results.vector_gradients[t * size],
                    problem.Derivative(own, problem.vectors, t * size), 1e-12)
            << Describe(spec) << " step " << t;
      }
    }
  }
}

TEST(SuperpositionStack, ObjectCanBeUsedAgain) {
  for (const SuperpositionStackSpec& spec : Specs()) {
    const Problem problem(spec, 12);
    const auto expected =
        RunSuperposition<double>(spec, 12, problem.actions, problem.vectors, problem.coefficients);
    SuperpositionStack<double> stack(spec, 20);
    const Problem longer(spec, 20);
    Results<double> results{std::vector<double>(longer.coefficients.size()),
                            std::vector<double>(longer.actions.size()),
                            std::vector<double>(longer.vectors.size())};
    stack.ForwardSequence(20, longer.actions.data(), longer.vectors.data(),
                          results.readings.data());
    stack.BackwardSequence(20, longer.coefficients.data(), results.action_gradients.data(),
                           results.vector_gradients.data());
    results = Results<double>{std::vector<double>(expected.readings.size()),
                              std::vector<double>(expected.action_gradients.size()),
                              std::vector<double>(expected.vector_gradients.size())};
    stack.ForwardSequence(12, problem.actions.data(), problem.vectors.data(),
                          results.readings.data());
    stack.BackwardSequence(12, problem.coefficients.data(), results.action_gradients.data(),
                           results.vector_gradients.data());
    EXPECT_EQ(results.readings, expected.readings) << Describe(spec);
    EXPECT_EQ(results.action_gradients, expected.action_gradients) << Describe(spec);
    EXPECT_EQ(results.vector_gradients, expected.vector_gradients) << Describe(spec);
  }
}

TEST(SuperpositionStack, BackwardCanBeRestarted) {
  for (const SuperpositionStackSpec& spec : Specs()) {
    const Problem problem(spec, 9);
    const auto expected =
        RunSuperposition<double>(spec, 9, problem.actions, problem.vectors, problem.coefficients);
    SuperpositionStack<double> stack(spec, 9);
    std::vector<double> readings(problem.coefficients.size());
    stack.ForwardSequence(9, problem.actions.data(), problem.vectors.data(), readings.data());
    for (const int undone : {1, 4, 9, 9}) {
      std::vector<double> actions(problem.actions.size());
      std::vector<double> vectors(problem.vectors.size());
      for (int t = 8; t >= 9 - undone; --t) {
        stack.BackwardStep(problem.coefficients.data() + (t + 1) * spec.reading_size(),
                           actions.data() + t * spec.actions_size(),
                           vectors.data() + t * spec.reading_size());
      }
      if (undone == 9) {
        EXPECT_EQ(actions, expected.action_gradients) << Describe(spec);
        EXPECT_EQ(vectors, expected.vector_gradients) << Describe(spec);
      }
      stack.RestartBackward();
    }
  }
}

TEST(SuperpositionStack, MisuseIsRefused) {
  SuperpositionStack<double> stack({{1}, 0}, 1);
  double reading = 0;
  const std::vector<double> actions = {1, 0, 0};
  std::vector<double> gradients(3);
  stack.Start(&reading);
  EXPECT_THROW(stack.BackwardStep(&reading, gradients.data(), &reading), Error) << "no step yet";
  stack.Step(actions.data(), &reading, &reading);
  EXPECT_THROW(stack.Step(actions.data(), &reading, &reading), Error) << "made for one step";
  SuperpositionStack<double> forward_only({{1}, 0}, 1, /*gradients=*/false);
  forward_only.Start(&reading);
  forward_only.Step(actions.data(), &reading, &reading);
  EXPECT_THROW(forward_only.BackwardStep(&reading, gradients.data(), &reading), Error);
}

}  // namespace
}  // namespace pushdown
