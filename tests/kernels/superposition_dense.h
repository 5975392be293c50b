#pragma once

#include <cstddef>
#include <vector>

namespace pushdown::testing_oracle {

// The readings of independent superposition stacks (the paper's section 2.1), each kept as a full
// array that is rebuilt at every step from its three shifted copies. It starts empty: zero
// everywhere. N is double, or std::complex<double> for complex-step derivatives.
template <typename N>
std::vector<N> DenseSuperpositionReadings(  // returns [T + 1, sum of sizes]
    const std::vector<int>& sizes,          // the vector size of each stack
    int depth_limit,                        // elements below this depth are dropped; 0: none
    int steps,
    const std::vector<N>& actions,    // [T, stacks, push | no-op | pop]
    const std::vector<N>& vectors) {  // [T, sum of sizes]
  int reading_size = 0;
  for (int size : sizes) reading_size += size;
  const int depth = steps + 2;  // there is always a zero element below the last one

  std::vector<N> readings(static_cast<std::size_t>(steps + 1) * reading_size);
  int offset = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const std::vector<N> zero(static_cast<std::size_t>(sizes[s]));
    std::vector<std::vector<N>> stack(static_cast<std::size_t>(depth), zero);  // [0] is the top
    for (int t = 1; t <= steps; ++t) {
      const N* action = &actions[(static_cast<std::size_t>(t - 1) * sizes.size() + s) * 3];
      const std::vector<std::vector<N>> before = stack;
      for (int level = 0; level < depth; ++level) {
        for (int j = 0; j < sizes[s]; ++j) {
          const N pushed =
              level == 0 ? vectors[static_cast<std::size_t>(t - 1) * reading_size + offset + j]
                         : before[level - 1][j];
          const N kept = before[level][j];
          const N uncovered = level + 1 < depth ? before[level + 1][j] : N(0);
          stack[level][j] = action[0] * pushed + action[1] * kept + action[2] * uncovered;
        }
        if (depth_limit > 0 && level >= depth_limit) stack[level] = zero;
      }
      for (int j = 0; j < sizes[s]; ++j) {
        readings[static_cast<std::size_t>(t) * reading_size + offset + j] = stack[0][j];
      }
    }
    offset += sizes[s];
  }
  return readings;
}

}  // namespace pushdown::testing_oracle
