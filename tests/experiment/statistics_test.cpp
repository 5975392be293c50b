#include "pushdown/experiment/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/random.h"

namespace pushdown {
namespace {

using Values = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kTiniest = std::numeric_limits<double>::denorm_min();

// The kind of the error that a call must throw.
ErrorKind KindOfError(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "there was no error";
  return ErrorKind::kSystem;
}

TEST(Summarize, IsThatOfNumPy) {
  // v = [3.5, -1.25, 8, 0.75, 4.5, 4.5, 12.25, 1.5]; numpy.mean(v), numpy.std(v, ddof=1),
  // numpy.median(v) and numpy.percentile(v, [25, 75]) of NumPy 1.24.
  const SampleSummary summary = Summarize(Values{3.5, -1.25, 8, 0.75, 4.5, 4.5, 12.25, 1.5});
  EXPECT_EQ(summary.count, 8);
  EXPECT_EQ(summary.best, -1.25);
  EXPECT_DOUBLE_EQ(summary.mean, 4.21875);
  EXPECT_DOUBLE_EQ(summary.sd, 4.2896001728432855);
  EXPECT_DOUBLE_EQ(summary.median, 4.0);
  EXPECT_DOUBLE_EQ(summary.lower_quartile, 1.3125);
  EXPECT_DOUBLE_EQ(summary.upper_quartile, 5.375);
}

TEST(Summarize, QuartilesAreValuesWhereTheirPlacesAreWhole) {
  const SampleSummary summary = Summarize(Values{50, 10, 40, 20, 30});
  EXPECT_EQ(summary.lower_quartile, 20);
  EXPECT_EQ(summary.median, 30);
  EXPECT_EQ(summary.upper_quartile, 40);
}

TEST(Summarize, IsNothingForNoValues) {
  const SampleSummary summary = Summarize({});
  EXPECT_EQ(summary.count, 0);
  EXPECT_EQ(summary.best, 0);
  EXPECT_EQ(summary.mean, 0);
  EXPECT_EQ(summary.sd, 0);
  EXPECT_EQ(summary.median, 0);
  EXPECT_EQ(summary.lower_quartile, 0);
  EXPECT_EQ(summary.upper_quartile, 0);
}

TEST(Summarize, EqualValuesHaveNoSpreadAndAreTheirMean) {
  // 0.1 + 0.1 + 0.1 is not 3 * 0.1.
  for (double value : {0.1, -0.3, 0.0, 1e300, kLargest, -kLargest, kTiniest}) {
    for (std::size_t count = 1; count <= 20; ++count) {
      const SampleSummary summary = Summarize(Values(count, value));
      EXPECT_EQ(summary.count, static_cast<int>(count));
      EXPECT_EQ(summary.best, value) << count;
      EXPECT_EQ(summary.mean, value) << count;
      EXPECT_EQ(summary.sd, 0) << count << " times " << value;
      EXPECT_EQ(summary.median, value) << count;
      EXPECT_EQ(summary.lower_quartile, value) << count;
      EXPECT_EQ(summary.upper_quartile, value) << count;
    }
  }
}

TEST(Summarize, DoesNotDependOnTheOrder) {
  Values values = {0.1, 0.2, 0.3, 1e16, -1e16};
  const SampleSummary sorted = Summarize(values);
  do {
    const SampleSummary summary = Summarize(values);
    EXPECT_EQ(summary.best, sorted.best);
    EXPECT_EQ(summary.mean, sorted.mean);
    EXPECT_EQ(summary.sd, sorted.sd);
    EXPECT_EQ(summary.median, sorted.median);
  } while (std::next_permutation(values.begin(), values.end()));
}

TEST(Summarize, KeepsASmallSpreadOfLargeValues) {
  // The spread is that of 0, 1, 2, 3: the variance is 5/3. Squares of the values would lose it.
  const SampleSummary summary = Summarize(Values{1e12, 1e12 + 1, 1e12 + 2, 1e12 + 3});
  EXPECT_DOUBLE_EQ(summary.mean, 1e12 + 1.5);
  EXPECT_DOUBLE_EQ(summary.sd, std::sqrt(5.0 / 3));
}

TEST(Summarize, SumsAndSquaresNeitherOverflowNorUnderflow) {
  // The variance of 1, 2, 6 is (4 + 1 + 9) / 2 = 7; scaling changes nothing but the scale.
  for (double scale : {1e-300, 1e-200, 1.0, 1e200, 1e307, -1e307}) {
    const SampleSummary summary = Summarize(Values{6 * scale, 1 * scale, 2 * scale});
    EXPECT_DOUBLE_EQ(summary.mean, 3 * scale);
    EXPECT_DOUBLE_EQ(summary.sd, std::sqrt(7.0) * std::abs(scale));
    EXPECT_DOUBLE_EQ(summary.median, 2 * scale);
  }
  const SampleSummary far_apart = Summarize(Values{-kLargest, kLargest / 2, kLargest / 2, 0});
  EXPECT_DOUBLE_EQ(far_apart.median, kLargest / 4);
  EXPECT_DOUBLE_EQ(far_apart.lower_quartile, -kLargest / 4);
  EXPECT_NEAR(far_apart.mean, 0, 1e-15 * kLargest);
  // The squares of -2, 0, 1, 1 (times half the largest) sum to 6.
  EXPECT_DOUBLE_EQ(far_apart.sd, std::sqrt(2.0) * (kLargest / 2));
  // The difference of two neighbours overflows, while their standard deviation does not.
  const SampleSummary two = Summarize(Values{-0.625 * kLargest, 0.625 * kLargest});
  EXPECT_EQ(two.median, 0);
  EXPECT_DOUBLE_EQ(two.lower_quartile, -0.3125 * kLargest);
  EXPECT_DOUBLE_EQ(two.upper_quartile, 0.3125 * kLargest);
}

TEST(Summarize, RefusesASpreadThatNoNumberHolds) {
  // The standard deviation would be the largest number times the square root of 2.
  EXPECT_EQ(KindOfError([] { Summarize(Values{-kLargest, kLargest}); }), ErrorKind::kNumeric);
}

TEST(Summarize, RefusesValuesThatAreNotFinite) {
  for (double bad : {kNan, kInfinity, -kInfinity}) {
    EXPECT_EQ(KindOfError([&] { Summarize(Values{1, bad, 2}); }), ErrorKind::kInput);
    EXPECT_EQ(KindOfError([&] { Summarize(Values{bad}); }), ErrorKind::kInput);
  }
}

TEST(CompareMeans, IsThatOfSciPy) {
  struct Case {
    MeanOf a;
    MeanOf b;
    WelchTest expected;
  };
  // t and p are scipy.stats.ttest_ind_from_stats(a.mean, a.sd, a.count, b.mean, b.sd, b.count,
  // equal_var=False) of SciPy 1.10, the degrees of freedom
  // scipy.stats._stats_py._unequal_var_ttest_denom(a.sd**2, a.count, b.sd**2, b.count)[0].
  const Case cases[] = {
      {{10, 1.21, 0.05},
       {10, 1.27, 0.08},
       {-2.0112045694619742, 15.100402457106549, 0.06250642411821399}},
      {{5, 20.1, 3.2},
       {30, 14.8, 0.4},
       {3.698674736333922, 4.020856698941216, 0.02066904873295026}},
      {{10, 0.5, 0.01},
       {12, 0.9, 0.012},
       {-85.28028654224417, 19.998330550918194, 4.263197950057933e-27}},
      {{100, 1e-3, 2e-4},
       {200, 1.1e-3, 5e-4},
       {-2.4618298195866557, 287.54994571845975, 0.014409902154757272}},
      {{2, 1, 0.1},
       {1000000, 1.05, 0.2},
       {-0.7071039527763938, 1.0000160000639997, 0.6081731157479786}},
  };
  for (const Case& c : cases) {
    const std::optional<WelchTest> test = CompareMeans(c.a, c.b);
    ASSERT_TRUE(test.has_value());
    // Means that differ little lose some digits of their difference.
    EXPECT_NEAR(test->t / c.expected.t, 1, 1e-12);
    EXPECT_NEAR(test->degrees_of_freedom / c.expected.degrees_of_freedom, 1, 1e-12);
    EXPECT_NEAR(test->p / c.expected.p, 1, 1e-11);
  }
}

TEST(CompareMeans, IsWelchsFormula) {
  // The squared standard errors are 4/4 = 1 and 4/2 = 2, so t = 3 / sqrt(3) with
  // (1 + 2)^2 / (1/3 + 4/1) = 27/13 degrees of freedom; p is 2 * scipy.stats.t.sf(3**.5, 27/13).
  const std::optional<WelchTest> test = CompareMeans({4, 5, 2}, {2, 2, 2});
  ASSERT_TRUE(test.has_value());
  EXPECT_DOUBLE_EQ(test->t, std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(test->degrees_of_freedom, 27.0 / 13);
  EXPECT_NEAR(test->p, 0.22075047103219642, 1e-14);
}

TEST(CompareMeans, OneSampleMayHaveNoSpread) {
  // All degrees of freedom are then those of the other sample. Student's distribution with one of
  // them is Cauchy's, and with two of them it has p = 1 - t / sqrt(2 + t^2).
  for (double mean : {0.0, 0.1, 1.0, 7.0}) {
    const std::optional<WelchTest> one = CompareMeans({2, mean, std::sqrt(2.0)}, {100, 0, 0});
    ASSERT_TRUE(one.has_value());
    EXPECT_DOUBLE_EQ(one->t, mean);
    EXPECT_DOUBLE_EQ(one->degrees_of_freedom, 1);
    EXPECT_NEAR(one->p, 1 - 2 / std::numbers::pi * std::atan(mean), 1e-14);
    const std::optional<WelchTest> two = CompareMeans({2, 0, 0}, {3, mean, std::sqrt(3.0)});
    ASSERT_TRUE(two.has_value());
    EXPECT_DOUBLE_EQ(two->t, -mean);
    EXPECT_DOUBLE_EQ(two->degrees_of_freedom, 2);
    EXPECT_NEAR(two->p, 1 - mean / std::sqrt(2 + mean * mean), 1e-14);
  }
}

TEST(CompareMeans, EqualMeansDoNotDiffer) {
  const std::optional<WelchTest> test = CompareMeans({10, 1.5, 0.1}, {7, 1.5, 0.3});
  ASSERT_TRUE(test.has_value());
  EXPECT_EQ(test->t, 0);
  EXPECT_EQ(test->p, 1);
}

TEST(CompareMeans, TheOrderOfTheSamplesOnlyChangesTheSign) {
  Random random(1);
  for (int n = 0; n < 200; ++n) {
    const MeanOf a{static_cast<int>(2 + random.Below(30)), random.Uniform(), random.Uniform()};
    const MeanOf b{static_cast<int>(2 + random.Below(30)), random.Uniform(), random.Uniform()};
    const std::optional<WelchTest> forward = CompareMeans(a, b);
    const std::optional<WelchTest> backward = CompareMeans(b, a);
    ASSERT_TRUE(forward.has_value() && backward.has_value());
    EXPECT_DOUBLE_EQ(forward->t, -backward->t);
    EXPECT_DOUBLE_EQ(forward->degrees_of_freedom, backward->degrees_of_freedom);
    EXPECT_DOUBLE_EQ(forward->p, backward->p);
    EXPECT_GE(forward->p, 0);
    EXPECT_LE(forward->p, 1);
  }
}

TEST(CompareMeans, NoScaleOverflowsOrUnderflows) {
  // As in IsWelchsFormula.
  for (double scale : {1e-300, 1e-200, 1e200, 3e307}) {
    const std::optional<WelchTest> test =
        CompareMeans({4, 5 * scale, 2 * scale}, {2, 2 * scale, 2 * scale});
    ASSERT_TRUE(test.has_value()) << scale;
    EXPECT_DOUBLE_EQ(test->t, std::sqrt(3.0)) << scale;
    EXPECT_DOUBLE_EQ(test->degrees_of_freedom, 27.0 / 13) << scale;
  }
  // The means differ by more than any number, in standard errors of half the largest one.
  const std::optional<WelchTest> far_apart =
      CompareMeans({4, kLargest, kLargest}, {4, -kLargest, 0});
  ASSERT_TRUE(far_apart.has_value());
  EXPECT_DOUBLE_EQ(far_apart->t, 4);
}

TEST(CompareMeans, APOfZeroIsOneThatNoNumberHolds) {
  const std::optional<WelchTest> test = CompareMeans({100, 1, 1e-310}, {100, 2, 1e-310});
  ASSERT_TRUE(test.has_value());
  EXPECT_EQ(test->t, -kInfinity);
  EXPECT_EQ(test->p, 0);
}

TEST(CompareMeans, IsNothingWithoutTwoSamplesOrSpread) {
  EXPECT_FALSE(CompareMeans({1, 1, 0}, {10, 2, 1}).has_value());
  EXPECT_FALSE(CompareMeans({10, 1, 1}, {1, 2, 0}).has_value());
  EXPECT_FALSE(CompareMeans({0, 0, 0}, {10, 2, 1}).has_value());
  EXPECT_FALSE(CompareMeans({10, 1, 0}, {10, 2, 0}).has_value());
  EXPECT_FALSE(CompareMeans({10, 1, 0}, {10, 1, 0}).has_value());
}

TEST(CompareMeans, RefusesNumbersThatAreNotFiniteOrNegativeSpread) {
  const MeanOf good{10, 1, 1};
  for (double bad : {kNan, kInfinity, -kInfinity}) {
    for (const MeanOf& sample : {MeanOf{10, bad, 1}, MeanOf{10, 1, bad}, MeanOf{1, bad, 0}}) {
      EXPECT_EQ(KindOfError([&] { CompareMeans(sample, good); }), ErrorKind::kInput);
      EXPECT_EQ(KindOfError([&] { CompareMeans(good, sample); }), ErrorKind::kInput);
    }
  }
  EXPECT_EQ(KindOfError([&] { CompareMeans(good, {10, 1, -0.5}); }), ErrorKind::kInput);
}

TEST(SampleFromPopulationSd, IsThatOfTheSameValues) {
  // 2, 4, 4, 4, 5, 5, 7, 9 have a population variance of 32/8 and a sample variance of 32/7.
  EXPECT_DOUBLE_EQ(SampleFromPopulationSd(2, 8), std::sqrt(32.0 / 7));
  // 0 and 2: 2/2 and 2/1.
  EXPECT_DOUBLE_EQ(SampleFromPopulationSd(1, 2), std::sqrt(2.0));
  EXPECT_EQ(SampleFromPopulationSd(0, 5), 0);
  EXPECT_EQ(SampleFromPopulationSd(0, 1), 0);
}

TEST(SampleFromPopulationSd, RefusesWhatIsNoStandardDeviation) {
  EXPECT_EQ(KindOfError([] { SampleFromPopulationSd(1, 1); }), ErrorKind::kInput);
  EXPECT_EQ(KindOfError([] { SampleFromPopulationSd(1, 0); }), ErrorKind::kInput);
  EXPECT_EQ(KindOfError([] { SampleFromPopulationSd(1, -3); }), ErrorKind::kInput);
  EXPECT_EQ(KindOfError([] { SampleFromPopulationSd(-1, 5); }), ErrorKind::kInput);
  EXPECT_EQ(KindOfError([] { SampleFromPopulationSd(kNan, 5); }), ErrorKind::kInput);
  EXPECT_EQ(KindOfError([] { SampleFromPopulationSd(kInfinity, 5); }), ErrorKind::kInput);
  EXPECT_EQ(KindOfError([] { SampleFromPopulationSd(kLargest, 2); }), ErrorKind::kNumeric);
}

// Holm's method is the closed test of Bonferroni's: a hypothesis is rejected if every set of
// hypotheses that it is in is rejected, each at the level divided by the size of the set.
Values ClosedBonferroni(const Values& p_values) {
  Values adjusted(p_values.size(), 0);
  for (unsigned set = 1; set < 1u << p_values.size(); ++set) {
    double size = 0;
    double smallest = 1;
    for (std::size_t n = 0; n < p_values.size(); ++n) {
      if ((set >> n & 1) == 0) continue;
      ++size;
      smallest = std::min(smallest, p_values[n]);
    }
    const double p = std::min(1.0, size * smallest);
    for (std::size_t n = 0; n < p_values.size(); ++n) {
      if ((set >> n & 1) == 1) adjusted[n] = std::max(adjusted[n], p);
    }
  }
  return adjusted;
}

Values RandomPValues(Random& random, std::size_t count) {
  Values p_values(count);
  for (double& p : p_values) {
    p = random.Uniform();
    // Small ones, since large ones are all adjusted to 1, and ones that are likely to be equal.
    if (random.Below(2) == 0) p *= p * p;
    if (random.Below(4) == 0) p = std::floor(p * 20) / 20;
  }
  return p_values;
}

TEST(HolmAdjusted, IsHolmsMethod) {
  // By hand: 4 * 0.005, 3 * 0.01 and 2 * 0.03; then 1 * 0.04 is less than 0.06.
  const Values adjusted = HolmAdjusted(Values{0.01, 0.04, 0.03, 0.005});
  ASSERT_EQ(adjusted.size(), 4u);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
}

TEST(HolmAdjusted, IsTheClosedTestOfBonferroni) {
  Random random(2);
  for (int n = 0; n < 300; ++n) {
    const Values p_values = RandomPValues(random, random.Below(9));
    EXPECT_EQ(HolmAdjusted(p_values), ClosedBonferroni(p_values))
        << testing::PrintToString(p_values);
  }
}

TEST(HolmAdjusted, NeverDecreasesAndIsMonotoneAndAtMostOne) {
  Random random(3);
  for (int n = 0; n < 300; ++n) {
    const Values p_values = RandomPValues(random, random.Below(40));
    const Values adjusted = HolmAdjusted(p_values);
    ASSERT_EQ(adjusted.size(), p_values.size());
    for (std::size_t a = 0; a < p_values.size(); ++a) {
      EXPECT_GE(adjusted[a], p_values[a]);
      EXPECT_LE(adjusted[a], 1);
      for (std::size_t b = 0; b < p_values.size(); ++b) {
        if (p_values[a] <= p_values[b]) {
          EXPECT_LE(adjusted[a], adjusted[b]) << p_values[a] << " " << p_values[b];
        }
      }
    }
  }
}

TEST(HolmAdjusted, TestsThatDoNotExistDoNotCount) {
  const Values adjusted = HolmAdjusted(Values{kNan, 0.02, kNan, 0.03, kNan});
  ASSERT_EQ(adjusted.size(), 5u);
  EXPECT_TRUE(std::isnan(adjusted[0]));
  EXPECT_DOUBLE_EQ(adjusted[1], 0.04);
  EXPECT_TRUE(std::isnan(adjusted[2]));
  EXPECT_DOUBLE_EQ(adjusted[3], 0.04);
  EXPECT_TRUE(std::isnan(adjusted[4]));
}

TEST(HolmAdjusted, OneTestOrNoneNeedsNoCorrection) {
  EXPECT_EQ(HolmAdjusted({}), Values{});
  EXPECT_EQ(HolmAdjusted(Values{0.03}), Values{0.03});
  EXPECT_EQ(HolmAdjusted(Values{0, 1, 1}), (Values{0, 1, 1}));
}

TEST(HolmAdjusted, RefusesWhatIsNoProbability) {
  for (double bad : {-0.001, 1.001, kInfinity, -kInfinity}) {
    EXPECT_EQ(KindOfError([&] { HolmAdjusted(Values{0.5, bad}); }), ErrorKind::kInput);
  }
}

// The 2.5 % and 97.5 % quantiles of a distribution. They must be clear: the quantile of resamples
// is the same, unless the number of resamples up to a value is five standard errors from its
// expectation.
Interval ExactInterval(const std::map<double, double>& probabilities, int resamples) {
  const auto quantile = [&](double at) {
    const double margin = 5 * std::sqrt(at * (1 - at) / resamples);
    double sum = 0;
    for (const auto& [value, probability] : probabilities) {
      sum += probability;
      EXPECT_GT(std::abs(sum - at), margin) << "the quantile is not clear, near " << value;
      if (sum > at) return value;
    }
    ADD_FAILURE() << "the probabilities sum to " << sum;
    return kNan;
  };
  return {quantile(0.025), quantile(0.975)};
}

// C(n, k) p^k (1 - p)^(n - k) for k of the means k / n.
std::map<double, double> BinomialMeans(int n, double p) {
  std::map<double, double> probabilities;
  double ways = 1;
  for (int k = 0; k <= n; ++k) {
    probabilities[static_cast<double>(k) / n] = ways * std::pow(p, k) * std::pow(1 - p, n - k);
    ways = ways * (n - k) / (k + 1);
  }
  return probabilities;
}

TEST(BootstrapMean, OfTwoPointsIsBinomial) {
  struct Case {
    int zeros;
    int ones;
  };
  const Case cases[] = {{1, 1}, {1, 2}, {5, 5}, {4, 6}, {18, 2}, {12, 13}, {4, 36}};
  for (const Case& c : cases) {
    const int count = c.zeros + c.ones;
    Values values(static_cast<std::size_t>(c.zeros), 0.0);
    values.resize(static_cast<std::size_t>(count), 1.0);
    const Interval expected =
        ExactInterval(BinomialMeans(count, static_cast<double>(c.ones) / count), 10000);
    const Interval interval = BootstrapMean(values);
    EXPECT_DOUBLE_EQ(interval.low, expected.low) << c.zeros << " " << c.ones;
    EXPECT_DOUBLE_EQ(interval.high, expected.high) << c.zeros << " " << c.ones;
  }
}

TEST(BootstrapMean, IsThatOfAllResamples) {
  const Values values = {-3, 0, 1, 4};
  std::map<double, double> probabilities;
  for (double a : values) {
    for (double b : values) {
      for (double c : values) {
        for (double d : values) probabilities[(a + b + c + d) / 4] += 1.0 / 256;
      }
    }
  }
  constexpr int kResamples = 200000;
  const Interval expected = ExactInterval(probabilities, kResamples);
  const Interval interval = BootstrapMean(values, kResamples);
  EXPECT_DOUBLE_EQ(interval.low, expected.low);
  EXPECT_DOUBLE_EQ(interval.high, expected.high);
}

TEST(BootstrapMean, NoScaleOverflows) {
  Values values(50, -kLargest);
  values.resize(100, kLargest);
  const Interval interval = BootstrapMean(values);
  // The mean of a hundred signs has a standard deviation of 0.1.
  EXPECT_NEAR(interval.low / kLargest, -0.196, 0.02);
  EXPECT_NEAR(interval.high / kLargest, 0.196, 0.02);
}

// P(smallest >= x_k) = ((n - k + 1) / n)^draws for the k-th smallest of n values.
std::map<double, double> SmallestOfDraws(Values values, int draws) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  std::map<double, double> probabilities;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double above = n - static_cast<double>(k);
    probabilities[values[k]] += std::pow(above / n, draws) - std::pow((above - 1) / n, draws);
  }
  return probabilities;
}

TEST(BootstrapBest, IsTheClosedForm) {
  struct Case {
    std::size_t count;
    int draws;
  };
  const Case cases[] = {{2, 1},   {5, 3},  {5, 10},  {10, 10}, {20, 5},
                        {20, 10}, {30, 2}, {50, 10}, {100, 1}};
  for (const Case& c : cases) {
    // The squares of 0 .. count - 1, out of order; 7 has no divisor in common with a count.
    Values values(c.count);
    for (std::size_t n = 0; n < c.count; ++n) {
      const double root = static_cast<double>(7 * n % c.count);
      values[n] = root * root;
    }
    constexpr int kResamples = 100000;
    const Interval expected = ExactInterval(SmallestOfDraws(values, c.draws), kResamples);
    const Interval interval = BootstrapBest(values, c.draws, kResamples);
    EXPECT_EQ(interval.low, expected.low) << c.count << " values, " << c.draws << " draws";
    EXPECT_EQ(interval.high, expected.high) << c.count << " values, " << c.draws << " draws";
  }
}

TEST(BootstrapBest, CountsTies) {
  const Values values = {3, 1, 2, 1, 3, 2, 3, 3, 3, 2};
  for (int draws : {1, 2, 4}) {
    const Interval expected = ExactInterval(SmallestOfDraws(values, draws), 10000);
    const Interval interval = BootstrapBest(values, draws);
    EXPECT_EQ(interval.low, expected.low) << draws;
    EXPECT_EQ(interval.high, expected.high) << draws;
  }
}

TEST(Bootstrap, TenDrawsAndTenThousandResamplesAreTheDefault) {
  Values values(1000);
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<double>(n);
  EXPECT_EQ(BootstrapBest(values).high, BootstrapBest(values, 10, 10000).high);
  EXPECT_EQ(BootstrapMean(values).high, BootstrapMean(values, 10000).high);
}

TEST(Bootstrap, TheSameValuesHaveTheSameInterval) {
  const Values values = {0.3, 0.1, 0.7, 0.2, 0.9, 0.4};
  const Values other_order = {0.9, 0.7, 0.4, 0.3, 0.2, 0.1};
  const Interval mean = BootstrapMean(values, 1001);
  const Interval best = BootstrapBest(values, 3, 1001);
  for (const Values& each : {values, other_order}) {
    EXPECT_EQ(BootstrapMean(each, 1001).low, mean.low);
    EXPECT_EQ(BootstrapMean(each, 1001).high, mean.high);
    EXPECT_EQ(BootstrapBest(each, 3, 1001).low, best.low);
    EXPECT_EQ(BootstrapBest(each, 3, 1001).high, best.high);
  }
}

TEST(Bootstrap, EqualValuesAreTheirInterval) {
  for (double value : {0.1, 0.0, -2.7, kLargest, kTiniest}) {
    for (std::size_t count : {1u, 2u, 3u, 10u}) {
      const Values values(count, value);
      for (const Interval& interval : {BootstrapMean(values, 100), BootstrapBest(values, 5, 100)}) {
        EXPECT_EQ(interval.low, value) << count;
        EXPECT_EQ(interval.high, value) << count;
      }
    }
  }
}

TEST(Bootstrap, OneResampleIsItsOwnInterval) {
  const Values values = {1, 2, 3, 4, 5};
  const Interval mean = BootstrapMean(values, 1);
  EXPECT_EQ(mean.low, mean.high);
  const Interval best = BootstrapBest(values, 2, 1);
  EXPECT_EQ(best.low, best.high);
}

TEST(Bootstrap, RefusesNoValuesAndValuesThatAreNotFinite) {
  for (const Values& bad : {Values{}, Values{1, kNan}, Values{kInfinity}, Values{0, -kInfinity}}) {
    EXPECT_EQ(KindOfError([&] { BootstrapMean(bad); }), ErrorKind::kInput);
    EXPECT_EQ(KindOfError([&] { BootstrapBest(bad); }), ErrorKind::kInput);
  }
}

TEST(Bootstrap, RefusesToDrawNothing) {
  const Values values = {1, 2};
  for (int bad : {0, -1}) {
    EXPECT_EQ(KindOfError([&] { BootstrapMean(values, bad); }), ErrorKind::kInput);
    EXPECT_EQ(KindOfError([&] { BootstrapBest(values, bad); }), ErrorKind::kInput);
    EXPECT_EQ(KindOfError([&] { BootstrapBest(values, 10, bad); }), ErrorKind::kInput);
  }
}

}  // namespace
}  // namespace pushdown
