// The runs of the automaton of one string, on one thread: the best ones, samples and marginals,
// beside the forward and backward passes of the same stack in double precision.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <vector>

#include "pushdown/analysis/automaton_runs.h"
#include "pushdown/kernels/nondeterministic_stack.h"
#include "pushdown/random.h"

namespace pushdown {
namespace {

struct Problem {
  Problem(int states, int symbols, int the_steps)
      : spec{.states = states, .symbols = symbols}, steps(the_steps) {
    Random random(1);
    logits.resize(static_cast<std::size_t>(steps * spec.logits_size()));
    for (double& logit : logits) logit = random.Uniform(-2, 2);
  }

  NondeterministicStackSpec spec;
  int steps;
  std::vector<double> logits;
};

void Forward(benchmark::State& state, const Problem& problem) {
  for ([[maybe_unused]] auto _ : state) {
    const AutomatonRuns runs(problem.spec, problem.logits);
    benchmark::DoNotOptimize(runs.log_weight());
  }
}

// From the logits on.
void Best(benchmark::State& state, const Problem& problem, int count) {
  for ([[maybe_unused]] auto _ : state) {
    const AutomatonRuns runs(problem.spec, problem.logits);
    benchmark::DoNotOptimize(runs.Best(count).back().log_weight);
  }
}

void Stacks(benchmark::State& state, const Problem& problem, int count) {
  for ([[maybe_unused]] auto _ : state) {
    const AutomatonRuns runs(problem.spec, problem.logits);
    benchmark::DoNotOptimize(runs.BestStacks(count).back().probability);
  }
}

// The forward pass is not counted.
void Samples(benchmark::State& state, const Problem& problem, int count) {
  const AutomatonRuns runs(problem.spec, problem.logits);
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(runs.Sample(count, 1).back().log_weight);
  }
}

void Marginals(benchmark::State& state, const Problem& problem) {
  const AutomatonRuns runs(problem.spec, problem.logits);
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(runs.Marginals().transitions.back());
  }
}

// What Marginals is measured by.
void Backward(benchmark::State& state, const Problem& problem) {
  NondeterministicStack<double> stack(problem.spec, problem.steps);
  const auto readings = static_cast<std::size_t>((problem.steps + 1) * problem.spec.reading_size());
  std::vector<double> reading(readings);
  std::vector<double> gradients(problem.logits.size());
  const std::vector<double> coefficients(readings, 0.5);
  stack.ForwardSequence(problem.steps, problem.logits.data(), nullptr, nullptr, reading.data());
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    stack.ForwardSequence(problem.steps, problem.logits.data(), nullptr, nullptr, reading.data());
    state.ResumeTiming();
    stack.BackwardSequence(problem.steps, coefficients.data(), gradients.data(), nullptr, nullptr);
    benchmark::DoNotOptimize(gradients.back());
  }
}

void RegisterAll() {
  const auto add = [](const std::string& name, int states, int symbols, int steps,
                      const auto& function) {
    benchmark::RegisterBenchmark(
        (name + "/n:" + std::to_string(steps)).c_str(),
        [=](benchmark::State& state) { function(state, Problem(states, symbols, steps)); })
        ->Unit(benchmark::kMillisecond);
  };
  for (const int steps : {100, 400}) {
    add("forward/rns-3-3", 3, 3, steps, Forward);
    for (const int count : {1, 100, 1000}) {
      add("best:" + std::to_string(count) + "/rns-3-3", 3, 3, steps,
          [count](benchmark::State& state, const Problem& problem) {
            Best(state, problem, count);
          });
    }
    add("stacks:10/rns-3-3", 3, 3, steps,
        [](benchmark::State& state, const Problem& problem) { Stacks(state, problem, 10); });
    add("samples:1000/rns-3-3", 3, 3, steps,
        [](benchmark::State& state, const Problem& problem) { Samples(state, problem, 1000); });
    add("backward/rns-3-3", 3, 3, steps, Backward);
    add("marginals/rns-3-3", 3, 3, steps, Marginals);
  }
}

}  // namespace
}  // namespace pushdown

int main(int argc, char** argv) {
  pushdown::RegisterAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
