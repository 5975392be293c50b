#pragma once

// What the tests of the nondeterministic stack compare with: readings and derivatives of the
// reference for a StackProblem.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pushdown/kernels/nondeterministic_stack_reference.h"
#include "tests/kernels/stack_problem.h"

namespace pushdown::testing_oracle {

template <typename T>
std::vector<T> As(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

// What the kernel makes of a problem in the number type T.
template <typename T>
StackResults<T> Solve(const StackProblem& problem, const StackArguments<double>& arguments,
                      const std::vector<double>& coefficients = {}, int chunk = 0) {
  return RunStack<T>(problem.spec, problem.steps, arguments.As<T>(), As<T>(coefficients), chunk);
}

inline std::vector<double> Reference(const StackProblem& problem,
                                     const StackArguments<double>& arguments) {
  return ReferenceReadings(problem.spec, problem.steps, arguments.logits, arguments.vectors,
                           arguments.bottom_vector);
}

template <typename T, typename U>
double LargestDifference(const std::vector<T>& actual, const std::vector<U>& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  double largest = 0;
  for (std::size_t j = 0; j < std::min(actual.size(), expected.size()); ++j) {
    const double difference =
        std::abs(static_cast<double>(actual[j]) - static_cast<double>(expected[j]));
    if (!(difference <= largest)) largest = difference;  // a NaN counts
  }
  return largest;
}

inline StackArguments<double> Zeros(const StackArguments<double>& shape) {
  return {std::vector<double>(shape.logits.size()), std::vector<double>(shape.vectors.size()),
          std::vector<double>(shape.bottom_vector.size())};
}

inline StackArguments<double> RandomDirection(const StackArguments<double>& shape,
                                              std::uint64_t seed) {
  return {UniformValues(seed, shape.logits.size(), -1, 1),
          UniformValues(seed + 10, shape.vectors.size(), -1, 1),
          UniformValues(seed + 20, shape.bottom_vector.size(), -1, 1)};
}

inline double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

inline double Dot(const StackArguments<double>& a, const StackArguments<double>& b) {
  return Dot(a.logits, b.logits) + Dot(a.vectors, b.vectors) +
         Dot(a.bottom_vector, b.bottom_vector);
}

// The derivative of sum(coefficients * readings) in a direction, from the reference and an
// imaginary step too small to leave any error.
inline double ReferenceDerivative(const StackProblem& problem,
                                  const StackArguments<double>& arguments,
                                  const StackArguments<double>& direction,
                                  const std::vector<double>& coefficients) {
  constexpr double kStep = 1e-50;
  const auto step = [](const std::vector<double>& values, const std::vector<double>& along) {
    std::vector<std::complex<double>> moved(values.begin(), values.end());
    for (std::size_t j = 0; j < moved.size(); ++j) {
      moved[j] += std::complex<double>(0, kStep * along[j]);
    }
    return moved;
  };
  const auto readings =
      ReferenceReadings(problem.spec, problem.steps, step(arguments.logits, direction.logits),
                        step(arguments.vectors, direction.vectors),
                        step(arguments.bottom_vector, direction.bottom_vector));
  double derivative = 0;
  for (std::size_t j = 0; j < readings.size(); ++j) {
    derivative += coefficients[j] * (readings[j].imag() / kStep);
  }
  return derivative;
}

// A derivative in a random direction sees every entry of a gradient at once.
inline void ExpectGradientsInRandomDirection(const StackProblem& problem,
                                             const StackArguments<double>& arguments,
                                             const std::vector<double>& coefficients,
                                             const StackArguments<double>& gradients,
                                             std::uint64_t seed, double tolerance) {
  const auto direction = RandomDirection(arguments, seed);
  const double expected = ReferenceDerivative(problem, arguments, direction, coefficients);
  EXPECT_NEAR(Dot(gradients, direction), expected, tolerance * std::max(1.0, std::abs(expected)))
      << problem << " direction " << seed;
}

// RNS and VRNS with every combination of options.
inline std::vector<NondeterministicStackSpec> Variants(int states, int symbols) {
  std::vector<NondeterministicStackSpec> specs;
  for (int window : {0, 1, 2, 3, 5}) {
    for (Bottom bottom : {Bottom::kFixed, Bottom::kOld}) {
      for (int vector_size : {0, 1, 3}) {
        specs.push_back({states, symbols, vector_size, window, bottom, InitialVector::kCorrect});
      }
    }
    specs.push_back({states, symbols, 2, window, Bottom::kFixed, InitialVector::kPaperCode});
  }
  return specs;
}

// A name for GoogleTest, of letters and digits.
inline std::string TestName(const NondeterministicStackSpec& spec) {
  std::string name = StackName(spec);
  std::replace(name.begin(), name.end(), '-', '_');
  if (spec.window > 0) name += "_window_" + std::to_string(spec.window);
  if (spec.bottom == Bottom::kOld) name += "_old";
  if (spec.initial_vector == InitialVector::kPaperCode) name += "_paper_code";
  return name;
}

}  // namespace pushdown::testing_oracle
