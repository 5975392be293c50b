#include "pushdown/analysis/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pushdown/analysis/figure_parts.h"
#include "pushdown/escaped_text.h"
#include "pushdown/json.h"

namespace pushdown {
namespace {

// A list of labels for PGFPlots, each in braces because it may have commas.
std::string LatexLabels(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format("{}{{{}}}", text.empty() ? "" : ",", LatexName(name));
  }
  return text;
}

std::vector<std::string> SymbolNames(const TrainedModel& model, std::span<const int> symbols) {
  std::vector<std::string> names;
  for (const int symbol : symbols) names.push_back(model.vocabulary.name(symbol));
  return names;
}

Json SeriesJson(const TrainedModel& model, VectorKind of, std::span<const VectorSeries> series) {
  Json strings = Json::array();
  for (const VectorSeries& each : series) {
    strings.push_back({{"symbols", SymbolNames(model, each.symbols)}, {"vectors", each.vectors}});
  }
  return {{"model", FigureModelJson(model)},
          {"of", VectorKindName(of)},
          {"names", VectorNames(model.spec, of)},
          {"strings", std::move(strings)}};
}

// Calls row(string, t, symbol, vector) for each row of each string, both counted from 1.
template <typename Row>
void ForEachRow(const TrainedModel& model, std::span<const VectorSeries> series, const Row& row) {
  for (std::size_t n = 0; n < series.size(); ++n) {
    for (std::size_t t = 0; t < series[n].symbols.size(); ++t) {
      row(n + 1, t + 1, model.vocabulary.name(series[n].symbols[t]), series[n].vectors[t]);
    }
  }
}

std::string SeriesCsv(const TrainedModel& model, VectorKind of,
                      std::span<const VectorSeries> series) {
  std::string text = "string,t,symbol";
  for (const std::string& name : VectorNames(model.spec, of)) text += "," + CsvField(name);
  text += "\n";
  ForEachRow(model, series,
             [&](std::size_t string, std::size_t t, const std::string& symbol,
                 const std::vector<float>& vector) {
               text += fmt::format("{},{},{}", string, t, CsvField(symbol));
               for (const float x : vector) text += fmt::format(",{}", x);
               text += "\n";
             });
  return text;
}

Json SeriesVegaLite(const TrainedModel& model, VectorKind of,
                    std::span<const VectorSeries> series) {
  const std::vector<std::string> names = VectorNames(model.spec, of);
  Json values = Json::array();
  ForEachRow(model, series,
             [&](std::size_t string, std::size_t t, const std::string& symbol,
                 const std::vector<float>& vector) {
               for (std::size_t n = 0; n < vector.size(); ++n) {
                 values.push_back({{"string", string},
                                   {"t", t},
                                   {"symbol", symbol},
                                   {"element", names[n]},
                                   {"value", vector[n]}});
               }
             });
  const ShadeRange shades = ShadesOf(series);
  // A row is labelled with its symbol, which does not identify it.
  std::string labels;
  if (series.size() == 1) {
    labels = Json(SymbolNames(model, series[0].symbols)).dump() + "[datum.value - 1]";
  }
  Json row_axis = {{"labelOverlap", true}, {"ticks", false}};
  if (!labels.empty()) row_axis["labelExpr"] = labels;
  Json cell = {
      {"mark", "rect"},
      {"encoding",
       {{"x", {{"field", "element"}, {"type", "nominal"}, {"sort", names}, {"title", "element"}}},
        {"y",
         {{"field", "t"},
          {"type", "ordinal"},
          {"title", labels.empty() ? "step" : "input symbol"},
          {"axis", std::move(row_axis)}}},
        {"color",
         {{"field", "value"},
          {"type", "quantitative"},
          {"scale", {{"scheme", "greys"}, {"domain", {shades.low, shades.high}}}}}},
        {"tooltip",
         {{{"field", "t"}, {"type", "ordinal"}},
          {{"field", "symbol"}, {"type", "nominal"}},
          {{"field", "element"}, {"type", "nominal"}},
          {{"field", "value"}, {"type", "quantitative"}}}}}}};
  Json spec = {{"$schema", kVegaLiteSchema},
               {"description",
                fmt::format("The {} of {} by time", VectorKindName(of), ModelName(model.spec))},
               {"data", {{"values", std::move(values)}}}};
  if (series.size() == 1) {
    spec.update(cell);
  } else {
    spec["facet"] = {{"column", {{"field", "string"}, {"type", "ordinal"}}}};
    spec["spec"] = std::move(cell);
    spec["resolve"] = {{"scale", {{"y", "independent"}}}};
  }
  return spec;
}

std::string SeriesPgfPlots(const TrainedModel& model, VectorKind of,
                           std::span<const VectorSeries> series) {
  const std::vector<std::string> names = VectorNames(model.spec, of);
  const ShadeRange shades = ShadesOf(series);
  std::string text =
      fmt::format("% The {} of {} by time; black is {:g}, white is {:g}.\n", VectorKindName(of),
                  ModelName(model.spec), shades.high, shades.low);
  for (const VectorSeries& each : series) {
    const std::size_t rows = each.symbols.size();
    if (rows == 0) continue;
    text += fmt::format(
        "\\begin{{tikzpicture}}\n"
        "\\begin{{axis}}[\n"
        "  width=1.5in, height={:.1f}in, scale only axis,\n"
        "  enlargelimits=false, y dir=reverse, tick align=outside, tick pos=left,\n"
        "  xmin=-0.5, xmax={}.5, ymin=0.5, ymax={}.5,\n"
        "  xlabel={{Element}}, ylabel={{Input symbol}},\n"
        "  xtick={{0,...,{}}}, xticklabels={{{}}},\n"
        "  ytick={{1,...,{}}}, yticklabels={{{}}},\n"
        "  xticklabel style={{font=\\scriptsize, rotate=45, anchor=east}},\n"
        "  yticklabel style={{font=\\scriptsize}},\n"
        "  point meta min={:g}, point meta max={:g},\n"
        "  colormap={{shades}}{{gray(0cm)=(1); gray(1cm)=(0)}}]\n"
        "\\addplot[matrix plot*, mesh/cols={}, point meta=explicit] table[meta=value] {{\n"
        "x y value\n",
        std::clamp(0.1 * static_cast<double>(rows), 1.0, 8.0), names.size() - 1, rows,
        names.size() - 1, LatexLabels(names), rows, LatexLabels(SymbolNames(model, each.symbols)),
        shades.low, shades.high, names.size());
    for (std::size_t t = 0; t < rows; ++t) {
      for (std::size_t n = 0; n < names.size(); ++n) {
        text += fmt::format("{} {} {:.4g}\n", n, t + 1, each.vectors[t][n]);
      }
    }
    text += "};\n\\end{axis}\n\\end{tikzpicture}\n";
  }
  return text;
}

}  // namespace

