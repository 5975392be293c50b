#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/analyze_commands.h"
#include "cli/counted.h"
#include "cli/drawing.h"
#include "cli/errors.h"
#include "cli/heatmap.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "pushdown/analysis/figures.h"
#include "pushdown/analysis/transition_averages.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(

Output: for each string a heatmap, with a row for each symbol w_t and the reading r_{t-1} that came
in with it (with --of hidden, the hidden state h_t). The columns are the numbers of the reading:
  rns   the probability of each state with each symbol on top of the stack; q0 is the initial state,
        ⊥ the bottom symbol, and other stack symbols are 0, 1, ...
  vrns  the same with vectors: "q0 ⊥ [2]" is the second number of the vector of q0 and ⊥
  sup   the numbers of the top element of each stack
Shades go from 0 (blank) to 1 (black), or from -1 if there are negative numbers.

With --transitions, what the stack does after reading a symbol, on average over all places where it
was read, except at the end of a string: for rns and vrns, the probability of each transition of the
automaton among all of its runs up to then, those of at least --threshold in words; for sup, the
weights of push, no-op and pop. --positions chooses the symbols that count: all, first-half (up to
the middle), second-half, until:SYMBOL (up to the first SYMBOL) or after:SYMBOL. By default, both
halves if the task is a copy or a reversal, until:# and after:# for other languages with the symbol
#, and all for the rest.

Other formats:
  csv        a row for each symbol, or for each transition
  json       all of it; docs/inside.md describes it
  vega-lite  a heatmap, for vega.github.io/editor, Jupyter and others; not with --transitions
  pgfplots   the same for LaTeX: \usepackage{pgfplots} and \input

Examples:
  pushdown analyze readings runs/reversal
  pushdown analyze readings runs/reversal "0 1 1 # 1 1 0" "0 0 # 0 0"
  pushdown analyze readings runs/reversal --file strings.txt -o pgfplots --out figure9.tex
  pushdown analyze readings runs/reversal --transitions --threshold 0.01
  pushdown analyze readings runs/dyck --transitions --count 1000 -o csv

Exit code: 0, 1 if the model gives no finite numbers or the output cannot be written, 2 if MODEL,
strings or the command line is wrong.)";

constexpr int kTransitionStrings = 100;

struct ReadingsCommand : AnalyzeCommand {
  bool transitions = false;
  double threshold = 0.05;
};

// --- Readings by time.

// What a heatmap takes for each symbol: its row, and lines of text that grow.
double HeatmapBytes(int vector_size) {
  // A full line has 100 characters of 3 bytes; a number takes about 10 of them if there is room.
  const double line_bytes = std::min(300.0, 60 + 30.0 * vector_size);
  return sizeof(HeatmapRow) + 100 + static_cast<double>(sizeof(float)) * vector_size +
         3 * line_bytes;
}

std::string SeriesText(const TrainedModel& model, VectorKind of,
                       const std::vector<VectorSeries>& all) {
  constexpr std::size_t kSymbolColumns = 16;
  const std::size_t width = DrawingWidth(kWidestFigure);
  const ShadeRange shades = ShadesOf(all);
  std::string text = fmt::format("{} of {}, from {:g} (blank) to {:g} (█)\n",
                                 of == VectorKind::kReadings ? "Readings" : "Hidden states",
                                 ModelName(model.spec), shades.low, shades.high);
  for (const VectorSeries& series : all) {
    text += "\n";
    if (all.size() > 1) {
      text += Shortened(Printable(model.Decode(series.symbols), 1000), width) + "\n";
    }
    if (series.symbols.empty()) {
      text += "The empty string has no readings.\n";
      continue;
    }
    const std::size_t digits = std::to_string(series.symbols.size()).size();
    std::vector<HeatmapRow> rows;
    for (std::size_t t = 0; t < series.symbols.size(); ++t) {
      const std::string name = Printable(model.vocabulary.name(series.symbols[t]));
      rows.push_back({fmt::format("{:>{}} {}", t + 1, digits, Shortened(name, kSymbolColumns)),
                      series.vectors[t]});
    }
    text += Heatmap(VectorNames(model.spec, of), rows, shades.low, shades.high, width);
  }
  return text;
}

void PrintReadings(const ReadingsCommand& command) {
  OutputFile out(command.out);
  const TrainedModel model = OpenAnalyzed(command);
  const std::vector<std::vector<int>> strings = StringsFor(command, model, 1);
  const double output_bytes = command.format == "text"
                                  ? HeatmapBytes(VectorSize(model.spec, command.kind()))
                                  : SeriesFigureBytes(ParseFigureFormat(command.format),
                                                      VectorSize(model.spec, command.kind()));
  const std::vector<VectorSeries> series =
      ReadVectors(model, strings, command.kind(), StageBar(), output_bytes);
  out.Write(command.format == "text"
                ? SeriesText(model, command.kind(), series)
                : SeriesFigure(model, command.kind(), series, ParseFigureFormat(command.format)));
  out.Commit();
}

// --- Transitions by symbol.

std::string SuperpositionText(const TrainedModel& model, const TransitionAverages& part) {
  std::vector<std::vector<std::string>> rows;
  for (const TransitionAverages::Symbol& symbol : part.symbols) {
    for (std::size_t n = 0; n + 2 < symbol.average.size(); n += 3) {
      rows.push_back({n == 0 ? Printable(model.vocabulary.name(symbol.symbol)) : "",
                      n == 0 ? std::to_string(symbol.count) : "", std::to_string(n / 3 + 1),
                      fmt::format("{:.3f}", symbol.average[n]),
                      fmt::format("{:.3f}", symbol.average[n + 1]),
                      fmt::format("{:.3f}", symbol.average[n + 2])});
    }
  }
  return TableText({{.heading = "symbol", .left = true},
                    {.heading = "times"},
                    {.heading = "stack"},
                    {.heading = "push"},
                    {.heading = "no-op"},
                    {.heading = "pop"}},
                   rows);
}

