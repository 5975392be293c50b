#include "pushdown/analysis/principal_components.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/symmetric_eigen.h"
#include "pushdown/random.h"

namespace pushdown {
namespace {

PointTable RandomPoints(std::size_t count, std::size_t dimensions, std::uint64_t seed) {
  Random random(seed);
  PointTable points = {dimensions};
  for (std::size_t n = 0; n < count * dimensions; ++n) {
    // Each dimension varies differently.
    points.values.push_back(random.Uniform(-1, 1) * static_cast<double>(1 + n % dimensions));
  }
  return points;
}

using Matrix = std::vector<std::vector<double>>;

Matrix Covariance(const PointTable& points) {
  const std::size_t size = points.dimensions;
  std::vector<double> mean(size);
  for (std::size_t n = 0; n < points.size(); ++n) {
    for (std::size_t d = 0; d < size; ++d) mean[d] += points[n][d];
  }
  for (double& x : mean) x /= static_cast<double>(points.size());
  Matrix covariance(size, std::vector<double>(size));
  for (std::size_t n = 0; n < points.size(); ++n) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        covariance[i][j] += (points[n][i] - mean[i]) * (points[n][j] - mean[j]);
      }
    }
  }
  for (auto& row : covariance) {
    for (double& x : row) x /= static_cast<double>(points.size() - 1);
  }
  return covariance;
}

// The eigenvalues of a symmetric matrix in descending order, by Jacobi's rotations.
std::vector<double> JacobiEigenvalues(Matrix a) {
  const std::size_t size = a.size();
  for (int sweep = 0; sweep < 50; ++sweep) {
    for (std::size_t p = 0; p < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) {
        if (a[p][q] == 0) continue;
        const double angle = 0.5 * std::atan2(2 * a[p][q], a[q][q] - a[p][p]);
        const double c = std::cos(angle);
        const double s = std::sin(angle);
        for (std::size_t k = 0; k < size; ++k) {
          const double kp = a[k][p];
          const double kq = a[k][q];
          a[k][p] = c * kp - s * kq;
          a[k][q] = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < size; ++k) {
          const double pk = a[p][k];
          const double qk = a[q][k];
          a[p][k] = c * pk - s * qk;
          a[q][k] = s * pk + c * qk;
        }
      }
    }
  }
  std::vector<double> values;
  for (std::size_t n = 0; n < size; ++n) values.push_back(a[n][n]);
  std::sort(values.rbegin(), values.rend());
  return values;
}

// Points on the line y = x, and one pair beside it: mean (1,1), covariance
// ((4+4+1+1)/3, (4+4-1-1)/3) = (10/3, 2), whose eigenvalues are 10/3 +- 2 along (1,1) and (1,-1).
TEST(PrincipalComponents, OfFourPointsAreThoseComputedByHand) {
  const PointTable points = {2, {-1, -1, 3, 3, 0, 2, 2, 0}};
  const PrincipalComponents found = FindPrincipalComponents(points, 2);
  EXPECT_EQ(found.mean, (std::vector<double>{1, 1}));
  ASSERT_EQ(found.variances.size(), 2u);
  EXPECT_NEAR(found.variances[0], 16.0 / 3, 1e-12);
  EXPECT_NEAR(found.variances[1], 4.0 / 3, 1e-12);
  EXPECT_NEAR(found.Share(0), 0.8, 1e-12);
  EXPECT_NEAR(found.TotalVariance(), 20.0 / 3, 1e-12);
  const double root = std::sqrt(0.5);
  // Of two numbers of the same size, the first one is positive.
  const std::vector<double> directions = {root, root, root, -root};
  const std::vector<double> projected = {-4 * root, 0, 4 * root, 0, 0, -2 * root, 0, 2 * root};
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_NEAR(found.directions.values[n], directions[n], 1e-12) << n;
  }
  for (std::size_t n = 0; n < 8; ++n) {
    EXPECT_NEAR(found.projected.values[n], projected[n], 1e-12) << n;
  }
}

TEST(PrincipalComponents, VariancesAreThoseOfAnotherMethod) {
  for (const std::size_t dimensions : {1, 2, 6, 20, 33}) {
    const PointTable points = RandomPoints(100, dimensions, dimensions);
    const PrincipalComponents found = FindPrincipalComponents(points, 1);
    const std::vector<double> expected = JacobiEigenvalues(Covariance(points));
    ASSERT_EQ(found.variances.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(found.variances[k], expected[k], 1e-10 * expected[0]) << dimensions << " " << k;
    }
  }
}

TEST(PrincipalComponents, ProjectionsHaveTheVariancesAndNothingIsLost) {
  const std::size_t dimensions = 7;
  const PointTable points = RandomPoints(50, dimensions, 3);
  const PrincipalComponents found = FindPrincipalComponents(points, dimensions);
  for (std::size_t k = 0; k < dimensions; ++k) {
    double sum = 0;
    double squares = 0;
    for (std::size_t n = 0; n < points.size(); ++n) {
      sum += found.projected[n][k];
      squares += found.projected[n][k] * found.projected[n][k];
    }
    EXPECT_NEAR(sum, 0, 1e-10);
    EXPECT_NEAR(squares / 49, found.variances[k], 1e-10);
    for (std::size_t l = 0; l < dimensions; ++l) {
      double product = 0;
      for (std::size_t d = 0; d < dimensions; ++d) {
        product += found.directions[k][d] * found.directions[l][d];
      }
      EXPECT_NEAR(product, k == l ? 1 : 0, 1e-12);
    }
  }
  for (std::size_t n = 0; n < points.size(); ++n) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      double sum = found.mean[d];
      for (std::size_t k = 0; k < dimensions; ++k) {
        sum += found.projected[n][k] * found.directions[k][d];
      }
      EXPECT_NEAR(sum, points[n][d], 1e-12);
    }
  }
}

TEST(PrincipalComponents, PointsThatAreAllTheSameHaveNoVariance) {
  for (const std::size_t count : {1, 5}) {
    PointTable points = {3};
    for (std::size_t n = 0; n < count; ++n) {
      points.values.insert(points.values.end(), {0.25, 0.5, 0.25});
    }
    const PrincipalComponents found = FindPrincipalComponents(points, 2);
    EXPECT_EQ(found.TotalVariance(), 0);
    EXPECT_TRUE(std::isnan(found.Share(0)));
    for (const double x : found.projected.values) EXPECT_EQ(x, 0);
  }
}

// Two points span one dimension; a third component has no variance, but is a direction.
TEST(PrincipalComponents, MayBeMoreThanThePoints) {
  const PrincipalComponents found = FindPrincipalComponents({3, {0, 0, 0, 2, 0, 0}}, 3);
  EXPECT_NEAR(found.variances[0], 2, 1e-15);
  EXPECT_NEAR(found.variances[1], 0, 1e-15);
  EXPECT_NEAR(found.variances[2], 0, 1e-15);
  EXPECT_EQ(found.directions.size(), 3u);
}

TEST(PrincipalComponents, RefuseWhatTheyCannotAnalyze) {
  EXPECT_THROW(FindPrincipalComponents({2, {}}, 1), Error);
  EXPECT_THROW(FindPrincipalComponents({2, {1, 2}}, 3), Error);
  EXPECT_THROW(FindPrincipalComponents({2, {1, 2}}, 0), Error);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(FindPrincipalComponents({2, {1, 2, infinity, 3}}, 1), Error);
  EXPECT_THROW(SolveSymmetricEigen(2, {1, 2, 3}), Error);
}

}  // namespace
}  // namespace pushdown
