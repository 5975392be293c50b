#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/bench_lm.h"
#include "cli/bench_table.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "pushdown/json.h"
#include "pushdown/kernels/peak.h"
#include "pushdown/memory.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/stack_rnn.h"
#include "pushdown/output_file.h"
#include "pushdown/run/machine.h"
#include "pushdown/run/model_choice.h"
#include "pushdown/run/run_config.h"
#include "pushdown/train/parallel_model.h"
#include "pushdown/train/step_benchmark.h"
#include "pushdown/version.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(A training step is forward, loss, backward, clipping and Adam for a batch of random strings of
three symbols, in float. Every model is measured with every length and number of threads, in eight
rounds in which all of them take turns, so that what else happens on the machine meets all alike;
with all defaults that takes about a minute.

Output, by the names of csv and jsonl:
  model, length, threads
  step_ms              the median of the steps, in milliseconds
  spread_percent       the width of the middle half of the steps (interquartile range), in % of
                       the median. If it is large, something else was running
  steps                how many were measured
  speedup              the same model and length with the first of --threads, divided by this
  validation_percent   forward only with the same strings, in % of a step
  giga_multiply_adds   of the pop terms, 10^9 a second: 3 (T^3 - T) / 6 |Q|^3 |Gamma|^2 a string,
                       with T = length - 1. They are not all of the work, but what grows fastest
  peak_percent         that in % of the peak, which is what as many threads do at the same time in
                       registers with this SIMD target, measured in the same rounds
  workspace_mb         what a thread allocates once for strings of this length, in 10^6 bytes
  workspace_per_share  that divided by the bytes of the shares that are not zero, 4 P^2 n (n+1) / 2
                       for strings of n symbols and P = |Q||Gamma|
md leaves columns out that a terminal has no room for.
Models without a nondeterministic stack have no pop terms and no shares: - in md, nothing in csv,
null in jsonl. What holds for all lines, such as the CPU, is above the table in md, in lines that
begin with # in csv, and in each line of jsonl (batch, hidden_units, pushdown, cpu, kernels,
peak_giga_multiply_adds for as many threads, peak_resident_mb of the whole process).

--lm measures models of running text (see `pushdown lm train --help`) instead: forward, loss,
backward, clipping and SGD for --batch rows of --lengths tokens each, random words of --vocabulary.
Windows are as long as chunks, and superposition stacks have a depth limit of 10. By default these
are the eleven models of the paper's section 6 with 32 rows, 35 steps, 256 hidden units (247 for
sup-h), two threads and 4 seconds each. Other columns are:
  tokens_per_second
  products_ms          the matrix products of the LSTM and of the output layer in a step by
                       themselves, in OpenBLAS, on as many threads and in the same rounds: three of
                       each layer, those with the hidden state in as many pieces as there are steps
  times_products       step_ms divided by that
  times_first          step_ms divided by that of the first model, with the same length and threads
  parameters
  workspace_mb         what all threads allocate once, at most (see memory in `pushdown stack`)

Examples:
  pushdown bench
  pushdown bench --models rns-3-3,vrns-2-3-3 --lengths 80 --seconds 5
  pushdown bench --models rns-3-3 --lengths 40,60,80,100,150,200 --threads 1 -o csv
  PUSHDOWN_SIMD=avx2 pushdown bench --threads 1 -o jsonl
  pushdown bench --lm
  pushdown bench --lm --models lstm-256,vrns-3-3-5 --threads 1,2 --seconds 10

Exit code: 0, 1 if the output cannot be written, 2 if the command line is wrong.)";

constexpr int kMinLength = 2;  // with one symbol, the stack takes no step
constexpr int kMaxLength = 10000;
constexpr int kMaxBatch = 1 << 20;
constexpr double kMega = 1e6;
constexpr double kGiga = 1e9;

BenchCommand StringsDefaults() {
  return {.models = UsualModels(DataKind::kStrings),
          .lengths = {40, 60, 80},
          .threads = {1, 2},
          .batch = 10,
          .hidden_units = 20,
          .vocabulary = 10000,
          .seconds = 0.5};
}

// What --lm has where nothing is given.
void UseTextDefaults(const Command& options, BenchCommand& command) {
  const auto set = [&](const char* option, auto& value, const auto& text_default) {
    if (!options.given(option)) value = text_default;
  };
  set("--models", command.models, UsualModels(DataKind::kText));
  set("--lengths", command.lengths, std::vector<int>{35});
  set("--threads", command.threads, std::vector<int>{2});
  set("--batch", command.batch, 32);
  set("--hidden-units", command.hidden_units, 256);
  set("--seconds", command.seconds, 4.0);
}
struct Configuration {
  ModelSpec spec;
  int length = 0;
  std::size_t threads = 0;  // the index in --threads
  double pop_multiply_adds = 0;
  std::vector<double> steps = {};        // seconds
  std::vector<double> validations = {};  // seconds
};

