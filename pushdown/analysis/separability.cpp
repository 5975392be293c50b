#include "pushdown/analysis/separability.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "pushdown/error.h"

namespace pushdown {
namespace {

double SquaredDistance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

// Points whose labels are numbered 0, 1, 2, ... without gaps.
struct LabelledPoints {
  const PointTable& points;
  std::vector<std::size_t> labels;
  std::vector<std::size_t> counts;  // by label

  double Count(std::size_t label) const { return static_cast<double>(counts[label]); }
};

LabelledPoints Numbered(const PointTable& points, std::span<const int> labels) {
  std::map<int, std::size_t> numbers;
  for (const int label : labels) numbers.try_emplace(label, 0);
  std::size_t next = 0;
  for (auto& [label, number] : numbers) number = next++;
  LabelledPoints result{points, {}, std::vector<std::size_t>(numbers.size())};
  for (const int label : labels) {
    result.labels.push_back(numbers[label]);
    ++result.counts[result.labels.back()];
  }
  return result;
}

double SilhouetteOf(const LabelledPoints& labelled, std::size_t point) {
  const std::size_t own = labelled.labels[point];
  if (labelled.counts[own] == 1) return 0;
  std::vector<double> sums(labelled.counts.size());  // of the distances to all points of a label
  for (std::size_t n = 0; n < labelled.labels.size(); ++n) {
    sums[labelled.labels[n]] +=
        std::sqrt(SquaredDistance(labelled.points[point], labelled.points[n]));
  }
  const double a = sums[own] / (labelled.Count(own) - 1);
  double b = std::numeric_limits<double>::infinity();
  for (std::size_t label = 0; label < sums.size(); ++label) {
    if (label != own) b = std::min(b, sums[label] / labelled.Count(label));
  }
  const double larger = std::max(a, b);
  return larger > 0 ? (b - a) / larger : 0;
}

double NearestCentroidAccuracy(const LabelledPoints& labelled) {
  const PointTable& points = labelled.points;
  PointTable means = {points.dimensions,
                      std::vector<double>(labelled.counts.size() * points.dimensions)};
  const auto mean = [&means](std::size_t label) {
    return std::span(means.values).subspan(label * means.dimensions, means.dimensions);
  };
  for (std::size_t n = 0; n < points.size(); ++n) {
    const std::size_t label = labelled.labels[n];
    for (std::size_t d = 0; d < points.dimensions; ++d) {
      mean(label)[d] += points[n][d] / labelled.Count(label);
    }
  }
  std::size_t right = 0;
  for (std::size_t n = 0; n < points.size(); ++n) {
    const std::size_t own = labelled.labels[n];
    if (labelled.counts[own] == 1) continue;
    // Without the point, the mean of its label is that much further away, on the same line.
    const double factor = labelled.Count(own) / (labelled.Count(own) - 1);
    const double distance = SquaredDistance(points[n], mean(own)) * factor * factor;
    bool nearest = true;
    for (std::size_t label = 0; label < labelled.counts.size() && nearest; ++label) {
      nearest = label == own || SquaredDistance(points[n], mean(label)) > distance;
    }
    if (nearest) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(points.size());
}

}  // namespace

Separability MeasureSeparability(const PointTable& points, std::span<const int> labels,
                                 const std::function<void(double)>& progress,
                                 std::size_t most_silhouettes) {
  if (labels.empty() || points.size() != labels.size()) {
    throw Error("pushdown::MeasureSeparability", "there must be a label for each point");
  }
  const LabelledPoints labelled = Numbered(points, labels);
  const auto most = std::max_element(labelled.counts.begin(), labelled.counts.end());
  const auto size = static_cast<double>(labels.size());
  Separability result = {.labels = static_cast<int>(labelled.counts.size()),
                         .majority = static_cast<double>(*most) / size};
  if (result.labels == 1) return result;
  result.nearest_centroid = NearestCentroidAccuracy(labelled);
  result.silhouette_points = std::min(labels.size(), most_silhouettes);
  double sum = 0;
  for (std::size_t n = 0; n < result.silhouette_points; ++n) {
    sum += SilhouetteOf(labelled, n * labels.size() / result.silhouette_points);
    if (progress) {
      progress(static_cast<double>(n + 1) / static_cast<double>(result.silhouette_points));
    }
  }
  result.silhouette = sum / static_cast<double>(result.silhouette_points);
  return result;
}

}  // namespace pushdown
