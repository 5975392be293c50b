#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/analyze_commands.h"
#include "cli/counted.h"
#include "cli/drawing.h"
#include "cli/errors.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/scatter_chart.h"
#include "cli/simd_target.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "pushdown/analysis/figures.h"
#include "pushdown/analysis/vector_pca.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(

A point is the reading from which the model predicted a symbol: for the symbol w_p of a string, the
reading r_{p-2}, which came in with w_{p-1} (with --of hidden, the hidden state h_{p-1}). Points are
centred and not scaled. --positions chooses the symbols w_p:
  all            all but the first, before which nothing was read
  first-half     p = 1 .. ceil(n/2) of a string of n symbols, and second-half: the others
  until:SYMBOL   up to the first SYMBOL, and after:SYMBOL: the others
The default is second-half if the task is a copy or a reversal in two halves, after:# for other
languages with the symbol #, and all for the rest. The end of a string is never predicted.

Output: the variance along each component and its share, and how far apart the symbols are:
  nearest centroid  the share of points that are nearer to the mean of their symbol, without the
                    point itself, than to that of any other symbol
  silhouette        the mean of (b - a) / max(a, b), a being the mean distance of a point to others
                    of its symbol, b that to those of the nearest other symbol: 1 if symbols are far
                    apart, 0 if they are not apart; of 5000 points, evenly spaced, if there are more
Both in all dimensions and in the components only. Then a chart of the first two components, in
which each point has the mark of its symbol. Other formats:
  csv        string, position, symbol and components of each point
  json       all of it; docs/inside.md describes it
  vega-lite  a scatter plot, for vega.github.io/editor, Jupyter and others
  pgfplots   the same for LaTeX: \usepackage{pgfplots} and \input

Examples:
  pushdown analyze pca runs/reversal
  pushdown analyze pca runs/dyck --positions all --components 5 -o csv --out points.csv
  pushdown analyze pca runs/reversal -o pgfplots --out figure4.tex
  pushdown analyze pca runs/lstm --of hidden --file strings.txt

Exit code: 0, 1 if the model gives no finite numbers or the output cannot be written, 2 if MODEL,
strings or the command line is wrong.)";

struct PcaCommand : AnalyzeCommand {
  std::optional<int> components = {};
};

std::string PercentText(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "-";
}

std::string ComponentsTable(const PrincipalComponents& components) {
  std::vector<std::vector<std::string>> rows;
  double sum = 0;
  for (std::size_t k = 0; k < components.directions.size(); ++k) {
    sum += components.Share(k);
    rows.push_back({std::to_string(k + 1), fmt::format("{:.4g}", components.variances[k]),
                    PercentText(components.Share(k)), PercentText(sum)});
  }
  return TableText({{.heading = "component"},
                    {.heading = "variance"},
                    {.heading = "share"},
                    {.heading = "together", .rank = 1}},
                   rows);
}

std::string SeparabilityTable(const VectorPca& pca) {
  const auto row = [](const std::string& name, const Separability& separability) {
    return std::vector<std::string>{name, PercentText(*separability.nearest_centroid),
                                    fmt::format("{:.3f}", *separability.silhouette)};
  };
  const std::size_t dimensions = pca.names.size();
  return TableText(
      {{.heading = "", .left = true}, {.heading = "nearest centroid"}, {.heading = "silhouette"}},
      {row(fmt::format("in {}", Counted(dimensions, "dimension")), pca.in_all_dimensions),
       row(fmt::format("in {}", Counted(pca.components.directions.size(), "component")),
           pca.in_components)});
}

// The characters that stand for symbols in a chart: their names, if these are of one column each.
struct Marks {
  std::map<int, std::size_t> numbers = {};  // by symbol
  std::vector<std::string> texts = {};
  std::string key = {};  // which mark is which symbol, if that is not clear
};

Marks MarksOf(const TrainedModel& model, const VectorPca& pca) {
  constexpr std::string_view kCodes =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  Marks marks;
  for (const PredictionPoint& point : pca.points) marks.numbers.try_emplace(point.symbol, 0);
  std::vector<std::string> names;
  for (auto& [symbol, number] : marks.numbers) {
    number = names.size();
    names.push_back(Printable(model.vocabulary.name(symbol), 20));
  }
  if (std::all_of(names.begin(), names.end(),
                  [](const std::string& name) { return Columns(name) == 1; })) {
    marks.texts = names;
    return marks;
  }
  for (std::size_t n = 0; n < names.size(); ++n) {
    const bool has_code = n < kCodes.size();
    marks.texts.push_back(has_code ? std::string(1, kCodes[n]) : "*");
    if (!has_code || names[n] == marks.texts.back()) continue;
    marks.key += fmt::format("{}{} is {}", marks.key.empty() ? "" : ", ", kCodes[n], names[n]);
  }
  if (names.size() > kCodes.size()) {
    marks.key += fmt::format(", * are {} more", names.size() - kCodes.size());
  }
  return marks;
}

// What a chart takes for each point: a list of them that grows.
constexpr double kChartBytes = 3 * sizeof(ScatterPoint);

