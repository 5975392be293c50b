#include "pushdown/formal/weight.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "pushdown/random.h"

namespace pushdown {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// 2^power; multiplication by powers of two is exact.
Weight PowerOfTwo(int power) {
  Weight result = 1.0;
  for (; power > 500; power -= 500) result *= 0x1.0p500;
  for (; power < -500; power += 500) result *= 0x1.0p-500;
  return result * std::ldexp(1.0, power);
}

TEST(Weight, DoublesAreKeptAsTheyAre) {
  for (double value : {1.0, 0.1, 1.0 / 3, 3e-200, 7e200, 0x1.0p-256, 0x1.0p256, 0x1.fffffp255,
                       0x1.fffffffffffffp-257, std::numeric_limits<double>::max(),
                       std::numeric_limits<double>::min()}) {
    EXPECT_EQ(Weight(value).ToDouble(), value);
    EXPECT_FALSE(Weight(value).IsZero());
  }
}

TEST(Weight, DenormalDoublesAreKeptAsTheyAre) {
  for (double value : {std::numeric_limits<double>::denorm_min(), 0x1.8p-1060, 0x1.0p-1023}) {
    EXPECT_EQ(Weight(value).ToDouble(), value);
    EXPECT_NEAR(Weight(value).Log(), std::log(value), 1e-12 * 745);
  }
}

TEST(Weight, ZeroIsTheNeutralElementOfSumsAndAbsorbsInProducts) {
  const Weight zero;
  EXPECT_TRUE(zero.IsZero());
  EXPECT_FALSE(static_cast<bool>(zero));
  EXPECT_EQ(zero.ToDouble(), 0.0);
  EXPECT_EQ(zero.Log(), kMinusInfinity);
  EXPECT_EQ(Weight(0.0), zero);
  for (const Weight& weight :
       {Weight(0.3), PowerOfTwo(5000), PowerOfTwo(-5000), Weight(0x1.0p-1074), zero}) {
    EXPECT_EQ(weight + zero, weight);
    EXPECT_EQ(zero + weight, weight);
    EXPECT_EQ(weight * zero, zero);
    EXPECT_EQ(zero * weight, zero);
    EXPECT_EQ(weight - weight, zero);
    EXPECT_EQ(weight - zero, weight);
    EXPECT_EQ(zero - weight, zero);
  }
  EXPECT_EQ(zero / Weight(0.3), zero);
  EXPECT_EQ(zero / PowerOfTwo(-5000), zero);
}

TEST(Weight, ZeroStaysZeroInLongProducts) {
  Weight product;
  for (int n = 0; n < 1000; ++n) product *= product * PowerOfTwo(3000);
  EXPECT_TRUE(product.IsZero());
  EXPECT_EQ(product + Weight(1.0), Weight(1.0));
}

TEST(Weight, ProductsBeyondTheRangeOfDoubleHaveTheirLogarithm) {
  const double log2 = std::log(2.0);
  for (int power : {-100000, -5000, -1075, -512, -256, 255, 256, 512, 1024, 5000, 100000}) {
    EXPECT_NEAR(PowerOfTwo(power).Log(), power * log2, 1e-15 * 100000) << power;
  }
  // And come back to where they were: powers of two are exact.
  EXPECT_EQ(PowerOfTwo(-100000) * PowerOfTwo(100000), Weight(1.0));
  EXPECT_EQ(PowerOfTwo(-3000) / PowerOfTwo(-2999), Weight(0.5));
  EXPECT_EQ(PowerOfTwo(-1000) * PowerOfTwo(-1000), PowerOfTwo(-2000));
}

TEST(Weight, BeyondTheRangeOfDoubleIsZeroOrInfinityAsADouble) {
  EXPECT_EQ(PowerOfTwo(-1074).ToDouble(), 0x1.0p-1074);
  EXPECT_EQ(PowerOfTwo(-1076).ToDouble(), 0.0);
  EXPECT_EQ(PowerOfTwo(-100000).ToDouble(), 0.0);
  EXPECT_FALSE(PowerOfTwo(-100000).IsZero());
  EXPECT_EQ(PowerOfTwo(1023).ToDouble(), 0x1.0p1023);
  EXPECT_EQ(PowerOfTwo(1024).ToDouble(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(PowerOfTwo(100000).ToDouble(), std::numeric_limits<double>::infinity());
}

TEST(Weight, SumsOfNumbersOfAllSizesAreThoseOfDoubles) {
  // Around the sizes where mantissas are scaled, 2^-256 and 2^256, and 2^-768.
  for (int power : {0, -255, -256, -257, -300, -511, -512, -513, -767, -768, -769, 255, 256, 257,
                    300, 767, 768}) {
    for (int apart : {0, 1, 20, 52, 53, 60}) {
      const double a = std::ldexp(1.0, power);
      const double b = std::ldexp(1.5, power - apart);
      EXPECT_EQ((Weight(a) + Weight(b)).ToDouble(), a + b) << power << " " << apart;
      EXPECT_EQ((Weight(b) + Weight(a)).ToDouble(), a + b) << power << " " << apart;
      if (a < b) continue;
      EXPECT_EQ((Weight(a) - Weight(b)).ToDouble(), a - b) << power << " " << apart;
      EXPECT_EQ(Weight(b) - Weight(a), Weight()) << power << " " << apart;
    }
  }
}

TEST(Weight, SumsOfTinyNumbersAreScaledSumsOfDoubles) {
  // 1 + 1/2 + 1/4 + ... of 2^-5000, across the places where the scale changes.
  Weight sum;
  Weight term = PowerOfTwo(-4000);
  for (int n = 0; n < 2000; ++n) {
    sum += term;
    term *= 0.5;
  }
  EXPECT_EQ(sum / PowerOfTwo(-4000), Weight(2.0));
  sum = Weight();
  for (int n = 0; n < 2000; ++n) {  // and from the smallest to the largest
    sum += term;
    term *= 2.0;
  }
  EXPECT_NEAR((sum / PowerOfTwo(-4000)).ToDouble(), 1.0, 1e-15);
}

TEST(Weight, RandomSumsAndProductsAgreeWithLongDouble) {
  Random random(1);
  for (int n = 0; n < 20000; ++n) {
    // long double holds 2^-16382; the product of two such numbers is at least 2^-12002.
    const int power_a = static_cast<int>(random.Below(12000)) - 6000;
    const int power_b = power_a + static_cast<int>(random.Below(1400)) - 700;
    const double mantissa_a = random.Uniform(0.5, 1.0);
    const double mantissa_b = random.Uniform(0.5, 1.0);
    const long double a = std::ldexp(static_cast<long double>(mantissa_a), power_a);
    const long double b = std::ldexp(static_cast<long double>(mantissa_b), power_b);
    const Weight weight_a = mantissa_a * PowerOfTwo(power_a);
    const Weight weight_b = mantissa_b * PowerOfTwo(power_b);
    const auto expect_same = [&](const Weight& weight, long double value) {
      ASSERT_GT(value, 0.0L);
      int power = 0;
      const double mantissa = static_cast<double>(std::frexp(value, &power));
      // A double's rounding error, twice: of the operation and of `mantissa`.
      EXPECT_NEAR((weight / PowerOfTwo(power)).ToDouble(), mantissa, 0x1.0p-52)
          << mantissa_a << " " << power_a << " " << mantissa_b << " " << power_b;
    };
    expect_same(weight_a + weight_b, a + b);
    expect_same(weight_a * weight_b, a * b);
    expect_same(weight_a / weight_b, a / b);
    if (power_a > power_b) expect_same(weight_a - weight_b, a - b);
    EXPECT_EQ(weight_a < weight_b, a < b);
    EXPECT_EQ(weight_b < weight_a, b < a);
    EXPECT_EQ(weight_a == weight_b, a == b);
  }
}

TEST(Weight, LogarithmIsAsAccurateAsThatOfALongDouble) {
  for (int power : {-16000, -4000, -1022, -300, -1, 0, 1, 300, 1000, 16000}) {
    for (double mantissa : {0.5, 0.7071, 0.9999999}) {
      const long double value = std::ldexp(static_cast<long double>(mantissa), power);
      const double expected = static_cast<double>(std::log(value));
      EXPECT_NEAR((mantissa * PowerOfTwo(power)).Log(), expected,
                  4e-16 * std::max(1.0, std::abs(expected)))
          << mantissa << " * 2^" << power;
    }
  }
}

TEST(Weight, LogarithmOfNumbersNearOneIsAccurate) {
  EXPECT_EQ(Weight(1.0).Log(), 0.0);
  EXPECT_DOUBLE_EQ(Weight(1 + 1e-10).Log(), std::log1p((1 + 1e-10) - 1));
  EXPECT_DOUBLE_EQ(Weight(1 - 1e-10).Log(), std::log1p(-(1 - (1 - 1e-10))));
}

TEST(Weight, OrderIsThatOfTheNumbers) {
  const std::vector<Weight> ascending = {Weight(),
                                         PowerOfTwo(-100000),
                                         PowerOfTwo(-99999),
                                         1.5 * PowerOfTwo(-99999),
                                         0x1.0p-1074,
                                         1e-300,
                                         0x1.0p-257,
                                         0x1.0p-256,
                                         0.1,
                                         1.0,
                                         1.0 + 0x1.0p-52,
                                         0x1.fffffffffffffp255,
                                         0x1.0p256,
                                         1e300,
                                         PowerOfTwo(2000),
                                         PowerOfTwo(100000)};
  for (std::size_t a = 0; a < ascending.size(); ++a) {
    for (std::size_t b = 0; b < ascending.size(); ++b) {
      EXPECT_EQ(ascending[a] < ascending[b], a < b) << a << " " << b;
      EXPECT_EQ(ascending[a] == ascending[b], a == b) << a << " " << b;
    }
  }
}

TEST(Weight, EqualNumbersAreEqualHoweverTheyCameAbout) {
  EXPECT_EQ(PowerOfTwo(-256) * PowerOfTwo(256), Weight(1.0));
  EXPECT_EQ(PowerOfTwo(128) * PowerOfTwo(128), Weight(0x1.0p256));
  EXPECT_EQ(PowerOfTwo(255) + PowerOfTwo(255), PowerOfTwo(256));
  EXPECT_EQ(PowerOfTwo(256) - PowerOfTwo(255), PowerOfTwo(255));
  EXPECT_EQ(PowerOfTwo(-256) - PowerOfTwo(-257), PowerOfTwo(-257));
  // 2^256 - 2^203 has the digits of the largest number below 2^256.
  EXPECT_EQ(PowerOfTwo(256) - PowerOfTwo(203), Weight(0x1.fffffffffffffp255));
}

TEST(Weight, DifferencesOfNumbersFarApartAreTheLargerOne) {
  EXPECT_EQ(PowerOfTwo(0) - PowerOfTwo(-5000), Weight(1.0));
  EXPECT_EQ(PowerOfTwo(-5000) - PowerOfTwo(0), Weight());
  EXPECT_EQ(PowerOfTwo(5000) + PowerOfTwo(-5000), PowerOfTwo(5000));
  EXPECT_EQ(PowerOfTwo(-5000) + PowerOfTwo(5000), PowerOfTwo(5000));
}

}  // namespace
}  // namespace pushdown
