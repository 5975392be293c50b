#include "pushdown/experiment/cost.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "pushdown/experiment/plan.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/run/run.h"
#include "pushdown/run/settings_format.h"
#include "pushdown/run/task_data.h"
#include "pushdown/train/step_benchmark.h"

namespace pushdown {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The length whose cube is the mean of the cubes: the time of a nondeterministic stack grows with
// the cube of the length.
double TypicalLength(LengthRange lengths) {
  double sum = 0;
  for (int length = lengths.min; length <= lengths.max; ++length) sum += std::pow(length, 3);
  return std::cbrt(sum / (lengths.max - lengths.min + 1));
}

// The seconds of a training step for one symbol of a string or one token of a text. The constants
// are those of one core of a machine of 2020; only their ratios matter.
double ApproximateSymbolSeconds(const ModelSpec& model, double length, double outputs) {
  constexpr double kProductRate = 20e9;  // multiply-adds a second
  constexpr double kPopRate = 36e9;
  const double units = model.hidden_units;
  double seconds = 0.2e-6;
  // Forward, and two products backward.
  seconds += 3 * units * (4 * (units + model.reading_size()) + outputs) / kProductRate;
  if (const NondeterministicStackSpec* stack = model.nondeterministic()) {
    const double states = stack->states;
    const double pairs = states * stack->symbols;
    const double steps = stack->window > 0 ? std::min<double>(stack->window, length) : length;
    seconds += 1e-6 + 3 * units * pairs * (2 * pairs + states) / kProductRate;
    // 3 n^3 / 6 |Q|^3 |Gamma|^2 for a string of n symbols.
    seconds += steps * steps / 2 * pairs * pairs * states / kPopRate;
  }
  return seconds;
}

// A text as long as the Penn Treebank, if nothing else is known.
constexpr double kTextTokens = 1e6;
constexpr double kTextWords = 1e4;

// The seconds of an epoch of strings, measured on a batch of a typical length.
double MeasureStrings(const RunSettings& settings, int threads) {
  constexpr double kEnoughSeconds = 0.01;
  ModelSpec spec = settings.model;
  spec.symbols = StepBenchmark::kSymbols;
  if (settings.language) {
    spec.symbols = std::max(spec.symbols, LanguageOf(settings, 1)->alphabet().size());
  }
  const int batch = settings.strings.batch_size;
  const int length = static_cast<int>(std::lround(TypicalLength(settings.dataset.lengths)));
  StepBenchmark benchmark(spec, length, threads, batch);
  benchmark.Step();  // the first step also touches the memory
  const auto measure = [](const auto& step) {
    int steps = 0;
    const Clock::time_point start = Clock::now();
    do {
      step();
      ++steps;
    } while (SecondsSince(start) < kEnoughSeconds);
    return SecondsSince(start) / steps;
  };
  const double step = measure([&] { benchmark.Step(); });
  const double validation = measure([&] { benchmark.Validate(); });
  return step * std::ceil(1.0 * settings.dataset.training_size / batch) +
         validation * settings.dataset.validation_size / batch;
}

}  // namespace

double ApproximateRunSeconds(const RunSettings& settings) {
  const bool text = settings.kind == DataKind::kText;
  const double length = text ? 1e9 : TypicalLength(settings.dataset.lengths);
  const double symbols = text ? kTextTokens : length * settings.dataset.training_size;
  double outputs = text ? kTextWords : 3;
  if (settings.language) outputs = std::max(outputs, 1.0 * settings.language->options.symbols);
  return settings.training.max_epochs * symbols *
         ApproximateSymbolSeconds(settings.model, length, outputs);
}

std::vector<double> MeasureEpochSeconds(const ExperimentPlan& plan, int threads,
                                        const std::function<void(double)>& progress) {
  ReserveBlasBuffers(threads);
  std::vector<double> seconds;
  // Cells that differ in other settings take the same time.
  std::map<std::string, double> measured;
  for (const Cell& cell : plan.cells) {
    const RunSettings& settings = cell.settings;
    Json key = SettingsJson(settings);
    for (const char* name : {"seed", "init", "learning-rate", "max-epochs"}) key.erase(name);
    const auto [found, is_new] = measured.try_emplace(key.dump(), 0.0);
    if (is_new) {
      found->second =
          settings.kind == DataKind::kText || !settings.data.empty()
              ? EstimateTraining(settings, {.threads = threads}, {}, 0.2).seconds_per_epoch
              : MeasureStrings(settings, threads);
    }
    seconds.push_back(found->second);
    if (progress) {
      progress(static_cast<double>(seconds.size()) / static_cast<double>(plan.cells.size()));
    }
  }
  return seconds;
}

}  // namespace pushdown