std::string AutomatonText(const TrainedModel& model, const NondeterministicStackSpec& stack,
                          const TransitionAverages& part, double threshold) {
  std::string text;
  for (const TransitionAverages::Symbol& symbol : part.symbols) {
    const OperationShares operations = OperationsOf(stack, symbol);
    text +=
        fmt::format("on {}, {}: push {:.2f}, replace {:.2f}, pop {:.2f}\n",
                    Printable(model.vocabulary.name(symbol.symbol)), Counted(symbol.count, "time"),
                    operations.push, operations.replace, operations.pop);
    double listed = 0;
    const std::vector<std::size_t> places = LargestTransitions(symbol, threshold);
    for (const std::size_t place : places) {
      listed += symbol.average[place];
      text += fmt::format("  {:.3f}  {}\n", symbol.average[place],
                          TransitionText(TransitionAt(stack, place)));
    }
    const std::size_t others = symbol.average.size() - places.size();
    if (others > 0) {
      text += fmt::format("  {:.3f}  {}\n", std::max(1 - listed, 0.0), Counted(others, "other"));
    }
  }
  return text;
}

std::string TransitionsText(const ReadingsCommand& command, const TrainedModel& model,
                            std::size_t strings, const std::vector<TransitionAverages>& parts) {
  const NondeterministicStackSpec* stack = model.spec.nondeterministic();
  const std::size_t width = DrawingWidth(kWidestFigure);
  std::string text =
      Wrapped(fmt::format("What the stack of {} does after reading a symbol, in {}.",
                          ModelName(model.spec), StringsText(command, model, strings)),
              width) +
      "\n";
  for (const TransitionAverages& part : parts) {
    text += fmt::format("\nAt the positions {}:\n",
                        Printable(PositionRuleText(part.positions, model.vocabulary)));
    if (part.symbols.empty()) {
      text += "No symbol was read there.\n";
    } else {
      text += stack == nullptr ? SuperpositionText(model, part)
                               : AutomatonText(model, *stack, part, command.threshold);
    }
  }
  return text;
}

void PrintTransitions(const ReadingsCommand& command) {
  OutputFile out(command.out);
  const TrainedModel model = OpenModel(command.model, PrintWarning);
  if (!model.spec.stack) {
    throw UsageError(fmt::format("{} is an LSTM without a stack, and has no transitions",
                                 Printable(command.model, 200)));
  }
  const std::optional<PositionRule> given = PositionsFor(command, model);
  const std::vector<std::vector<int>> strings = StringsFor(command, model, kTransitionStrings);
  const PositionRule rule = given.value_or(DefaultPositionRule(model));
  std::vector<PositionRule> rules = {rule};
  if (!given && OtherPositions(rule) != rule) rules.insert(rules.begin(), OtherPositions(rule));
  constexpr double kLineBytes = 200;
  const double output_bytes =
      command.format == "text" ? kLineBytes * (1 + MostTransitions(model.spec, command.threshold))
                               : TransitionsFigureBytes(model.spec, command.threshold,
                                                        ParseFigureFormat(command.format));
  const std::vector<TransitionAverages> parts =
      AverageTransitions(model, strings, rules, StageBar(), output_bytes);
  out.Write(command.format == "text" ? TransitionsText(command, model, strings.size(), parts)
                                     : TransitionsFigure(model, parts, command.threshold,
                                                         ParseFigureFormat(command.format)));
  out.Commit();
}

void AnalyzeReadings(const ReadingsCommand& command) {
  CheckSimdTarget();
  if (!command.transitions) return PrintReadings(command);
  if (command.kind() == VectorKind::kHidden) {
    throw UsageError("--transitions are those of the stack, and --of hidden has none");
  }
  if (command.format == "vega-lite" || command.format == "pgfplots") {
    throw UsageError("--transitions have no figure; -o must be text, csv or json");
  }
  PrintTransitions(command);
}

}  // namespace

void AddAnalyzeReadingsCommand(Command analyze) {
  const Command readings =
      analyze.AddCommand("readings", "Readings by time, and what the automaton does on a symbol");
  readings.Footer(std::string(kAnalyzedStringsHelp) + kFooter);
  auto command = std::make_shared<ReadingsCommand>();
  AddAnalyzeOptions(readings, *command,
                    fmt::format("1, or {} with --transitions", kTransitionStrings));
  readings.AddFlag("--transitions", command->transitions,
                   "What the stack does after each symbol, on average");
  const Option positions =
      readings
          .AddOption("--positions", command->positions,
                     "Which symbols count for --transitions (default: see below)")
          .TypeName("RULE");
  const Option threshold =
      AddRealOption(readings, "--threshold", command->threshold,
                    "List transitions of at least this probability", {0, 1, true, true});
  readings.Callback([command, positions, threshold] {
    if (!command->transitions && (positions.given() || threshold.given())) {
      throw UsageError("--positions and --threshold are for --transitions");
    }
    ChooseFormat(*command);
    AnalyzeReadings(*command);
  });
}

}  // namespace pushdown::cli
