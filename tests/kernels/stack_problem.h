#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "pushdown/kernels/nondeterministic_stack.h"
#include "pushdown/kernels/stack_spec.h"
#include "tests/kernels/random_stack.h"

namespace pushdown {

// For GoogleTest, in the namespace where it looks.
inline void PrintTo(const NondeterministicStackSpec& spec, std::ostream* out) {
  *out << StackName(spec) << (spec.window > 0 ? " window " + std::to_string(spec.window) : "")
       << (spec.bottom == Bottom::kOld ? " bottom old" : "")
       << (spec.initial_vector == InitialVector::kPaperCode ? " paper-code" : "");
}

}  // namespace pushdown

namespace pushdown::testing_oracle {

// A random problem for the nondeterministic stack. Printed, it is the line that says what failed.
struct StackProblem {
  NondeterministicStackSpec spec;
  int steps = 0;
  double range = 3;       // logits are uniform in [-range, range]
  double zero_share = 0;  // of the replace and pop logits are -inf
  std::uint64_t seed = 1;
};

inline std::ostream& operator<<(std::ostream& out, const StackProblem& problem) {
  PrintTo(problem.spec, &out);
  return out << " n" << problem.steps << " logits +-" << problem.range
             << (problem.zero_share > 0 ? " with -inf" : "") << " seed " << problem.seed;
}

// Arguments of a stack, or the derivatives by them.
template <typename T>
struct StackArguments {
  std::vector<T> logits;         // [T, P, 2P + Q]
  std::vector<T> vectors;        // [T, m]
  std::vector<T> bottom_vector;  // [m]

  template <typename N>
  StackArguments<N> As() const {
    return {{logits.begin(), logits.end()},
            {vectors.begin(), vectors.end()},
            {bottom_vector.begin(), bottom_vector.end()}};
  }
};

inline StackArguments<double> MakeArguments(const StackProblem& problem) {
  const auto size = static_cast<std::size_t>(problem.spec.vector_size);
  return {RandomLogits(problem.seed, problem.spec, problem.steps, -problem.range, problem.range,
                       problem.zero_share),
          UniformValues(problem.seed + 1000, static_cast<std::size_t>(problem.steps) * size, -1, 1),
          UniformValues(problem.seed + 2000, size, -1, 1)};
}

// The loss is sum(coefficients * readings).
inline std::vector<double> MakeCoefficients(const StackProblem& problem) {
  return UniformValues(problem.seed + 3000,
                       static_cast<std::size_t>(problem.steps + 1) *
                           static_cast<std::size_t>(problem.spec.reading_size()),
                       -1, 1);
}

template <typename T>
struct StackResults {
  std::vector<T> readings;  // [T + 1, reading_size]
  StackArguments<T> gradients;
};

// What the kernel makes of it, the sequence being cut into chunks of `chunk` steps (0: not cut).
template <typename T>
StackResults<T> RunStack(const NondeterministicStackSpec& spec, int steps,
                         const StackArguments<T>& arguments, const std::vector<T>& coefficients,
                         int chunk = 0) {
  if (chunk == 0) chunk = std::max(steps, 1);
  const auto logits_size = spec.logits_size();
  const auto size = spec.vector_size;
  const auto reading_size = spec.reading_size();
  StackResults<T> results;
  results.readings.resize(static_cast<std::size_t>((steps + 1) * reading_size));
  results.gradients = {std::vector<T>(arguments.logits.size()),
                       std::vector<T>(arguments.vectors.size()),
                       std::vector<T>(arguments.bottom_vector.size())};
  NondeterministicStack<T> stack(spec, spec.window > 0 ? chunk : steps);
  stack.Start(arguments.bottom_vector.data(), results.readings.data());
  for (int begin = 0; begin < std::max(steps, 1); begin += chunk) {
    const int end = std::min(steps, begin + chunk);
    for (int t = begin; t < end; ++t) {
      stack.Step(arguments.logits.data() + t * logits_size, arguments.vectors.data() + t * size,
                 results.readings.data() + (t + 1) * reading_size);
    }
    if (!coefficients.empty()) {
      for (int t = end - 1; t >= begin; --t) {
        stack.BackwardStep(coefficients.data() + (t + 1) * reading_size,
                           results.gradients.logits.data() + t * logits_size,
                           results.gradients.vectors.data() + t * size);
      }
      if (begin == 0) {
        stack.BackwardStart(coefficients.data(), results.gradients.bottom_vector.data());
      }
    }
    stack.Carry();
  }
  return results;
}

}  // namespace pushdown::testing_oracle
