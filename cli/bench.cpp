#include "cli/bench.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/errors.h"
#include "cli/interrupt.h"
#include "cli/json_output.h"
#include "cli/machine.h"
#include "cli/memory.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/run_directory.h"
#include "cli/simd_target.h"
#include "pushdown/kernels/peak.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/stack_rnn.h"
#include "pushdown/output_file.h"
#include "pushdown/train/parallel_model.h"
#include "pushdown/train/step_benchmark.h"

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
Models without a nondeterministic stack have no pop terms and no shares: - in md, nothing in csv,
null in jsonl. What holds for all lines, such as the CPU, is above the table in md, in lines that
begin with # in csv, and in each line of jsonl (batch, hidden_units, pushdown, cpu, kernels,
peak_giga_multiply_adds for as many threads, peak_resident_mb of the whole process).

Examples:
  pushdown bench
  pushdown bench --models rns-3-3,vrns-2-3-3 --lengths 80 --seconds 5
  pushdown bench --models rns-3-3 --lengths 40,60,80,100,150,200 --threads 1 -o csv
  PUSHDOWN_SIMD=avx2 pushdown bench --threads 1 -o jsonl

Exit code: 0, 1 if the output cannot be written, 2 if the command line is wrong.)";

constexpr int kRounds = 8;
constexpr int kMinLength = 2;  // with one symbol, the stack takes no step
constexpr int kMaxLength = 10000;
constexpr int kMaxBatch = 1 << 20;
constexpr double kMega = 1e6;
constexpr double kGiga = 1e9;

using Clock = std::chrono::steady_clock;

struct BenchCommand {
  std::vector<std::string> models = {"lstm",       "sup-10",     "sup-3-3-3",  "sup-h",
                                     "rns-1-3",    "rns-2-3",    "rns-3-3",    "vrns-1-1-3",
                                     "vrns-2-1-3", "vrns-2-3-3", "vrns-2-3-64"};
  std::vector<int> lengths = {40, 60, 80};
  std::vector<int> threads = {1, 2};
  int batch = 10;
  int hidden_units = 20;
  double seconds = 0.5;
  std::string format = "md";
};

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

// Of values in any order, interpolated.
double Quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  const double place = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double Median(const std::vector<double>& values) { return Quantile(values, 0.5); }

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

// Works for so many seconds, at least once, and adds how long it took each time.
void Measure(double seconds, const std::function<void()>& work, std::vector<double>& times) {
  const Clock::time_point start = Clock::now();
  Clock::time_point now = start;
  do {
    const Clock::time_point before = now;
    work();
    now = Clock::now();
    times.push_back(std::chrono::duration<double>(now - before).count());
    ThrowIfInterrupted();
  } while (std::chrono::duration<double>(now - start).count() < seconds);
}

void MeasureConfiguration(const BenchCommand& command, double seconds,
                          Configuration& configuration) {
  // New in each round, so that only one needs memory and all rounds do the same work.
  StepBenchmark benchmark(configuration.spec, configuration.length,
                          command.threads[configuration.threads], command.batch);
  configuration.pop_multiply_adds = benchmark.PopMultiplyAdds();
  benchmark.Step();  // memory and caches that have not been touched
  ThrowIfInterrupted();
  Measure(
      seconds, [&] { benchmark.Step(); }, configuration.steps);
  Measure(
      seconds / 4, [&] { benchmark.Validate(); }, configuration.validations);
}

