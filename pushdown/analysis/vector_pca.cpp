#include "pushdown/analysis/vector_pca.h"

#include <fmt/format.h>

#include <algorithm>

#include "pushdown/error.h"
#include "pushdown/printable.h"

namespace pushdown {

VectorPca AnalyzeVectors(const TrainedModel& model, std::span<const std::vector<int>> strings,
                         const VectorPcaOptions& options, const StageProgress& progress) {
  VectorPca result = {.of = options.of,
                      .positions = options.positions.value_or(DefaultPositionRule(model)),
                      .strings = strings.size(),
                      .names = VectorNames(model.spec, options.of)};
  CheckReadingMemory(model, strings);
  PointTable vectors = {result.names.size()};
  std::vector<int> labels;
  for (std::size_t n = 0; n < strings.size(); ++n) {
    const PositionRange range = SelectPositions(result.positions, strings[n]);
    const VectorSeries series =
        ReadVectors(model, strings[n], options.of, [&progress, n, &strings](double fraction) {
          if (!progress) return;
          progress("reading",
                   (static_cast<double>(n) + fraction) / static_cast<double>(strings.size()));
        });
    for (int p = std::max(range.first, 2); p <= range.last; ++p) {
      const std::vector<float>& vector = series.vectors[static_cast<std::size_t>(p - 2)];
      vectors.values.insert(vectors.values.end(), vector.begin(), vector.end());
      labels.push_back(strings[n][static_cast<std::size_t>(p - 1)]);
      result.points.push_back({static_cast<int>(n + 1), p, labels.back()});
    }
  }
  if (result.points.empty()) {
    throw Error("pushdown::AnalyzeVectors",
                fmt::format("none of {} strings has symbols at the positions {}, after its first",
                            strings.size(),
                            Printable(PositionRuleText(result.positions, model.vocabulary))));
  }
  const std::size_t components =
      std::min(static_cast<std::size_t>(options.components), result.names.size());
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
