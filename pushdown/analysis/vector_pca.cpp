#include "pushdown/analysis/vector_pca.h"

#include <fmt/format.h>

#include <algorithm>

#include "pushdown/error.h"
#include "pushdown/kernels/symmetric_eigen.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

AnalysisBytes BytesOf(std::size_t points, std::size_t dimensions, std::size_t components,
                      const VectorPcaOptions& options) {
  // Vectors, the same centred, and projections; labels, and their numbers for MeasureSeparability.
  const double point_bytes = sizeof(double) * static_cast<double>(2 * dimensions + components) +
                             sizeof(PredictionPoint) + sizeof(int) + sizeof(std::size_t);
  const auto count = static_cast<double>(points);
  return {.kept = count * point_bytes + SymmetricEigenBytes(static_cast<int>(dimensions)),
          .output = count * options.output_bytes};
}

}  // namespace

VectorPca AnalyzeVectors(const TrainedModel& model, std::span<const std::vector<int>> strings,
                         const VectorPcaOptions& options, const StageProgress& progress) {
  VectorPca result = {.of = options.of,
                      .positions = options.positions.value_or(DefaultPositionRule(model)),
                      .strings = strings.size(),
                      .names = VectorNames(model.spec, options.of)};
  const std::size_t dimensions = result.names.size();
  const std::size_t components = std::min(static_cast<std::size_t>(options.components), dimensions);
  std::vector<PositionRange> ranges;
  std::size_t points = 0;
  for (const std::vector<int>& string : strings) {
    PositionRange range = SelectPositions(result.positions, string);
    range.first = std::max(range.first, 2);
    points += static_cast<std::size_t>(std::max(range.last - range.first + 1, 0));
    ranges.push_back(range);
  }
  if (points == 0) {
    throw Error("pushdown::AnalyzeVectors",
                fmt::format("none of {} strings has symbols at the positions {}, after its first",
                            strings.size(),
                            Printable(PositionRuleText(result.positions, model.vocabulary))));
  }

  PointTable vectors = {dimensions};
  std::vector<int> labels;
  const auto visit = [&](std::size_t n, int t, const Predictor& predictor) {
    if (vectors.values.empty()) {  // now that there is memory for them
      vectors.values.reserve(points * dimensions);
      labels.reserve(points);
      result.points.reserve(points);
    }
    const int p = t + 1;  // of the symbol that is predicted
    if (p < ranges[n].first || p > ranges[n].last) return;
    const std::span<const float> vector = VectorOf(predictor, options.of);
    vectors.values.insert(vectors.values.end(), vector.begin(), vector.end());
    labels.push_back(strings[n][static_cast<std::size_t>(p - 1)]);
    result.points.push_back({static_cast<int>(n + 1), p, labels.back()});
  };
  ReadStrings(model, strings, BytesOf(points, dimensions, components, options), visit, progress);
  result.components = FindPrincipalComponents(vectors, components);
  const auto separation = [&progress](double begin) {
    return [&progress, begin](double fraction) {
      if (progress) progress("comparing distances", begin + fraction / 2);
    };
  };
  result.in_all_dimensions = MeasureSeparability(vectors, labels, separation(0));
  result.in_components = MeasureSeparability(result.components.projected, labels, separation(0.5));
  return result;
}

}  // namespace pushdown
