#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace pushdown {

// Drops every value that is equal to an earlier one. The others keep their order.
template <typename T>
std::vector<T> Distinct(std::vector<T> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<bool> again(values.size(), false);
  for (std::size_t n = 1; n < order.size(); ++n) {
    again[order[n]] = values[order[n]] == values[order[n - 1]];
  }
  std::size_t kept = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (again[n]) continue;
    if (kept != n) values[kept] = std::move(values[n]);
    ++kept;
  }
  values.resize(kept);
  return values;
}

}  // namespace pushdown
