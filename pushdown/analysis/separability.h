#pragma once

#include <functional>
#include <optional>
#include <span>

#include "pushdown/analysis/point_table.h"

namespace pushdown {

// How well points with different labels lie apart.
struct Separability {
  int labels = 0;       // how many different ones there are
  double majority = 0;  // the share of the most frequent label: what guessing would get right

  // The mean silhouette (Rousseeuw 1987), from -1 to 1. With a the mean distance of a point to the
  // other points of its label, and b that to the points of the label for which it is smallest among
  // the others, the silhouette of the point is (b - a) / max(a, b); it is 0 for the only point of
  // its label, and if a = b = 0. Nothing if there is only one label.
  std::optional<double> silhouette = {};
  // The mean is over this many points, evenly spaced among all if they are many, because it takes
  // the distances to all points.
  std::size_t silhouette_points = 0;

  // The share of points that are nearer to the mean of their label than to that of any other label.
  // Leave-one-out: the point itself does not count for the mean of its label. The only point of a
  // label, and a point that is as near to another mean, are wrong. Nothing if there is only one
  // label.
  std::optional<double> nearest_centroid = {};
};

inline constexpr std::size_t kMostSilhouettes = 5000;

// One label, not negative, for each point; there must be a point. `progress` gets the fraction that
// is done.
Separability MeasureSeparability(const PointTable& points, std::span<const int> labels,
                                 const std::function<void(double)>& progress = {},
                                 std::size_t most_silhouettes = kMostSilhouettes);

}  // namespace pushdown
