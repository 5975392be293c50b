#include "pushdown/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "tests/formal/chi_squared.h"

namespace pushdown {
namespace {

using testing_oracle::HasProbabilities;

// From a Python program of the published algorithms, first checked against published outputs:
// SplitMix64 from 1234567 (6457827717110365317, 3203168211198807973, ...) and xoshiro256++ from the
// state 1, 2, 3, 4 (41943041, 58720359, 3588806011781223, ...). With Mix the output function of
// SplitMix64, the state is its first four outputs from Mix(Mix(seed + 0x9e3779b97f4a7c15) ^
// stream).
TEST(Random, NumbersAreThoseOfTheAlgorithm) {
  struct Case {
    std::uint64_t seed;
    std::uint64_t stream;
    std::array<std::uint64_t, 3> first;
  };
  const Case cases[] = {
      {0, 0, {0xfeb48c6e8d14c16b, 0x48d3522199450d65, 0x3d337a61887dab97}},
      {1, 0, {0x79b5934e8167bbe7, 0x39a9326bfb154def, 0x5560d3e6b2f1b07a}},
      {1, 1, {0xba016177686e5b7d, 0x4c1ff17b710559f4, 0x610411d97959ecee}},
      {12345, 7, {0x195d0226e2290855, 0x85c54ae6df110668, 0xd6c6d89607af3549}},
  };
  for (const Case& c : cases) {
    Random random(c.seed, c.stream);
    for (std::uint64_t expected : c.first) {
      EXPECT_EQ(random.Next(), expected) << c.seed << " " << c.stream;
    }
  }
}

TEST(Random, TheDefaultStreamIsZero) { EXPECT_EQ(Random(42).Next(), Random(42, 0).Next()); }

TEST(Random, SeedsAndStreamsAllDiffer) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (std::uint64_t stream = 0; stream < 100; ++stream) {
      first.insert(Random(seed, stream).Next());
    }
  }
  // Among 10^4 numbers of 64 bits the chance of a coincidence is 3e-12.
  EXPECT_EQ(first.size(), 10000u);
}

TEST(Random, StreamsDifferWhateverTheirSeeds) {
  // Seeds that are other streams' numbers, or their complements, where a symmetric rule would fail.
  const std::uint64_t values[] = {0, 1, 2, 77, ~0ull, ~1ull, ~2ull, ~77ull};
  std::set<std::uint64_t> first;
  for (std::uint64_t seed : values) {
    for (std::uint64_t stream : values) first.insert(Random(seed, stream).Next());
  }
  EXPECT_EQ(first.size(), 64u);
}

TEST(Random, StreamsOfASeedAreUncorrelated) {
  Random a(5, 0);
  Random b(5, 1);
  double products = 0;
  constexpr int kDraws = 100000;
  for (int n = 0; n < kDraws; ++n) products += (a.Uniform() - 0.5) * (b.Uniform() - 0.5);
  // The variance of a product is (1/12)^2; four standard deviations of the mean.
  EXPECT_LT(std::abs(products / kDraws), 4.0 / 12 / std::sqrt(kDraws));
}

TEST(Random, UniformIsTheUpperBitsOfNext) {
  Random bits(3);
  Random random(3);
  for (int n = 0; n < 1000; ++n) {
    const double value = random.Uniform();
    EXPECT_EQ(value, std::ldexp(static_cast<double>(bits.Next() / 2048), -53));
    EXPECT_GE(value, 0.0);
    EXPECT_LT(value, 1.0);
  }
}

TEST(Random, UniformFillsItsRangeEvenly) {
  Random random(4);
  std::vector<int> bins;
  std::map<int, double> even;
  for (int bin = -30; bin < 70; ++bin) even[bin] = 0.01;
  for (int n = 0; n < 100000; ++n) {
    const double value = random.Uniform(-3.0, 7.0);
    ASSERT_GE(value, -3.0);
    ASSERT_LT(value, 7.0);
    bins.push_back(static_cast<int>(std::floor(value * 10)));
  }
  EXPECT_TRUE(HasProbabilities(bins, even));
}

TEST(Random, BelowIsUniform) {
  for (int limit : {2, 3, 7, 10, 64, 100}) {
    Random random(limit);
    std::vector<int> outcomes;
    std::map<int, double> even;
    for (int n = 0; n < limit; ++n) even[n] = 1.0 / limit;
    for (int n = 0; n < 1000 * limit; ++n) {
      outcomes.push_back(static_cast<int>(random.Below(static_cast<std::uint64_t>(limit))));
    }
    EXPECT_TRUE(HasProbabilities(outcomes, even)) << limit;
  }
}

TEST(Random, BelowOneIsZero) {
  Random random(6);
  for (int n = 0; n < 100; ++n) EXPECT_EQ(random.Below(1), 0u);
}

TEST(Random, BelowIsUniformForLimitsThatDoNotDivideTheRange) {
  // Remainders of 64 bits alone would make the first third twice as frequent as the others.
  constexpr std::uint64_t kThird = std::uint64_t{1} << 62;
  Random random(7);
  std::vector<int> thirds;
  for (int n = 0; n < 30000; ++n) {
    const std::uint64_t value = random.Below(3 * kThird);
    ASSERT_LT(value, 3 * kThird);
    thirds.push_back(static_cast<int>(value / kThird));
  }
  EXPECT_TRUE(HasProbabilities(thirds, {{0, 1.0 / 3}, {1, 1.0 / 3}, {2, 1.0 / 3}}));
}

TEST(Random, BelowTheLargestLimitTakesAnyNumberButTheLast) {
  Random random(8);
  Random bits(8);
  // 2^64 - (2^64 - 1) = 1: only the number 0 is left out.
  for (int n = 0; n < 100; ++n) EXPECT_EQ(random.Below(~std::uint64_t{0}), bits.Next());
}

}  // namespace
}  // namespace pushdown
