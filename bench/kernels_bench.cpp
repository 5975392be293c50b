// Single kernels: one sequence, forward, or forward and backward, on one thread. "fma" counts the
// multiply-adds of the pop terms, n^3/6 |Q|^3 |Gamma|^2 a pass and three passes in a training step.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "pushdown/kernels/nondeterministic_stack.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/kernels/superposition_stack.h"
#include "tests/kernels/stack_problem.h"

namespace pushdown {
namespace {

using testing_oracle::MakeArguments;
using testing_oracle::MakeCoefficients;
using testing_oracle::StackProblem;
using testing_oracle::UniformValues;

template <typename T>
void RunNondeterministic(benchmark::State& state, const StackProblem& problem, bool backward) {
  const auto arguments = MakeArguments(problem).As<T>();
  const auto random = MakeCoefficients(problem);
  const std::vector<T> coefficients(random.begin(), random.end());
  std::vector<T> readings(coefficients.size());
  auto gradients = arguments;
  NondeterministicStack<T> stack(problem.spec, problem.steps, backward);
  for (auto _ : state) {
    stack.ForwardSequence(problem.steps, arguments.logits.data(), arguments.vectors.data(),
                          arguments.bottom_vector.data(), readings.data());
    if (backward) {
      stack.BackwardSequence(problem.steps, coefficients.data(), gradients.logits.data(),
                             gradients.vectors.data(), gradients.bottom_vector.data());
    }
    benchmark::DoNotOptimize(readings.data());
    benchmark::ClobberMemory();
  }
  const double n = problem.steps;
  const double states = problem.spec.states;
  const double symbols = problem.spec.symbols;
  const double pops =
      n * n * n / 6 * states * states * states * symbols * symbols * (backward ? 3 : 1);
  state.counters["fma"] = benchmark::Counter(pops, benchmark::Counter::kIsIterationInvariantRate);
}

template <typename T>
void RunSuperposition(benchmark::State& state, const SuperpositionStackSpec& spec, int steps,
                      bool backward) {
  const auto count = static_cast<std::size_t>(steps);
  const auto size = static_cast<std::size_t>(spec.reading_size());
  const auto as = [](const std::vector<double>& values) {
    return std::vector<T>(values.begin(), values.end());
  };
  const auto actions =
      as(UniformValues(1, count * static_cast<std::size_t>(spec.actions_size()), 0, 0.6));
  const auto vectors = as(UniformValues(2, count * size, -1, 1));
  const auto coefficients = as(UniformValues(3, (count + 1) * size, -1, 1));
  auto readings = coefficients;
  auto action_gradients = actions;
  auto vector_gradients = vectors;
  SuperpositionStack<T> stack(spec, steps, backward);
  for (auto _ : state) {
    stack.ForwardSequence(steps, actions.data(), vectors.data(), readings.data());
    if (backward) {
      stack.BackwardSequence(steps, coefficients.data(), action_gradients.data(),
                             vector_gradients.data());
    }
    benchmark::DoNotOptimize(readings.data());
    benchmark::ClobberMemory();
  }
}

template <typename T>
void Register(const std::string& stack_name, int steps, int window) {
  const StackSpec spec = ParseStackSpec(stack_name);
  const std::string type = sizeof(T) == sizeof(float) ? "float" : "double";
  for (bool backward : {false, true}) {
    std::string name = stack_name + "/n" + std::to_string(steps);
    if (window > 0) name += "/window" + std::to_string(window);
    name += "/" + type + (backward ? "/forward+backward" : "/forward");
    const auto run = [=](benchmark::State& state) {
      if (const auto* sup = std::get_if<SuperpositionStackSpec>(&spec)) {
        RunSuperposition<T>(state, *sup, steps, backward);
        return;
      }
      StackProblem problem{std::get<NondeterministicStackSpec>(spec), steps};
      problem.spec.window = window;
      RunNondeterministic<T>(state, problem, backward);
    };
    benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace
}  // namespace pushdown

int main(int argc, char** argv) {
  using pushdown::Register;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("simd", pushdown::ActiveSimdTarget());
  for (const char* name : {"sup-10", "sup-3-3-3", "rns-1-3", "rns-2-3", "rns-3-3", "vrns-1-1-3",
                           "vrns-2-1-3", "vrns-2-3-3", "vrns-2-3-64"}) {
    Register<float>(name, 60, 0);
  }
  for (int steps : {40, 80, 200}) Register<float>("rns-3-3", steps, 0);
  Register<double>("rns-3-3", 60, 0);
  for (const char* name : {"rns-4-5", "vrns-3-3-5"}) Register<float>(name, 35, 35);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
