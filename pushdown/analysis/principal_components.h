#pragma once

#include <cstddef>
#include <vector>

#include "pushdown/analysis/point_table.h"

namespace pushdown {

// Principal component analysis: points are centred, but not scaled, and the components are the
// directions in which they vary most.
struct PrincipalComponents {
  std::vector<double> mean;  // [dimensions]
  // The variance along each direction, of all dimensions and in descending order: the sum of the
  // squared projections, divided by the number of points less one. Of a single point they are 0.
  std::vector<double> variances;
  // The first components [components, dimensions], orthonormal. The sign of a direction is
  // arbitrary; here the largest of its numbers is positive, the first one if there are several.
  PointTable directions;
  PointTable projected;  // [points, components]

  double TotalVariance() const;
  // The share of a component in the total variance; NaN if that is zero because all points are the
  // same.
  double Share(std::size_t component) const;
};

// Throws Error if there are no points, fewer dimensions than components, or numbers that are not
// finite.
PrincipalComponents FindPrincipalComponents(const PointTable& points, std::size_t components);

}  // namespace pushdown
