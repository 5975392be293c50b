#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "pushdown/kernels/stack_spec.h"

namespace pushdown::testing_oracle {

// SplitMix64 (Steele, Lea and Flood 2014). The distributions of the standard library differ
// between implementations; these numbers do not.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
  }

  // Uniform in [low, high).
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(Next() >> 11) * 0x1.0p-53);
  }

 private:
  std::uint64_t state_;
};

inline std::vector<double> UniformValues(std::uint64_t seed, std::size_t count, double low,
                                         double high) {
  SplitMix64 generator(seed);
  std::vector<double> values(count);
  for (double& value : values) value = generator.Uniform(low, high);
  return values;
}

// Logits [T, logits_size] uniform in [low, high), except that each replace and pop is -infinity
// with probability zero_share. Pushes stay finite, so that some run survives with every option.
inline std::vector<double> RandomLogits(std::uint64_t seed, const NondeterministicStackSpec& spec,
                                        int steps, double low, double high,
                                        double zero_share = 0.0) {
  SplitMix64 generator(seed);
  std::vector<double> logits(static_cast<std::size_t>(steps) * spec.logits_size());
  for (std::size_t n = 0; n < logits.size(); ++n) {
    const bool push = n % spec.logits_per_pair() < static_cast<std::size_t>(spec.pairs());
    logits[n] = generator.Uniform(low, high);
    const bool drop = generator.Uniform(0.0, 1.0) < zero_share;
    if (drop && !push) logits[n] = -std::numeric_limits<double>::infinity();
  }
  return logits;
}

}  // namespace pushdown::testing_oracle
