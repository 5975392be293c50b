#include "cli/bench_lm.h"

#include <fmt/format.h>

#include <cstddef>

#include "cli/errors.h"
#include "cli/progress.h"
#include "pushdown/memory.h"
#include "pushdown/output_file.h"
#include "pushdown/run/machine.h"
#include "pushdown/run/run_config.h"
#include "pushdown/train/text_benchmark.h"
#include "pushdown/version.h"

namespace pushdown::cli {
namespace {

constexpr double kMega = 1e6;

struct Configuration {
  ModelSpec spec;
  int length = 0;
  int threads = 0;
  std::size_t first = 0;           // the index of the first model's
  std::vector<double> steps = {};  // seconds
  std::vector<double> validations = {};
  std::vector<double> products = {};
};

constexpr BenchColumn kColumns[] = {
    {"model", "model", 0, 0},
    {"hidden_units", "units", 0, 7},
    {"length", "length", 0, 6},
    {"threads", "threads", 0, 5},
    {"step_ms", "step, ms", 1, 0},
    {"spread_percent", "spread, %", 1, 3},
    {"steps", "steps", 0, 12},
    {"tokens_per_second", "tokens/s", 0, 1},
    {"products_ms", "products, ms", 1, 9},
    {"times_products", "times products", 2, 2},
    {"times_first", "times first", 2, 4},
    {"validation_percent", "validation, %", 1, 11},
    {"parameters", "parameters", 0, 8},
    {"workspace_mb", "workspace, MB", 1, 10},
};

ModelSpec TextSpec(const std::string& name, const BenchCommand& command, int window) {
  try {
    return ParseTextModelSpec(name, command.hidden_units, command.vocabulary, {.window = window});
  } catch (const Error& error) {
    throw UsageError("--models: " + MessageForUser(error));
  }
}

std::vector<Configuration> MakeConfigurations(const BenchCommand& command) {
  std::vector<Configuration> configurations;
  const std::size_t of_a_model = command.lengths.size() * command.threads.size();
  for (const std::string& name : command.models) {
    for (const int length : command.lengths) {
      const ModelSpec spec = TextSpec(name, command, length);
      for (const int threads : command.threads) {
        CheckMemory(
            TextBenchmark::EstimateBytes(spec, {command.batch, length}, threads),
            fmt::format("{} with {} rows of {} tokens", ModelName(spec), command.batch, length),
            "shorter --lengths, a smaller --batch or --vocabulary need less");
        configurations.push_back({.spec = spec,
                                  .length = length,
                                  .threads = threads,
                                  .first = configurations.size() % of_a_model});
      }
    }
  }
  return configurations;
}

void MeasureRound(const BenchCommand& command, Configuration& configuration) {
  const double seconds = command.seconds / kBenchRounds;
  // New in each round, so that only one needs memory and all rounds do the same work.
  TextBenchmark benchmark(configuration.spec, {command.batch, configuration.length},
                          configuration.threads);
  std::vector<double> ignored;
  // Memory that has not been touched, and stacks that are not full yet.
  constexpr int kWarmUp = 2;
  for (int n = 0; n < kWarmUp; ++n) {
    MeasureFor(
        0, [&] { benchmark.Step(); }, ignored);
    MeasureFor(
        0, [&] { benchmark.Products(); }, ignored);
  }
  MeasureFor(
      seconds / 2, [&] { benchmark.Step(); }, configuration.steps);
  MeasureFor(
      seconds / 4, [&] { benchmark.Products(); }, configuration.products);
  MeasureFor(
      seconds / 2, [&] { benchmark.Step(); }, configuration.steps);
  MeasureFor(
      seconds / 4, [&] { benchmark.Validate(); }, configuration.validations);
}

Json ResultJson(const BenchCommand& command, const std::vector<Configuration>& configurations,
                std::size_t index) {
  const Configuration& configuration = configurations[index];
  const double step = Median(configuration.steps);
  const double products = Median(configuration.products);
  const double workspace = TextModel<float>::EstimateBytes(
      configuration.spec, command.batch, configuration.length, true, configuration.threads);
  return {{"model", ModelName(configuration.spec)},
          {"hidden_units", configuration.spec.hidden_units},
          {"length", configuration.length},
          {"threads", configuration.threads},
          {"step_ms", 1000 * step},
          {"spread_percent", SpreadPercent(configuration.steps)},
          {"steps", configuration.steps.size()},
          {"tokens_per_second", command.batch * configuration.length / step},
          {"products_ms", 1000 * products},
          {"times_products", step / products},
          {"times_first", step / Median(configurations[configuration.first].steps)},
          {"validation_percent", 100 * Median(configuration.validations) / step},
          {"parameters", ParameterLayout(configuration.spec).size},
          {"workspace_mb", workspace / kMega}};
}

}  // namespace

void BenchText(const BenchCommand& command) {
  OutputFile out("-");
  std::vector<Configuration> configurations = MakeConfigurations(command);
  {
    Progress progress("measuring");
    const double total = kBenchRounds * static_cast<double>(configurations.size());
    double done = 0;
    for (int round = 0; round < kBenchRounds; ++round) {
      for (Configuration& configuration : configurations) {
        progress.Update(done++ / total);
        MeasureRound(command, configuration);
      }
    }
  }
  std::vector<Json> results;
  for (std::size_t n = 0; n < configurations.size(); ++n) {
    results.push_back(ResultJson(command, configurations, n));
  }
  const std::vector<std::string> circumstances = {
      fmt::format("pushdown {} on {}, {}", kVersion, CpuName(), KernelsText()),
      fmt::format("training steps with {} rows of text, {} words, float", command.batch,
                  command.vocabulary),
      fmt::format("peak memory of the process: {:.1f} MB", PeakResidentBytes() / kMega)};
  if (command.format == "md") out.Write(MarkdownText(kColumns, circumstances, results));
  if (command.format == "csv") out.Write(CsvText(kColumns, circumstances, results));
  for (Json& result : results) {
    if (command.format != "jsonl") break;
    result.update(Json{{"rows", command.batch},
                       {"vocabulary", command.vocabulary},
                       {"peak_resident_mb", PeakResidentBytes() / kMega},
                       {"pushdown", kVersion},
                       {"cpu", CpuName()},
                       {"kernels", KernelsText()}});
    out.Write(JsonLine(result));
  }
  out.Commit();
}

}  // namespace pushdown::cli
