#pragma once

#include <array>
#include <cstdint>

namespace pushdown {

// The only random generator of the library: xoshiro256++ (Blackman and Vigna 2019), seeded by
// SplitMix64. Its numbers are the same everywhere, whereas the distributions of the standard
// library differ between implementations.
class Random {
 public:
  // Generators of one seed with different streams are independent of each other.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    // Mixed twice, so that seed and stream are not interchangeable.
    std::uint64_t counter = Mix(Mix(seed + kGoldenRatio) ^ stream);
    for (std::uint64_t& word : state_) word = Mix(counter += kGoldenRatio);
  }

  std::uint64_t Next() {
    const std::uint64_t result = Rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = Rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, 1), a multiple of 2^-53.
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }
  // Uniform in [low, high).
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }

  // Uniform in 0 .. limit-1, exactly; limit >= 1.
  std::uint64_t Below(std::uint64_t limit) {
    // The smallest numbers are rejected, so that every remainder has the same probability.
    const std::uint64_t left_out = -limit % limit;
    std::uint64_t bits = Next();
    while (bits < left_out) bits = Next();
    return bits % limit;
  }

 private:
  static constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15u;

  static std::uint64_t Rotate(std::uint64_t bits, int by) {
    return (bits << by) | (bits >> (64 - by));
  }

  // A step of SplitMix64 (Steele, Lea and Flood 2014).
  static std::uint64_t Mix(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
  }

  std::array<std::uint64_t, 4> state_;
};

}  // namespace pushdown
