#pragma once

#include <optional>
#include <span>
#include <vector>

namespace pushdown {

// Statistics of the scores of repeated runs, of which smaller ones are better. Every number that is
// given must be finite, except where NaN has a meaning of its own; the functions throw an Error
// otherwise. No result depends on the order of a sample.

struct SampleSummary {
  int count = 0;
  double best = 0;  // the smallest
  double mean = 0;
  double sd = 0;  // the sample standard deviation (n - 1); 0 for one value
  double median = 0;
  // By linear interpolation between order statistics (type 7 of Hyndman and Fan 1996, NumPy's
  // default), as is the median.
  double lower_quartile = 0;
  double upper_quartile = 0;
};

// The count, and with it all else, is 0 if there are no values. Throws an Error of kind kNumeric if
// the standard deviation is larger than any double.
SampleSummary Summarize(std::span<const double> values);

struct MeanOf {
  int count;
  double mean;
  double sd;  // the sample standard deviation
};

struct WelchTest {
  double t;
  double degrees_of_freedom;
  double p;  // two-sided
};

// Welch's t-test (1947) of the hypothesis that two samples are from populations of equal mean.
// There is no test if a sample has fewer than two values, or if neither sample has any spread:
// without an estimate of the noise, t is 0 / 0 or infinite, and a p of 0 or 1 would be a certainty
// that no sample gives.
std::optional<WelchTest> CompareMeans(const MeanOf& a, const MeanOf& b);

// The sample standard deviation (n - 1) of `count` values from their population standard deviation
// (n). One value has neither: it must come with 0, which is the result.
double SampleFromPopulationSd(double population_sd, int count);

// The p-values of several tests, corrected by Holm's method (1979), in the order given: a test is
// significant at a level, which is then that of all tests together, if its adjusted p-value is at
// most that level. NaN stands for a test that does not exist; it stays NaN and is not counted.
std::vector<double> HolmAdjusted(std::span<const double> p_values);

struct Interval {
  double low;
  double high;
};

// Percentile bootstrap intervals (Efron 1979): between the 2.5 % and 97.5 % quantiles of a
// statistic of resamples, which are drawn from the sample with replacement. The seed is fixed, so
// the same values always have the same interval. With few values the intervals are too narrow,
// since no resample has a value that the sample does not have. There must be at least one value.

// Of the mean of as many values as the sample has.
Interval BootstrapMean(std::span<const double> values, int resamples = 10000);
// Of the smallest of `draws` values.
Interval BootstrapBest(std::span<const double> values, int draws = 10, int resamples = 10000);

}  // namespace pushdown
