#include "pushdown/analysis/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "pushdown/analysis/figure_parts.h"
#include "pushdown/escaped_text.h"
#include "pushdown/json.h"

namespace pushdown {
namespace {

Json Optional(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json SeparabilityJson(const Separability& separability) {
  return {{"symbols", separability.labels},
          {"majority", separability.majority},
          {"nearest_centroid", Optional(separability.nearest_centroid)},
          {"silhouette", Optional(separability.silhouette)},
          {"silhouette_points", separability.silhouette_points}};
}

std::vector<double> Numbers(std::span<const double> values) {
  return {values.begin(), values.end()};
}

Json PcaJson(const TrainedModel& model, const VectorPca& pca) {
  const PrincipalComponents& components = pca.components;
  Json object = {{"model", FigureModelJson(model)},
                 {"of", VectorKindName(pca.of)},
                 {"positions", PositionRuleText(pca.positions, model.vocabulary)},
                 {"strings", pca.strings},
                 {"names", pca.names},
                 {"mean", components.mean},
                 {"variances", components.variances},
                 {"components", Json::array()},
                 {"separability",
                  {{"all_dimensions", SeparabilityJson(pca.in_all_dimensions)},
                   {"components", SeparabilityJson(pca.in_components)}}},
                 {"points", Json::array()}};
  for (std::size_t k = 0; k < components.directions.size(); ++k) {
    object["components"].push_back({{"variance", components.variances[k]},
                                    {"share", components.Share(k)},
                                    {"direction", Numbers(components.directions[k])}});
  }
  for (std::size_t n = 0; n < pca.points.size(); ++n) {
    const PredictionPoint& point = pca.points[n];
    object["points"].push_back({{"string", point.string},
                                {"position", point.position},
                                {"symbol", model.vocabulary.name(point.symbol)},
                                {"projected", Numbers(components.projected[n])}});
  }
  return object;
}

std::string PcaCsv(const TrainedModel& model, const VectorPca& pca) {
  const PointTable& projected = pca.components.projected;
  std::string text = "string,position,symbol";
  for (std::size_t k = 1; k <= projected.dimensions; ++k) text += fmt::format(",pc{}", k);
  text += "\n";
  for (std::size_t n = 0; n < pca.points.size(); ++n) {
    const PredictionPoint& point = pca.points[n];
    text += fmt::format("{},{},{}", point.string, point.position,
                        CsvField(model.vocabulary.name(point.symbol)));
    for (const double x : projected[n]) text += fmt::format(",{}", x);
    text += "\n";
  }
  return text;
}

// The second component of a point, or 0 if there is only one.
double SecondOf(std::span<const double> point) { return point.size() > 1 ? point[1] : 0; }

std::string AxisTitle(const VectorPca& pca, std::size_t component, const char* percent) {
  if (component >= pca.components.directions.size()) return "";
  const double share = pca.components.Share(component);
  const std::string name = fmt::format("component {}", component + 1);
  return std::isfinite(share) ? fmt::format("{} ({:.1f} {})", name, 100 * share, percent) : name;
}

Json PcaVegaLite(const TrainedModel& model, const VectorPca& pca) {
  Json values = Json::array();
  for (std::size_t n = 0; n < pca.points.size(); ++n) {
    const PredictionPoint& point = pca.points[n];
    const std::span<const double> projected = pca.components.projected[n];
    values.push_back({{"x", projected[0]},
                      {"y", SecondOf(projected)},
                      {"symbol", model.vocabulary.name(point.symbol)},
                      {"string", point.string},
                      {"position", point.position}});
  }
  const auto axis = [&](const char* field, std::size_t component) {
    return Json{{"field", field},
                {"type", "quantitative"},
                {"scale", {{"zero", false}}},
                {"title", AxisTitle(pca, component, "%")}};
  };
  return {{"$schema", kVegaLiteSchema},
          {"description", fmt::format("Principal components of the {} of {}",
                                      VectorKindName(pca.of), ModelName(model.spec))},
          {"width", 500},
          {"height", 350},
          {"data", {{"values", std::move(values)}}},
          {"mark", {{"type", "circle"}, {"size", 12}, {"opacity", 0.7}}},
          {"encoding",
           {{"x", axis("x", 0)},
            {"y", axis("y", 1)},
            {"color", {{"field", "symbol"}, {"type", "nominal"}, {"title", "symbol"}}},
            {"tooltip",
             {{{"field", "symbol"}, {"type", "nominal"}},
              {{"field", "string"}, {"type", "quantitative"}},
              {{"field", "position"}, {"type", "quantitative"}}}}}}};
}

// A colour of the n-th of so many symbols, as far from its neighbours as can be.
std::string LatexColour(std::size_t n, std::size_t count) {
  constexpr double kBright = 0.85;
  const double hue = 6.0 * static_cast<double>(n) / static_cast<double>(count);
  const auto channel = [hue](double centre) {
    const double away = std::abs(hue - centre);
    return kBright * std::clamp(2 - std::min(away, 6 - away), 0.0, 1.0);
  };
  return fmt::format("{{rgb,1:red,{:.3f};green,{:.3f};blue,{:.3f}}}", channel(0), channel(2),
                     channel(4));
}

std::string PcaPgfPlots(const TrainedModel& model, const VectorPca& pca) {
  constexpr std::size_t kMostLegends = 12;
  std::set<int> symbols;
  for (const PredictionPoint& point : pca.points) symbols.insert(point.symbol);
  std::string text = fmt::format(
      "% Principal components of the {} of {}, with a colour for each symbol.\n"
      "\\begin{{tikzpicture}}\n"
      "\\begin{{axis}}[\n"
      "  width=3.5in, height=2.4in,\n"
      "  xlabel={{{}}},\n"
      "  ylabel={{{}}},\n"
      "  legend pos=outer north east]\n",
      VectorKindName(pca.of), ModelName(model.spec), AxisTitle(pca, 0, "\\%"),
      AxisTitle(pca, 1, "\\%"));
  std::size_t number = 0;
  for (const int symbol : symbols) {
    text += fmt::format("\\addplot[only marks, mark=*, mark size=0.6pt, color={}] coordinates {{\n",
                        LatexColour(number++, symbols.size()));
    for (std::size_t n = 0; n < pca.points.size(); ++n) {
      if (pca.points[n].symbol != symbol) continue;
      const std::span<const double> projected = pca.components.projected[n];
      text += fmt::format("  ({:.5g},{:.5g})\n", projected[0], SecondOf(projected));
    }
    text += "};\n";
    if (symbols.size() <= kMostLegends) {
      text += fmt::format("\\addlegendentry{{{}}}\n", LatexName(model.vocabulary.name(symbol)));
    }
  }
  return text + "\\end{axis}\n\\end{tikzpicture}\n";
}

}  // namespace

double PcaFigureBytes(FigureFormat format, int components) {
  constexpr double kRowText = 30;     // the string, the position and the symbol
  constexpr double kObjectText = 70;  // the same with their names
  const double numbers = kNumberText * components;
  switch (format) {
    case FigureFormat::kCsv:
      return kTextGrowth * (kRowText + numbers);
    case FigureFormat::kJson:
      return kJsonObjectBytes + kJsonNumberBytes * components +
             kTextGrowth * (kObjectText + numbers);
    case FigureFormat::kVegaLite:
      return kJsonObjectBytes + kTextGrowth * (kObjectText + 2 * kNumberText);
    case FigureFormat::kPgfPlots:
      break;
  }
  return kTextGrowth * 2 * kNumberText;
}

std::string PcaFigure(const TrainedModel& model, const VectorPca& pca, FigureFormat format) {
  switch (format) {
    case FigureFormat::kCsv:
      return PcaCsv(model, pca);
    case FigureFormat::kJson:
      return JsonLine(PcaJson(model, pca));
    case FigureFormat::kVegaLite:
      return JsonLine(PcaVegaLite(model, pca));
    case FigureFormat::kPgfPlots:
      return PcaPgfPlots(model, pca);
  }
  return {};
}

}  // namespace pushdown