std::string ChartText(const TrainedModel& model, const VectorPca& pca, std::size_t width) {
  constexpr std::size_t kRows = 20;
  constexpr std::size_t kMostColumns = 72;
  const Marks marks = MarksOf(model, pca);
  std::vector<ScatterPoint> points;
  for (std::size_t n = 0; n < pca.points.size(); ++n) {
    const std::span<const double> projected = pca.components.projected[n];
    points.push_back({.x = projected[0],
                      .y = projected.size() > 1 ? projected[1] : 0,
                      .mark = marks.numbers.at(pca.points[n].symbol)});
  }
  const std::size_t columns = std::clamp<std::size_t>(width, 12, kMostColumns + 2) - 2;
  std::string text = pca.components.directions.size() > 1
                         ? "Component 1 from left to right, component 2 upwards:\n"
                         : "Component 1 from left to right:\n";
  text +=
      ScatterChart(points, marks.texts, columns, pca.components.directions.size() > 1 ? kRows : 3);
  if (!marks.key.empty()) text += Wrapped("Marks: " + marks.key + ".", width) + "\n";
  return text;
}

std::string PcaText(const PcaCommand& command, const TrainedModel& model, const VectorPca& pca) {
  const std::size_t width = DrawingWidth(kWidestFigure);
  const char* vector = pca.of == VectorKind::kReadings ? "reading" : "hidden state";
  std::string text;
  const auto add = [&](const char* heading, const std::string& value) {
    constexpr std::size_t kIndent = 11;
    text += Wrapped(fmt::format("{:<{}}{}", heading, kIndent, value), width, kIndent) + "\n";
  };
  add("model", fmt::format("{}, {} hidden units", ModelName(model.spec), model.spec.hidden_units));
  add("strings", StringsText(command, model, pca.strings));
  add("positions", Printable(PositionRuleText(pca.positions, model.vocabulary), 200));
  add("points", fmt::format("{}: the {} before each symbol, in {}", pca.points.size(), vector,
                            Counted(pca.names.size(), "dimension")));
  text += "\n";
  text += ComponentsTable(pca.components);
  const Separability& separability = pca.in_all_dimensions;
  if (pca.components.TotalVariance() == 0) {
    text += "All points are the same, so that components mean nothing.\n";
  }
  text += "\n";
  if (separability.labels == 1) {
    text += fmt::format("There is nothing to tell apart: all points are of the symbol {}.\n",
                        Printable(model.vocabulary.name(pca.points.front().symbol), 60));
  } else {
    text += Wrapped(fmt::format("How far apart the {} symbols are; the most frequent one has {} of "
                                "the points:",
                                separability.labels, PercentText(separability.majority)),
                    width) +
            "\n" + SeparabilityTable(pca);
    if (separability.silhouette_points < pca.points.size()) {
      text += fmt::format("The silhouette is that of {} points.\n", separability.silhouette_points);
    }
  }
  return text + "\n" + ChartText(model, pca, width);
}

void AnalyzePca(const PcaCommand& command) {
  CheckSimdTarget();
  OutputFile out(command.out);  // first of all, so that nothing is computed in vain
  const TrainedModel model = OpenAnalyzed(command);
  const std::size_t dimensions = VectorNames(model.spec, command.kind()).size();
  if (command.components && static_cast<std::size_t>(*command.components) > dimensions) {
    throw UsageError(fmt::format("--components: the {} of {} have {}", command.of,
                                 ModelName(model.spec), Counted(dimensions, "dimension")));
  }
  const std::optional<PositionRule> positions = PositionsFor(command, model);
  const std::vector<std::vector<int>> strings = StringsFor(command, model, StringSampling().count);
  const int components = command.components.value_or(2);
  const double output_bytes = command.format == "text"
                                  ? kChartBytes
                                  : PcaFigureBytes(ParseFigureFormat(command.format), components);
  const VectorPca pca = AnalyzeVectors(model, strings,
                                       {.of = command.kind(),
                                        .positions = positions,
                                        .components = components,
                                        .output_bytes = output_bytes},
                                       StageBar());
  out.Write(command.format == "text" ? PcaText(command, model, pca)
                                     : PcaFigure(model, pca, ParseFigureFormat(command.format)));
  out.Commit();
}

}  // namespace

void AddAnalyzePcaCommand(Command analyze) {
  const Command pca =
      analyze.AddCommand("pca", "Principal components of readings: are symbols apart?");
  pca.Footer(std::string(kAnalyzedStringsHelp) + kFooter);
  auto command = std::make_shared<PcaCommand>();
  AddAnalyzeOptions(pca, *command, std::to_string(StringSampling().count));
  pca.AddOption("--positions", command->positions, "Which symbols (default: see below)")
      .TypeName("RULE");
  AddInteger(
      pca, "--components",
      [command](std::uint64_t value) { command->components = static_cast<int>(value); },
      "Number of components (default: 2)", 1, kMaxHiddenUnits);
  pca.Callback([command] {
    ChooseFormat(*command);
    AnalyzePca(*command);
  });
}

}  // namespace pushdown::cli