double SeriesFigureBytes(FigureFormat format, int vector_size) {
  constexpr double kRowText = 30;     // the string, the time and the symbol
  constexpr double kObjectText = 70;  // the same, and the name of the number, with their names
  constexpr double kNameBytes = 200;  // the name of a symbol, several times
  switch (format) {
    case FigureFormat::kCsv:
      return kTextGrowth * (kRowText + kNumberText * vector_size);
    case FigureFormat::kJson:
      return kNameBytes + (kJsonNumberBytes + kTextGrowth * kNumberText) * vector_size;
    case FigureFormat::kVegaLite:
      return kNameBytes +
             (kJsonObjectBytes + kTextGrowth * (kObjectText + kNumberText)) * vector_size;
    case FigureFormat::kPgfPlots:
      break;
  }
  return kNameBytes + kTextGrowth * kNumberText * vector_size;
}

ShadeRange ShadesOf(std::span<const VectorSeries> series) {
  double largest = 1;
  bool negative = false;
  for (const VectorSeries& each : series) {
    for (const std::vector<float>& vector : each.vectors) {
      for (const float x : vector) {
        largest = std::max(largest, std::abs(static_cast<double>(x)));
        negative = negative || x < 0;
      }
    }
  }
  return {negative ? 0 - largest : 0, largest};
}

std::string SeriesFigure(const TrainedModel& model, VectorKind of,
                         std::span<const VectorSeries> series, FigureFormat format) {
  switch (format) {
    case FigureFormat::kCsv:
      return SeriesCsv(model, of, series);
    case FigureFormat::kJson:
      return JsonLine(SeriesJson(model, of, series));
    case FigureFormat::kVegaLite:
      return JsonLine(SeriesVegaLite(model, of, series));
    case FigureFormat::kPgfPlots:
      return SeriesPgfPlots(model, of, series);
  }
  return {};
}

}  // namespace pushdown
