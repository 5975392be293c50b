#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "pushdown/kernels/stack_spec.h"
#include "pushdown/random.h"

namespace pushdown::testing_oracle {

inline std::vector<double> UniformValues(std::uint64_t seed, std::size_t count, double low,
                                         double high) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = random.Uniform(low, high);
  return values;
}

// Logits [T, logits_size] uniform in [low, high), except that each replace and pop is -infinity
// with probability zero_share. Pushes stay finite, so that some run survives with every option.
inline std::vector<double> RandomLogits(std::uint64_t seed, const NondeterministicStackSpec& spec,
                                        int steps, double low, double high,
                                        double zero_share = 0.0) {
  Random random(seed);
  std::vector<double> logits(static_cast<std::size_t>(steps) * spec.logits_size());
  for (std::size_t n = 0; n < logits.size(); ++n) {
    const bool push = n % spec.logits_per_pair() < static_cast<std::size_t>(spec.pairs());
    logits[n] = random.Uniform(low, high);
    const bool drop = random.Uniform() < zero_share;
    if (drop && !push) logits[n] = -std::numeric_limits<double>::infinity();
  }
  return logits;
}

}  // namespace pushdown::testing_oracle
