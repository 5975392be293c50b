// A whole training step: forward, loss, backward, clipping and Adam for a batch of ten strings.

#include <benchmark/benchmark.h>

#include <numeric>
#include <string>
#include <vector>

#include "pushdown/model/parameters.h"
#include "pushdown/random.h"
#include "pushdown/train/adam.h"
#include "pushdown/train/parallel_model.h"

namespace pushdown {
namespace {

constexpr int kBatch = 10;
constexpr int kSymbols = 3;
constexpr int kHiddenUnits = 20;

// The lengths of the paper's strings, in the middle and at the end.
constexpr int kLengths[] = {60, 80};

void TrainingStep(benchmark::State& state, const std::string& name, int length, int threads) {
  const ModelSpec spec = ParseModelSpec(name, kHiddenUnits, kSymbols);
  ParallelModel model(spec, length, threads, kBatch);
  Random random(1);
  std::vector<std::vector<int>> strings(kBatch);
  for (std::vector<int>& string : strings) {
    for (int n = 0; n < length; ++n) string.push_back(static_cast<int>(random.Below(kSymbols)));
  }
  std::vector<int> batch(kBatch);
  std::iota(batch.begin(), batch.end(), 0);
  const std::size_t size = model.layout().size;
  std::vector<float> parameters(size);
  InitializeParameters(model.layout(), Initialization::kPaper, random, parameters.data());
  std::vector<float> gradient(size);
  AdamState adam = {.mean = std::vector<float>(size), .square = std::vector<float>(size)};
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(model.Gradient(parameters, strings, batch, gradient));
    ClipGradient(5, gradient);
    AdamStep({}, 1e-4, gradient, adam, parameters);
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}

void Validation(benchmark::State& state, const std::string& name, int length) {
  const ModelSpec spec = ParseModelSpec(name, kHiddenUnits, kSymbols);
  ParallelModel model(spec, length, 1);
  Random random(1);
  std::vector<float> parameters(model.layout().size);
  InitializeParameters(model.layout(), Initialization::kPaper, random, parameters.data());
  const std::vector<std::vector<int>> strings(
      kBatch, std::vector<int>(static_cast<std::size_t>(length), 1));
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(model.LogProbabilities(parameters, strings));
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
}

[[maybe_unused]] const bool registered = [] {
  for (const char* name : {"lstm", "sup-10", "sup-3-3-3", "sup-h", "rns-1-3", "rns-2-3", "rns-3-3",
                           "vrns-1-1-3", "vrns-2-1-3", "vrns-2-3-3"}) {
    for (int length : kLengths) {
      const std::string suffix = std::string(name) + "/" + std::to_string(length);
      for (int threads : {1, 2}) {
        benchmark::RegisterBenchmark(
            ("step/" + suffix + "/threads:" + std::to_string(threads)).c_str(),
            [=](benchmark::State& state) { TrainingStep(state, name, length, threads); })
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
      }
      benchmark::RegisterBenchmark(("validation/" + suffix).c_str(), [=](benchmark::State& state) {
        Validation(state, name, length);
      })->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace pushdown

BENCHMARK_MAIN();
