// Formal languages, on one thread: the data sets of the experiments with exact log-probabilities,
// tables for long strings, and the chart parser.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "pushdown/data/formal_dataset.h"
#include "pushdown/formal/chart_parser.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/inside_weights.h"
#include "pushdown/formal/languages.h"

namespace pushdown {
namespace {

// The paper's splits, from the grammar to the lower bounds.
void Splits(benchmark::State& state, const std::string& task, int symbols) {
  const LanguageInfo& info = FindLanguage(task);
  const FormalDatasetOptions options;
  std::size_t strings = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto language = MakeLanguage(info, {.symbols = symbols}, options.test_lengths.max);
    const FormalDataset dataset = MakeFormalDataset(*language, options);
    strings = dataset.training.strings.size() + dataset.validation.strings.size() +
              dataset.test.strings.size();
  }
  state.counters["strings"] = static_cast<double>(strings);
}

void Inside(benchmark::State& state, const std::string& task, int symbols, int length) {
  const NormalGrammar grammar(LanguageGrammar(FindLanguage(task), {.symbols = symbols}));
  for ([[maybe_unused]] auto _ : state) {
    const InsideWeights inside(grammar, length);
    benchmark::DoNotOptimize(inside.OfLength(length));
  }
}

// The same string, of one bracket type, whatever types the language has besides.
void ParseDyck(benchmark::State& state, int symbols) {
  const int length = 100;
  const auto one_type = MakeLanguage(FindLanguage("dyck"), {.symbols = 1}, length);
  Random random(1);
  const std::vector<int> string = one_type->Sample(length, random);
  const NormalGrammar grammar(LanguageGrammar(FindLanguage("dyck"), {.symbols = symbols}));
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(StringWeight(grammar, string));
}

// A chart with every cell filled from every split.
void ParseAmbiguous(benchmark::State& state, int length) {
  const NormalGrammar grammar(ParseGrammar("S -> S S [0.4] | a").grammar);
  const std::vector<int> string(static_cast<std::size_t>(length), 0);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(StringWeight(grammar, string));
}

void RegisterAll() {
  for (const LanguageInfo& info : KnownLanguages()) {
    for (int symbols : {2, 200}) {
      if (info.default_symbols == 0 && symbols > 2) continue;
      const int chosen = info.default_symbols == 0 ? 0 : symbols;
      const std::string name = "splits/" + info.name + "/k" + std::to_string(chosen);
      benchmark::RegisterBenchmark(name.c_str(), [&info, chosen](benchmark::State& s) {
        Splits(s, info.name, chosen);
      })->Unit(benchmark::kMillisecond);
    }
  }
  for (const auto& [task, symbols] : {std::pair("dyck", 200), std::pair("hardest-cfl", 0)}) {
    const std::string name = std::string("inside/") + task + "/n500";
    benchmark::RegisterBenchmark(name.c_str(), [task = std::string(task),
                                                symbols = symbols](benchmark::State& s) {
      Inside(s, task, symbols, 500);
    })->Unit(benchmark::kMillisecond);
  }
  for (int symbols : {1, 20, 200, 2000}) {
    const std::string name = "parse/dyck/n100/k" + std::to_string(symbols);
    benchmark::RegisterBenchmark(name.c_str(), [symbols](benchmark::State& s) {
      ParseDyck(s, symbols);
    })->Unit(benchmark::kMicrosecond);
  }
  benchmark::RegisterBenchmark("parse/ambiguous/n100", [](benchmark::State& s) {
    ParseAmbiguous(s, 100);
  })->Unit(benchmark::kMicrosecond);
}

}  // namespace
}  // namespace pushdown

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  pushdown::RegisterAll();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