void MeasureAll(const BenchCommand& command, Measurements& measurements) {
  constexpr double kPeakSeconds = 0.05;
  const double seconds = command.seconds / kRounds;
  const double total = kRounds * static_cast<double>(measurements.configurations.size());
  double done = 0;
  Progress progress("measuring");
  for (int round = 0; round < kRounds; ++round) {
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

double PeakResidentBytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * static_cast<double>(usage.ru_maxrss);
}

struct Column {
  const char* key;
  const char* heading;  // in md
  int decimals;         // in md
};

constexpr Column kColumns[] = {
    {"model", "model", 0},
    {"length", "length", 0},
    {"threads", "threads", 0},
    {"step_ms", "step, ms", 3},
    {"spread_percent", "spread, %", 1},
    {"steps", "steps", 0},
    {"speedup", "speed-up", 2},
    {"validation_percent", "validation, %", 1},
    {"giga_multiply_adds", "10^9 multiply-adds/s", 2},
    {"peak_percent", "of the peak, %", 1},
    {"workspace_mb", "workspace, MB", 3},
    {"workspace_per_share", "times the shares", 2},
};

// A line of the output, with the fields of kColumns.
Json ResultJson(const BenchCommand& command, const Measurements& measurements, std::size_t index) {
  const Configuration& configuration = measurements.configurations[index];
  const Configuration& first = measurements.configurations[index - configuration.threads];
  const double step = Median(configuration.steps);
  const double spread = Quantile(configuration.steps, 0.75) - Quantile(configuration.steps, 0.25);
  const double workspace =
      StackRnn<float>::WorkspaceBytes(configuration.spec, configuration.length, true);
  Json result = {{"model", ModelName(configuration.spec)},
                 {"length", configuration.length},
                 {"threads", command.threads[configuration.threads]},
                 {"step_ms", 1000 * step},
                 {"spread_percent", 100 * spread / step},
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
  return {fmt::format("pushdown {} on {}, {}", PUSHDOWN_VERSION, CpuName(), KernelsText()),
          fmt::format("training steps with batches of {} strings, {} hidden units, float",
                      command.batch, command.hidden_units),
          fmt::format("peak in 10^9 multiply-adds a second: {}", fmt::join(peaks, ", ")),
          fmt::format("peak memory of the process: {:.1f} MB", PeakResidentBytes() / kMega)};
}

std::string MarkdownText(const std::vector<std::string>& circumstances,
                         const std::vector<Json>& results) {
  std::string text;
  for (const std::string& line : circumstances) text += line + "  \n";  // keeps the end of the line
  text += "\n";
  constexpr std::size_t kCount = std::size(kColumns);
  std::vector<std::vector<std::string>> rows(1 + results.size());
  std::vector<std::size_t> widths;
  for (const Column& column : kColumns) {
    rows[0].emplace_back(column.heading);
    for (std::size_t n = 0; n < results.size(); ++n) {
      const Json& value = results[n][column.key];
      rows[n + 1].push_back(value.is_null() ? "-"
                            : value.is_string()
                                ? value.get<std::string>()
                                : fmt::format("{:.{}f}", value.get<double>(), column.decimals));
    }
    std::size_t width = 0;
    for (const auto& row : rows) width = std::max(width, row.back().size());
    widths.push_back(width);
  }
  for (std::size_t n = 0; n < rows.size(); ++n) {
    text += fmt::format("| {:<{}} |", rows[n][0], widths[0]);
    for (std::size_t c = 1; c < kCount; ++c)
      text += fmt::format(" {:>{}} |", rows[n][c], widths[c]);
    text += "\n";
    if (n > 0) continue;
    text += fmt::format("|{:-<{}}|", "", widths[0] + 2);
    for (std::size_t c = 1; c < kCount; ++c) text += fmt::format("{:->{}}:|", "", widths[c] + 1);
    text += "\n";
  }
  return text;
}

std::string CsvText(const std::vector<std::string>& circumstances,
                    const std::vector<Json>& results) {
  std::string text;
  for (const std::string& line : circumstances) text += "# " + line + "\n";
  std::vector<std::string> cells;
  for (const Column& column : kColumns) cells.emplace_back(column.key);
  text += fmt::format("{}\n", fmt::join(cells, ","));
  for (const Json& result : results) {
    cells.clear();
    for (const Column& column : kColumns) {
      const Json& value = result[column.key];
      cells.push_back(value.is_null()     ? ""
                      : value.is_string() ? value.get<std::string>()
                                          : value.dump());
    }
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
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
                     {"pushdown", PUSHDOWN_VERSION},
                     {"cpu", CpuName()},
                     {"kernels", KernelsText()}});
    text += JsonLine(line);
  }
  return text;
}

void Bench(const BenchCommand& command) {
  CheckSimdTarget();
  OutputFile out("-");
  Measurements measurements = MakeConfigurations(command);
  MeasureAll(command, measurements);
  const std::vector<Json> results = ResultsJson(command, measurements);
  const std::vector<std::string> circumstances = Circumstances(command, measurements);
  out.Write(command.format == "md"    ? MarkdownText(circumstances, results)
            : command.format == "csv" ? CsvText(circumstances, results)
                                      : JsonLinesText(command, measurements, results));
  out.Commit();
}

// --NAME N,N,...
void AddIntegersOption(CLI::App& command, const std::string& name, std::vector<int>& values,
                       const std::string& description, int min, int max) {
  command
      .add_option_function<std::string>(
          name,
          [name, &values, min, max](const std::string& text) {
            values.clear();
            for (const std::string& item : SplitList(text)) {
              values.push_back(static_cast<int>(ParseInteger(
                  name, item, static_cast<std::uint64_t>(min), static_cast<std::uint64_t>(max))));
            }
          },
          description)
      ->type_name("N,N,...")
      ->default_str(fmt::format("{}", fmt::join(values, ",")));
}

}  // namespace

void AddBenchCommand(CLI::App& program) {
  constexpr RealRange kSeconds = {.min = 0, .max = 3600, .max_included = true};
  CLI::App* bench = program.add_subcommand("bench", "Measure how long training steps take");
  bench->footer(kFooter);
  auto command = std::make_shared<BenchCommand>();
  bench
      ->add_option_function<std::string>(
          "--models", [command](const std::string& text) { command->models = SplitList(text); },
          "Models, by the names that train has")
      ->type_name("NAME,NAME,...")
      ->default_str(fmt::format("{}", fmt::join(command->models, ",")));
  AddIntegersOption(*bench, "--lengths", command->lengths, "Symbols of the strings", kMinLength,
                    kMaxLength);
  AddIntegersOption(*bench, "--threads", command->threads, "Threads to compute with", 1,
                    ParallelModel::kMaxThreads);
  AddIntegerOption(*bench, "--batch", command->batch, "Strings of a step", 1, kMaxBatch);
  AddIntegerOption(*bench, "--hidden-units", command->hidden_units, "Units of the LSTM", 1,
                   kMaxHiddenUnits);
  AddRealOption(*bench, "--seconds", command->seconds,
                "How long to measure steps of each model, length and number of threads", kSeconds);
  bench->add_option("-o", command->format, "md, csv or jsonl")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"md", "csv", "jsonl"}))
      ->capture_default_str();
  bench->callback([command] { Bench(*command); });
}

}  // namespace pushdown::cli
