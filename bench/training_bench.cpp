// A whole training step: forward, loss, backward, clipping and Adam for a batch of ten strings.
// "fma" counts the multiply-adds of the pop terms. Validation is forward only, with the same
// strings.

#include <benchmark/benchmark.h>

#include <string>

#include "pushdown/kernels/simd.h"
#include "pushdown/train/step_benchmark.h"

namespace pushdown {
namespace {

constexpr int kBatch = 10;
constexpr int kHiddenUnits = 20;

StepBenchmark MakeBenchmark(const std::string& model, int length, int threads) {
  const ModelSpec spec = ParseModelSpec(model, kHiddenUnits, StepBenchmark::kSymbols);
  return {spec, length, threads, kBatch};
}

void TrainingStep(benchmark::State& state, const std::string& model, int length, int threads) {
  StepBenchmark step = MakeBenchmark(model, length, threads);
  for ([[maybe_unused]] auto _ : state) step.Step();
  state.SetItemsProcessed(state.iterations() * kBatch);
  if (step.PopMultiplyAdds() > 0) {
    state.counters["fma"] =
        benchmark::Counter(step.PopMultiplyAdds(), benchmark::Counter::kIsIterationInvariantRate);
  }
}

void Validation(benchmark::State& state, const std::string& model, int length) {
  StepBenchmark step = MakeBenchmark(model, length, 1);
  for ([[maybe_unused]] auto _ : state) step.Validate();
  state.SetItemsProcessed(state.iterations() * kBatch);
}

void RegisterStep(const std::string& model, int length, int threads) {
  const std::string name =
      "step/" + model + "/" + std::to_string(length) + "/threads:" + std::to_string(threads);
  benchmark::RegisterBenchmark(
      name.c_str(), [=](benchmark::State& state) { TrainingStep(state, model, length, threads); })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

void RegisterValidation(const std::string& model, int length) {
  const std::string name = "validation/" + model + "/" + std::to_string(length);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    Validation(state, model, length);
  })->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace pushdown

int main(int argc, char** argv) {
  using pushdown::RegisterStep;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("simd", pushdown::ActiveSimdTarget());
  for (const char* model : {"lstm", "sup-10", "sup-3-3-3", "sup-h", "rns-1-3", "rns-2-3", "rns-3-3",
                            "vrns-1-1-3", "vrns-2-1-3", "vrns-2-3-3", "vrns-2-3-64"}) {
    // The lengths of the paper's strings, in the middle and at the end.
    for (int length : {60, 80}) {
      for (int threads : {1, 2}) RegisterStep(model, length, threads);
      pushdown::RegisterValidation(model, length);
    }
  }
  // How time grows with the length; 60 and 80 are above.
  for (int length : {40, 100, 150, 200, 300, 400}) RegisterStep("rns-3-3", length, 1);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