struct Measurements {
  std::vector<Configuration> configurations;  // threads vary fastest
  std::vector<std::vector<double>> peaks;     // by the index in --threads, multiply-adds a second
};

std::vector<std::string> SplitList(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

Measurements MakeConfigurations(const BenchCommand& command) {
  Measurements result;
  result.peaks.resize(command.threads.size());
  for (const std::string& name : command.models) {
    ModelSpec spec;
    try {
      spec = ParseModelSpec(name, command.hidden_units, StepBenchmark::kSymbols);
    } catch (const Error& error) {
      throw UsageError("--models: " + MessageForUser(error));
    }
    for (int length : command.lengths) {
      for (std::size_t n = 0; n < command.threads.size(); ++n) {
        const int threads = command.threads[n];
        CheckMemory(
            StepBenchmark::EstimateBytes(spec, length, threads, command.batch),
            fmt::format("{} with strings of {} symbols in batches of {} on {} thread{}",
                        ModelName(spec), length, command.batch, threads, threads == 1 ? "" : "s"),
            "shorter --lengths, fewer --threads or a smaller --batch need less");
        result.configurations.push_back({.spec = spec, .length = length, .threads = n});
      }
    }
  }
  return result;
}

void MeasureConfiguration(const BenchCommand& command, double seconds,
                          Configuration& configuration) {
  // New in each round, so that only one needs memory and all rounds do the same work.
  StepBenchmark benchmark(configuration.spec, configuration.length,
                          command.threads[configuration.threads], command.batch);
  configuration.pop_multiply_adds = benchmark.PopMultiplyAdds();
  benchmark.Step();  // memory and caches that have not been touched
  ThrowIfInterrupted();
  MeasureFor(
      seconds, [&] { benchmark.Step(); }, configuration.steps);
  MeasureFor(
      seconds / 4, [&] { benchmark.Validate(); }, configuration.validations);
}

void MeasureAll(const BenchCommand& command, Measurements& measurements) {
  constexpr double kPeakSeconds = 0.05;
  const double seconds = command.seconds / kBenchRounds;
  const double total = kBenchRounds * static_cast<double>(measurements.configurations.size());
  double done = 0;
  Progress progress("measuring");
  for (int round = 0; round < kBenchRounds; ++round) {
    for (std::size_t n = 0; n < command.threads.size(); ++n) {
      const double peak = PeakMultiplyAdds(std::min(kPeakSeconds, seconds), command.threads[n]);
      measurements.peaks[n].push_back(peak);
    }
    for (Configuration& configuration : measurements.configurations) {
      progress.Update(done++ / total);
      MeasureConfiguration(command, seconds, configuration);
    }
  }
}

constexpr BenchColumn kColumns[] = {
    {"model", "model", 0, 0},
    {"length", "length", 0, 0},
    {"threads", "threads", 0, 0},
    {"step_ms", "step, ms", 3, 0},
    {"spread_percent", "spread, %", 1, 3},
    {"steps", "steps", 0, 7},
    {"speedup", "speed-up", 2, 2},
    {"validation_percent", "validation, %", 1, 6},
    {"giga_multiply_adds", "10^9 multiply-adds/s", 2, 5},
    {"peak_percent", "of peak, %", 1, 1},
    {"workspace_mb", "workspace, MB", 3, 4},
    {"workspace_per_share", "times the shares", 2, 8},
};

// A line of the output, with the fields of kColumns.
Json ResultJson(const BenchCommand& command, const Measurements& measurements, std::size_t index) {
  const Configuration& configuration = measurements.configurations[index];
  const Configuration& first = measurements.configurations[index - configuration.threads];
  const double step = Median(configuration.steps);
  const double workspace =
      StackRnn<float>::WorkspaceBytes(configuration.spec, configuration.length, true);
  Json result = {{"model", ModelName(configuration.spec)},
                 {"length", configuration.length},
                 {"threads", command.threads[configuration.threads]},
                 {"step_ms", 1000 * step},
                 {"spread_percent", SpreadPercent(configuration.steps)},
                 {"steps", configuration.steps.size()},
                 {"speedup", Median(first.steps) / step},
                 {"validation_percent", 100 * Median(configuration.validations) / step},
                 {"giga_multiply_adds", nullptr},
                 {"peak_percent", nullptr},
                 {"workspace_mb", workspace / kMega},
                 {"workspace_per_share", nullptr}};
  if (const NondeterministicStackSpec* stack = configuration.spec.nondeterministic()) {
    const double rate = configuration.pop_multiply_adds / step;
    const double pairs = stack->pairs();
    const double length = configuration.length;
    const double shares = pairs * pairs * length * (length + 1) / 2 * sizeof(float);
    result["giga_multiply_adds"] = rate / kGiga;
    result["peak_percent"] = 100 * rate / Median(measurements.peaks[configuration.threads]);
    result["workspace_per_share"] = workspace / shares;
  }
  return result;
}

std::vector<Json> ResultsJson(const BenchCommand& command, const Measurements& measurements) {
  std::vector<Json> results;
  for (std::size_t n = 0; n < measurements.configurations.size(); ++n) {
    results.push_back(ResultJson(command, measurements, n));
  }
  return results;
}

// What holds for all results, in lines.
std::vector<std::string> Circumstances(const BenchCommand& command,
                                       const Measurements& measurements) {
  std::vector<std::string> peaks;
  for (std::size_t n = 0; n < command.threads.size(); ++n) {
    peaks.push_back(fmt::format("{:.1f} on {} thread{}", Median(measurements.peaks[n]) / kGiga,
                                command.threads[n], command.threads[n] == 1 ? "" : "s"));
  }
  return {fmt::format("pushdown {} on {}, {}", kVersion, CpuName(), KernelsText()),
          fmt::format("training steps with batches of {} strings, {} hidden units, float",
                      command.batch, command.hidden_units),
          fmt::format("peak in 10^9 multiply-adds a second: {}", fmt::join(peaks, ", ")),
          fmt::format("peak memory of the process: {:.1f} MB", PeakResidentBytes() / kMega)};
}

std::string JsonLinesText(const BenchCommand& command, const Measurements& measurements,
                          const std::vector<Json>& results) {
  std::string text;
  for (std::size_t n = 0; n < results.size(); ++n) {
    const std::size_t threads = measurements.configurations[n].threads;
    Json line = results[n];
    line.update(Json{{"peak_giga_multiply_adds", Median(measurements.peaks[threads]) / kGiga},
                     {"peak_resident_mb", PeakResidentBytes() / kMega},
                     {"batch", command.batch},
                     {"hidden_units", command.hidden_units},
                     {"pushdown", kVersion},
                     {"cpu", CpuName()},
                     {"kernels", KernelsText()}});
    text += JsonLine(line);
  }
  return text;
}

void BenchStrings(const BenchCommand& command) {
  OutputFile out("-");
  Measurements measurements = MakeConfigurations(command);
  MeasureAll(command, measurements);
  const std::vector<Json> results = ResultsJson(command, measurements);
  const std::vector<std::string> circumstances = Circumstances(command, measurements);
  out.Write(command.format == "md"    ? MarkdownText(kColumns, circumstances, results)
            : command.format == "csv" ? CsvText(kColumns, circumstances, results)
                                      : JsonLinesText(command, measurements, results));
  out.Commit();
}

// --NAME N,N,...
void AddIntegersOption(Command command, const std::string& name, std::vector<int>& values,
                       const std::string& description, int min, int max) {
  command
      .AddOption(
          name,
          [&values, min, max](const std::string& text) {
            values.clear();
            for (const std::string& item : SplitList(text)) {
              values.push_back(static_cast<int>(ParseInteger(item, static_cast<std::uint64_t>(min),
                                                             static_cast<std::uint64_t>(max))));
            }
          },
          description)
      .TypeName("N,N,...")
      .Default(fmt::format("{}", fmt::join(values, ",")));
}

}  // namespace

