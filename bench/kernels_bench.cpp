// Single kernels: one sequence, forward, or forward and backward, on one thread. "fma" counts the
// multiply-adds of the pop terms, (n^3 - n)/6 |Q|^3 |Gamma|^2 a pass and three passes in a training
// step; "of_peak" is that as a share of the peak in float, measured once. "pops" has the pop
// terms by themselves, "window" what language models do: rows of endless text, in chunks, and
// "sparse" what automata do that come from grammars. "batch" has ten sequences, forward and
// backward: one after the other, as the program takes them, or all of them step by step, as a
// network of PyTorch does.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "pushdown/kernels/nondeterministic_stack.h"
#include "pushdown/kernels/peak.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/kernels/stack_wfa.h"
#include "pushdown/kernels/superposition_stack.h"
#include "pushdown/random.h"
#include "tests/kernels/stack_problem.h"

namespace pushdown {
namespace {

using testing_oracle::MakeArguments;
using testing_oracle::MakeCoefficients;
using testing_oracle::StackProblem;
using testing_oracle::UniformValues;

void CountPops(benchmark::State& state, const StackProblem& problem, int passes, bool is_float) {
  const double pops = passes * PopMultiplyAdds(problem.spec, problem.steps);
  constexpr auto kRate = benchmark::Counter::kIsIterationInvariantRate;
  state.counters["fma"] = benchmark::Counter(pops, kRate);
  static const double peak = PeakMultiplyAdds(0.5, 1);
  if (is_float) state.counters["of_peak"] = benchmark::Counter(pops / peak, kRate);
}

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
  CountPops(state, problem, backward ? 3 : 1, std::is_same_v<T, float>);
}

// Steps of automata that come from grammars: few transitions are possible.
void RunSparse(benchmark::State& state, const NondeterministicStackSpec& spec, int steps,
               int transitions) {
  constexpr double kImpossible = -std::numeric_limits<double>::infinity();
  std::vector<double> logits(static_cast<std::size_t>(steps * spec.logits_size()), kImpossible);
  Random random(1);
  for (int t = 0; t < steps; ++t) {
    double* step = logits.data() + t * spec.logits_size();
    // From a sixth of the pairs, so that runs go on; as many pops as others.
    const auto below = [&](int count) {
      return static_cast<int>(random.Below(static_cast<std::uint64_t>(count)));
    };
    const auto some_pair = [&] { return below(spec.pairs() / 6) * 6; };
    for (int n = 0; n < transitions; ++n) {
      double* row = step + some_pair() * spec.logits_per_pair();
      const int kind = below(3);
      row[kind < 2 ? kind * spec.pairs() + some_pair() : 2 * spec.pairs() + below(spec.states)] =
          random.Uniform(-1, 1);
    }
    step[spec.pairs()] = 0;  // a run that always survives
  }
  std::vector<double> readings(static_cast<std::size_t>((steps + 1) * spec.reading_size()));
  NondeterministicStack<double> stack(spec, steps, false);
  for ([[maybe_unused]] auto _ : state) {
    stack.ForwardSequence(steps, logits.data(), nullptr, nullptr, readings.data());
    benchmark::DoNotOptimize(readings.data());
    benchmark::ClobberMemory();
  }
  double reached = 0;
  for (double reading : readings) reached += reading > 0 ? 1 : 0;
  state.counters["reached"] = reached / (steps + 1);  // pairs a step
}

// Rows in lockstep, each with a stack whose window is full: a chunk forward and backward.
void RunWindow(benchmark::State& state, const NondeterministicStackSpec& spec, int chunk) {
  constexpr int kRows = 8;
  std::vector<NondeterministicStack<float>> stacks;
  std::vector<testing_oracle::StackArguments<float>> arguments;
  std::vector<std::vector<float>> coefficients;
  std::vector<float> reading(static_cast<std::size_t>(spec.reading_size()));
  std::vector<float> logit_gradient(static_cast<std::size_t>(spec.logits_size()));
  std::vector<float> vector_gradient(static_cast<std::size_t>(spec.vector_size));
  for (int row = 0; row < kRows; ++row) {
    const StackProblem problem{spec, chunk, 3, 0, static_cast<std::uint64_t>(row)};
    arguments.push_back(MakeArguments(problem).As<float>());
    const auto random = MakeCoefficients(problem);
    coefficients.emplace_back(random.begin(), random.end());
    stacks.emplace_back(spec, chunk);
    stacks.back().Start(arguments.back().bottom_vector.data(), reading.data());
  }
  const auto forward = [&] {
    for (int t = 0; t < chunk; ++t) {
      for (std::size_t row = 0; row < kRows; ++row) {
        stacks[row].Step(arguments[row].logits.data() + t * spec.logits_size(),
                         arguments[row].vectors.data() + t * spec.vector_size, reading.data());
      }
    }
  };
  const auto backward = [&] {
    for (int t = chunk - 1; t >= 0; --t) {
      for (std::size_t row = 0; row < kRows; ++row) {
        stacks[row].BackwardStep(coefficients[row].data() + t * spec.reading_size(),
                                 logit_gradient.data(), vector_gradient.data());
      }
    }
  };
  const auto carry = [&] {
    for (auto& stack : stacks) stack.Carry();
  };
  for (int t = 0; t <= spec.window; t += chunk) {
    forward();
    carry();
  }
  for ([[maybe_unused]] auto _ : state) {
    forward();
    backward();
    carry();
    benchmark::DoNotOptimize(logit_gradient.data());
    benchmark::ClobberMemory();
  }
  state.counters["row_step"] = benchmark::Counter(
      kRows * chunk, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void RunBatch(benchmark::State& state, const StackProblem& problem, bool step_by_step) {
  constexpr std::size_t kSequences = 10;
  const auto logits = MakeArguments(problem).As<float>().logits;
  const auto random = MakeCoefficients(problem);
  const std::vector<float> coefficients(random.begin(), random.end());
  const auto step_size = static_cast<std::size_t>(problem.spec.logits_size());
  const auto reading_size = static_cast<std::size_t>(problem.spec.reading_size());
  std::vector<float> reading(reading_size);
  std::vector<float> gradient(step_size);
  std::vector<NondeterministicStack<float>> stacks;
  for (std::size_t n = 0; n < (step_by_step ? kSequences : 1); ++n) {
    stacks.emplace_back(problem.spec, problem.steps, /*gradients=*/true);
  }
  for (auto _ : state) {
    for (std::size_t n = 0; n < kSequences; n += stacks.size()) {
      for (auto& stack : stacks) stack.Start(nullptr, reading.data());
      for (std::size_t t = 0; t < static_cast<std::size_t>(problem.steps); ++t) {
        for (auto& stack : stacks) stack.Step(&logits[t * step_size], nullptr, reading.data());
      }
      for (auto t = static_cast<std::size_t>(problem.steps); t > 0; --t) {
        for (auto& stack : stacks) {
          stack.BackwardStep(&coefficients[t * reading_size], gradient.data(), nullptr);
        }
      }
    }
    benchmark::DoNotOptimize(gradient.data());
    benchmark::ClobberMemory();
  }
}

void RunPops(benchmark::State& state, const StackProblem& problem) {
  const auto arguments = MakeArguments(problem).As<float>();
  const int size = problem.spec.logits_size();
  const std::vector<float> gradient(static_cast<std::size_t>(problem.spec.pairs()), 1.0F);
  std::vector<float> logit_gradient(static_cast<std::size_t>(size));
  StackWfa<float> stack(problem.spec, problem.steps, /*gradients=*/true);
  stack.Reset(StackWfa<float>::Start::kBottom);
  for (int t = 0; t < problem.steps; ++t) stack.Step(arguments.logits.data() + t * size);
  for (int t = problem.steps; t >= 1; --t) {
    stack.BackwardStep(t, gradient.data(), nullptr, 0, logit_gradient.data());
  }
  for ([[maybe_unused]] auto _ : state) stack.RepeatPops();
  CountPops(state, problem, 3, true);
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

// What reading memory takes, which bounds the pop terms of long strings.
void RunRead(benchmark::State& state) {
  const std::vector<std::uint64_t> values(static_cast<std::size_t>(state.range(0)) << 17, 1);
  for ([[maybe_unused]] auto _ : state) {
    std::uint64_t sums[16] = {};  // which do not wait for each other
    for (std::size_t n = 0; n < values.size(); n += std::size(sums)) {
      for (std::size_t k = 0; k < std::size(sums); ++k) sums[k] += values[n + k];
    }
    benchmark::DoNotOptimize(sums);
  }
  state.SetBytesProcessed(state.iterations() * (state.range(0) << 20));
}

void RegisterWindow(const std::string& stack_name) {
  auto spec = std::get<NondeterministicStackSpec>(ParseStackSpec(stack_name));
  spec.window = 35;
  benchmark::RegisterBenchmark(("window/" + stack_name).c_str(), [=](benchmark::State& state) {
    RunWindow(state, spec, spec.window);
  })->Unit(benchmark::kMicrosecond);
}

void RegisterSparse(const std::string& stack_name, int steps, int transitions) {
  const auto spec = std::get<NondeterministicStackSpec>(ParseStackSpec(stack_name));
  const std::string name = "sparse/" + stack_name + "/n" + std::to_string(steps);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    RunSparse(state, spec, steps, transitions);
  })->Unit(benchmark::kMicrosecond);
}

void RegisterPops(const std::string& stack_name, int steps) {
  const std::string name = "pops/" + stack_name + "/n" + std::to_string(steps);
  const StackProblem problem{std::get<NondeterministicStackSpec>(ParseStackSpec(stack_name)),
                             steps};
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    RunPops(state, problem);
  })->Unit(benchmark::kMicrosecond);
}

