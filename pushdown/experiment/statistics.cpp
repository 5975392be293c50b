#include "pushdown/experiment/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/random.h"

namespace pushdown {
namespace {

constexpr std::uint64_t kBootstrapSeed = 1;

void RequireFinite(double value, const char* what, const char* function) {
  if (!std::isfinite(value)) throw Error(function, std::string(what) + " is not finite");
}

void RequireSd(double sd, const char* function) {
  RequireFinite(sd, "a standard deviation", function);
  if (sd < 0) throw Error(function, "a standard deviation is negative");
}

void RequirePositive(int number, const char* what, const char* function) {
  if (number >= 1) return;
  throw Error(function, std::string("the number of ") + what + " is " + std::to_string(number) +
                            ", and it must be at least 1");
}

// A standard deviation can be larger than all of its values.
double WithinRange(double sd, const char* function) {
  if (std::isfinite(sd)) return sd;
  throw Error(ErrorKind::kNumeric, function, "the standard deviation is too large for a number");
}

std::vector<double> Sorted(std::span<const double> values, const char* function) {
  for (double value : values) RequireFinite(value, "a value", function);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::vector<double> SortedSample(std::span<const double> values, const char* function) {
  if (values.empty()) throw Error(function, "there are no values");
  return Sorted(values, function);
}

// Of values that are sorted; 0 <= probability <= 1.
double Quantile(const std::vector<double>& sorted, double probability) {
  const double position = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

Interval Middle95Percent(std::vector<double> statistics) {
  std::sort(statistics.begin(), statistics.end());
  return {Quantile(statistics, 0.025), Quantile(statistics, 0.975)};
}

// A sample as distances from its smallest value. Distances between equal values are exactly zero,
// so that rounding gives such values no spread, and no mean other than themselves. The unit is a
// power of two, which makes all distances less than 2, so that their sums and squares do not
// overflow.
class Distances {
 public:
  // The values are sorted, and there is at least one.
  explicit Distances(const std::vector<double>& sorted) {
    std::frexp(std::max(std::abs(sorted.front()), std::abs(sorted.back())), &exponent_);
    smallest_ = std::ldexp(sorted.front(), -exponent_);
    distances_.reserve(sorted.size());
    for (double value : sorted) distances_.push_back(std::ldexp(value, -exponent_) - smallest_);
  }

  const std::vector<double>& distances() const { return distances_; }
  // The value at a distance.
  double Value(double distance) const { return std::ldexp(smallest_ + distance, exponent_); }
  // A difference of two distances as a difference of two values.
  double Difference(double difference) const { return std::ldexp(difference, exponent_); }

 private:
  int exponent_ = 0;
  double smallest_ = 0;
  std::vector<double> distances_;
};

}  // namespace

SampleSummary Summarize(std::span<const double> values) {
  constexpr const char* kFunction = "pushdown::Summarize";
  const std::vector<double> sorted = Sorted(values, kFunction);
  SampleSummary summary;
  if (sorted.empty()) return summary;
  summary.count = static_cast<int>(sorted.size());
  summary.best = sorted.front();
  summary.median = Quantile(sorted, 0.5);
  summary.lower_quartile = Quantile(sorted, 0.25);
  summary.upper_quartile = Quantile(sorted, 0.75);

  const Distances sample(sorted);
  const std::vector<double>& distances = sample.distances();
  const double mean = std::accumulate(distances.begin(), distances.end(), 0.0) / summary.count;
  summary.mean = sample.Value(mean);
  if (summary.count == 1) return summary;
  double squares = 0;
  for (double distance : distances) squares += (distance - mean) * (distance - mean);
  summary.sd = WithinRange(sample.Difference(std::sqrt(squares / (summary.count - 1))), kFunction);
  return summary;
}

std::optional<WelchTest> CompareMeans(const MeanOf& a, const MeanOf& b) {
  for (const MeanOf& sample : {a, b}) {
    RequireFinite(sample.mean, "a mean", "pushdown::CompareMeans");
    RequireSd(sample.sd, "pushdown::CompareMeans");
  }
  if (a.count < 2 || b.count < 2) return std::nullopt;
  // Halves of the standard errors and of the means, since the difference of two means can overflow.
  const double half_error_a = a.sd / std::sqrt(a.count) / 2;
  const double half_error_b = b.sd / std::sqrt(b.count) / 2;
  const double half_error = std::hypot(half_error_a, half_error_b);
  if (half_error == 0) return std::nullopt;
  // The samples' shares of the variance. In terms of them, the Welch-Satterthwaite equation has no
  // fourth powers of standard errors, which would overflow or underflow.
  const double share_a = half_error_a / half_error * (half_error_a / half_error);
  const double share_b = half_error_b / half_error * (half_error_b / half_error);
  WelchTest test{};
  test.t = (a.mean / 2 - b.mean / 2) / half_error;
  test.degrees_of_freedom =
      1 / (share_a * share_a / (a.count - 1) + share_b * share_b / (b.count - 1));
  // The lower tail, since the upper one would be lost in a difference from 1.
  const boost::math::students_t distribution(test.degrees_of_freedom);
  test.p = 2 * boost::math::cdf(distribution, -std::abs(test.t));
  return test;
}

double SampleFromPopulationSd(double population_sd, int count) {
  constexpr const char* kFunction = "pushdown::SampleFromPopulationSd";
  RequireSd(population_sd, kFunction);
  RequirePositive(count, "values", kFunction);
  if (count == 1) {
    if (population_sd > 0) throw Error(kFunction, "one value has a standard deviation above 0");
    return 0;
  }
  const double n = count;
  return WithinRange(population_sd * std::sqrt(n / (n - 1)), kFunction);
}

std::vector<double> HolmAdjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order;  // of the tests, by their p-values
  for (std::size_t n = 0; n < p_values.size(); ++n) {
    if (std::isnan(p_values[n])) continue;
    if (!(0 <= p_values[n] && p_values[n] <= 1)) {
      throw Error("pushdown::HolmAdjusted", "a p-value is not between 0 and 1");
    }
    order.push_back(n);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size(), std::numeric_limits<double>::quiet_NaN());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double remaining = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, remaining * p_values[order[rank]]));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

Interval BootstrapMean(std::span<const double> values, int resamples) {
  constexpr const char* kFunction = "pushdown::BootstrapMean";
  RequirePositive(resamples, "resamples", kFunction);
  const Distances sample(SortedSample(values, kFunction));
  const std::vector<double>& distances = sample.distances();
  const std::size_t count = distances.size();
  Random random(kBootstrapSeed);
  std::vector<double> means(static_cast<std::size_t>(resamples));
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t n = 0; n < count; ++n) sum += distances[random.Below(count)];
    mean = sample.Value(sum / static_cast<double>(count));
  }
  return Middle95Percent(std::move(means));
}

Interval BootstrapBest(std::span<const double> values, int draws, int resamples) {
  constexpr const char* kFunction = "pushdown::BootstrapBest";
  RequirePositive(draws, "draws", kFunction);
  RequirePositive(resamples, "resamples", kFunction);
  const std::vector<double> sorted = SortedSample(values, kFunction);
  Random random(kBootstrapSeed);
  std::vector<double> smallest(static_cast<std::size_t>(resamples));
  for (double& value : smallest) {
    std::uint64_t rank = sorted.size() - 1;
    for (int n = 0; n < draws; ++n) rank = std::min(rank, random.Below(sorted.size()));
    value = sorted[rank];
  }
  return Middle95Percent(std::move(smallest));
}

}  // namespace pushdown
