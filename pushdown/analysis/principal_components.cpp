#include "pushdown/analysis/principal_components.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <string>

#include "pushdown/error.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/symmetric_eigen.h"
#include "pushdown/memory.h"

namespace pushdown {
namespace {

std::vector<double> MeanOf(const PointTable& points) {
  std::vector<double> mean(points.dimensions);
  for (std::size_t n = 0; n < points.size(); ++n) {
    for (std::size_t d = 0; d < mean.size(); ++d) mean[d] += points[n][d];
  }
  for (double& value : mean) value /= static_cast<double>(points.size());
  return mean;
}

// Makes its largest number positive.
void ChooseSign(std::span<double> direction) {
  double largest = 0;
  for (const double x : direction) largest = std::max(largest, std::abs(x));
  // Which of two numbers that are equal but for rounding is larger must not matter.
  constexpr double kEqual = 1 - 1e-9;
  const auto first = std::find_if(direction.begin(), direction.end(),
                                  [&](double x) { return std::abs(x) >= largest * kEqual; });
  if (first == direction.end() || *first >= 0) return;
  for (double& x : direction) x = 0 - x;
}

}  // namespace

double PrincipalComponents::TotalVariance() const {
  return std::accumulate(variances.begin(), variances.end(), 0.0);
}

double PrincipalComponents::Share(std::size_t component) const {
  const double total = TotalVariance();
  return total > 0 ? variances[component] / total : std::numeric_limits<double>::quiet_NaN();
}

PrincipalComponents FindPrincipalComponents(const PointTable& points, std::size_t components) {
  const auto refuse = [](const std::string& message) {
    throw Error("pushdown::FindPrincipalComponents", message);
  };
  const std::size_t dimensions = points.dimensions;
  if (points.size() == 0) refuse("there are no points");
  if (components < 1 || components > dimensions) {
    refuse(std::to_string(components) + " components of points that have " +
           std::to_string(dimensions) + (dimensions == 1 ? " dimension" : " dimensions"));
  }
  const int size = static_cast<int>(dimensions);
  const int count = static_cast<int>(points.size());
  CheckMemory(SymmetricEigenBytes(size) + 8.0 * static_cast<double>(points.values.size()),
              "a principal component analysis in " + std::to_string(dimensions) + " dimensions",
              "a model with fewer hidden units needs less");
  InitializeBlas();

  PrincipalComponents result;
  result.mean = MeanOf(points);
  std::vector<double> centred = points.values;
  for (std::size_t n = 0; n < centred.size(); ++n) centred[n] -= result.mean[n % dimensions];
  std::vector<double> covariance(dimensions * dimensions);
  const Steps<const double> rows = {centred.data(), size};
  AddOuterProducts(count, size, size, rows, rows, covariance.data());
  for (double& value : covariance) value /= std::max(count - 1, 1);

  SymmetricEigen eigen = SolveSymmetricEigen(size, std::move(covariance));
  for (double& value : eigen.values) value = std::max(value, 0.0);  // but for rounding, they are
  result.variances = std::move(eigen.values);
  eigen.vectors.resize(components * dimensions);
  for (std::size_t k = 0; k < components; ++k) {
    ChooseSign(std::span(eigen.vectors).subspan(k * dimensions, dimensions));
  }
  result.directions = {dimensions, std::move(eigen.vectors)};
  result.projected = {components, std::vector<double>(points.size() * components)};
  AddTransposedProducts(
      count, static_cast<int>(components), size, result.directions.values.data(), rows,
      Steps<double>{result.projected.values.data(), static_cast<std::ptrdiff_t>(components)});
  return result;
}

}  // namespace pushdown