void AddBenchCommand(Command program) {
  constexpr RealRange kSeconds = {.min = 0, .max = 3600, .max_included = true};
  const Command bench = program.AddCommand("bench", "Measure how long training steps take");
  bench.Footer(kFooter);
  auto command = std::make_shared<BenchCommand>(StringsDefaults());
  bench
      .AddOption(
          "--models", [command](const std::string& text) { command->models = SplitList(text); },
          "Models, by the names that train has")
      .TypeName("NAME,NAME,...")
      .Default(fmt::format("{}", fmt::join(command->models, ",")));
  AddIntegersOption(bench, "--lengths", command->lengths,
                    "Symbols of the strings, or steps of a chunk of text", kMinLength, kMaxLength);
  AddIntegersOption(bench, "--threads", command->threads, "Threads to compute with", 1,
                    ParallelModel::kMaxThreads);
  AddIntegerOption(bench, "--batch", command->batch, "Strings, or rows of text, of a step", 1,
                   kMaxBatch);
  AddIntegerOption(bench, "--hidden-units", command->hidden_units, "Units of the LSTM", 1,
                   kMaxHiddenUnits);
  AddRealOption(bench, "--seconds", command->seconds,
                "How long to measure steps of each model, length and number of threads", kSeconds);
  bench.AddOption("-o", command->format, "md, csv or jsonl")
      .TypeName("FORMAT")
      .OneOf({"md", "csv", "jsonl"})
      .Default(command->format);
  auto text = std::make_shared<bool>(false);
  bench.AddFlag("--lm", *text, "Running text instead of strings, with other defaults (below)");
  const Option vocabulary =
      AddIntegerOption(bench, "--vocabulary", command->vocabulary, "Words, with --lm", 1, 1 << 20);
  bench.Callback([bench, command, text, vocabulary] {
    CheckSimdTarget();
    if (*text) {
      UseTextDefaults(bench, *command);
      return BenchText(*command);
    }
    if (vocabulary.given()) throw UsageError("--vocabulary is for --lm");
    BenchStrings(*command);
  });
}

}  // namespace pushdown::cli
