#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pushdown {

// Points of the same number of dimensions, one after the other.
struct PointTable {
  std::size_t dimensions = 0;
  std::vector<double> values = {};  // [points, dimensions]

  std::size_t size() const { return dimensions == 0 ? 0 : values.size() / dimensions; }
  std::span<const double> operator[](std::size_t n) const {
    return std::span(values).subspan(n * dimensions, dimensions);
  }
};

}  // namespace pushdown