void RegisterBatch(const std::string& stack_name, int steps) {
  const StackProblem problem{std::get<NondeterministicStackSpec>(ParseStackSpec(stack_name)),
                             steps};
  for (const bool step_by_step : {false, true}) {
    const std::string name = "batch/" + stack_name + "/n" + std::to_string(steps) +
                             (step_by_step ? "/step by step" : "/in turn");
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      RunBatch(state, problem, step_by_step);
    })->Unit(benchmark::kMicrosecond);
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
  for (const char* name : {"rns-1-3", "rns-2-3", "rns-3-3", "rns-4-3", "rns-5-3"}) {
    for (int steps : {59, 79}) pushdown::RegisterPops(name, steps);
  }
  for (const char* name : {"rns-4-5", "rns-2-13", "rns-1-29", "vrns-3-3-5", "vrns-2-3-10",
                           "vrns-1-5-20", "vrns-1-1-32", "vrns-1-1-256"}) {
    pushdown::RegisterWindow(name);
  }
  for (const char* name : {"rns-4-15", "rns-4-60"}) pushdown::RegisterSparse(name, 20, 150);
  pushdown::RegisterBatch("rns-3-3", 59);  // of 60 symbols
  benchmark::RegisterBenchmark("read/megabytes", pushdown::RunRead)
      ->RangeMultiplier(2)
      ->Range(1, 64);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
