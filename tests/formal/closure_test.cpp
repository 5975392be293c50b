#include "pushdown/formal/closure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "pushdown/random.h"

namespace pushdown {
namespace {

using Graph = std::vector<std::vector<int>>;

// Whether there is a path, of any length, from each node to each other.
std::vector<std::vector<bool>> Reachability(const Graph& successors) {
  const std::size_t size = successors.size();
  std::vector<std::vector<bool>> reaches(size, std::vector<bool>(size, false));
  for (std::size_t node = 0; node < size; ++node) {
    reaches[node][node] = true;
    for (int successor : successors[node]) reaches[node][successor] = true;
  }
  for (std::size_t via = 0; via < size; ++via) {
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) {
        if (reaches[a][via] && reaches[via][b]) reaches[a][b] = true;
      }
    }
  }
  return reaches;
}

TEST(StronglyConnectedComponents, OfRandomGraphsAreThoseOfTheDefinition) {
  Random random(1);
  for (int n = 0; n < 300; ++n) {
    Graph graph(1 + random.Below(12));
    const std::size_t edges = random.Below(2 * graph.size() + 1);
    for (std::size_t edge = 0; edge < edges; ++edge) {
      graph[random.Below(graph.size())].push_back(static_cast<int>(random.Below(graph.size())));
    }
    const auto reaches = Reachability(graph);
    std::vector<int> component(graph.size(), -1);
    const auto components = StronglyConnectedComponents(graph);
    for (std::size_t c = 0; c < components.size(); ++c) {
      EXPECT_TRUE(std::is_sorted(components[c].begin(), components[c].end()));
      for (int node : components[c]) {
        EXPECT_EQ(component[node], -1) << "in two components";
        component[node] = static_cast<int>(c);
      }
    }
    for (std::size_t a = 0; a < graph.size(); ++a) {
      ASSERT_NE(component[a], -1);
      for (std::size_t b = 0; b < graph.size(); ++b) {
        EXPECT_EQ(component[a] == component[b], reaches[a][b] && reaches[b][a]);
        EXPECT_TRUE(!reaches[a][b] || component[a] >= component[b]) << "in the wrong order";
      }
    }
  }
}

TEST(StronglyConnectedComponents, DeepGraphsAreNoDeepRecursion) {
  constexpr int kNodes = 300000;
  Graph graph(kNodes);
  for (int n = 0; n + 1 < kNodes; ++n) graph[n].push_back(n + 1);
  EXPECT_EQ(StronglyConnectedComponents(graph).size(), static_cast<std::size_t>(kNodes));
  graph.back().push_back(0);
  EXPECT_EQ(StronglyConnectedComponents(graph).size(), 1u);
  EXPECT_TRUE(StronglyConnectedComponents({}).empty());
}

TEST(WeightMatrix, StarOfOneNumberIsAGeometricSeries) {
  for (double value : {0.0, 0.25, 0.5, 0.999}) {
    WeightMatrix matrix(1);
    matrix(0, 0) = value;
    ASSERT_TRUE(matrix.Star());
    EXPECT_NEAR(matrix(0, 0).ToDouble(), 1 / (1 - value), 1e-12);
  }
  for (double value : {1.0, 1.5, 1e200}) {
    WeightMatrix matrix(1);
    matrix(0, 0) = value;
    EXPECT_FALSE(matrix.Star()) << value;
  }
}

TEST(WeightMatrix, StarIsTheSumOfAllPowers) {
  Random random(2);
  for (int n = 0; n < 50; ++n) {
    const int size = 1 + static_cast<int>(random.Below(5));
    std::vector<std::vector<double>> a(size, std::vector<double>(size));
    WeightMatrix matrix(size);
    for (int row = 0; row < size; ++row) {
      for (int column = 0; column < size; ++column) {
        // Rows sum to 0.9 at most; half of the entries are zero.
        if (random.Below(2) == 0) a[row][column] = random.Uniform(0, 0.9 / size);
        matrix(row, column) = a[row][column];
      }
    }
    // S = I + A S, iterated: 0.9^400 is below 1e-18.
    std::vector<std::vector<double>> sum(size, std::vector<double>(size));
    for (int power = 0; power < 400; ++power) {
      auto next = sum;
      for (int row = 0; row < size; ++row) {
        for (int column = 0; column < size; ++column) {
          next[row][column] = row == column ? 1 : 0;
          for (int via = 0; via < size; ++via) {
            next[row][column] += a[row][via] * sum[via][column];
          }
        }
      }
      sum = next;
    }
    ASSERT_TRUE(matrix.Star());
    EXPECT_EQ(matrix.size(), size);
    for (int row = 0; row < size; ++row) {
      for (int column = 0; column < size; ++column) {
        EXPECT_NEAR(matrix(row, column).ToDouble(), sum[row][column], 1e-13);
      }
    }
  }
}

TEST(WeightMatrix, StarKnowsPathsBelowTheRangeOfDouble) {
  // 0 -> 1 -> 2 -> 0 of weights 1e-200: around once is 1e-600.
  WeightMatrix matrix(3);
  matrix(0, 1) = matrix(1, 2) = matrix(2, 0) = 1e-200;
  ASSERT_TRUE(matrix.Star());
  EXPECT_EQ(matrix(0, 0), Weight(1.0));
  EXPECT_NEAR(matrix(0, 2).Log(), 2 * std::log(1e-200), 1e-9);
}

TEST(WeightMatrix, StarThatIsNotFinite) {
  // Around the circle of two once is 4 * 0.25 = 1.
  WeightMatrix circle(2);
  circle(0, 1) = 4.0;
  circle(1, 0) = 0.25;
  EXPECT_FALSE(circle.Star());
  WeightMatrix smaller(2);
  smaller(0, 1) = 4.0;
  smaller(1, 0) = 0.125;
  ASSERT_TRUE(smaller.Star());
  EXPECT_NEAR(smaller(0, 1).ToDouble(), 8.0, 1e-14);
}

TEST(WeightMatrix, LargestEigenvalueOfACircle) {
  // The eigenvalues of [[0, a], [b, 0]] are the square roots of a b.
  const auto has_none_above_one = [](double a, double b) {
    WeightMatrix matrix(2);
    matrix(0, 1) = a;
    matrix(1, 0) = b;
    return matrix.HasNoEigenvalueAboveOne(1e-9);
  };
  EXPECT_TRUE(has_none_above_one(0.5, 0.5));
  EXPECT_TRUE(has_none_above_one(3, 0.33));
  EXPECT_FALSE(has_none_above_one(3, 0.34));
  EXPECT_FALSE(has_none_above_one(1e100, 1e-99));
}

}  // namespace
}  // namespace pushdown
