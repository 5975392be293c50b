// Against the functions of the standard library in double.

#include "pushdown/kernels/activations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "pushdown/kernels/denormals.h"
#include "pushdown/random.h"
#include "tests/kernels/simd_targets.h"

namespace pushdown {
namespace {

template <typename T>
constexpr double kEpsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
// What may be read beyond an array.
constexpr int kBeyond = 16;

class Activations : public testing_oracle::WithSimdTarget {};
INSTANTIATE_TEST_SUITE_P(AllTargets, Activations, testing::ValuesIn(AvailableSimdTargets()));

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

template <typename T>
std::vector<T> RandomLogits(Random& random, int size, double bound) {
  std::vector<T> logits(static_cast<std::size_t>(size + kBeyond));
  for (T& logit : logits) logit = static_cast<T>(random.Uniform(-bound, bound));
  return logits;
}

template <typename T>
void CheckSigmoids() {
  Random random(3);
  for (int size = 0; size <= 70; ++size) {
    const std::vector<T> arguments = RandomLogits<T>(random, size, size % 2 == 0 ? 3 : 80);
    std::vector<T> values = arguments;
    SigmoidInPlace(values.data(), size);
    for (std::size_t n = 0; n < values.size(); ++n) {
      if (n >= static_cast<std::size_t>(size)) {
        ASSERT_EQ(values[n], arguments[n]) << "written beyond " << size;
      } else {
        const double expected = Sigmoid(static_cast<double>(arguments[n]));
        ASSERT_NEAR(values[n], expected, 3 * kEpsilon<T> * expected) << arguments[n];
      }
    }
  }
}

TEST_P(Activations, SigmoidIsAccurateRelatively) {
  CheckSigmoids<float>();
  CheckSigmoids<double>();
}

template <typename T>
void CheckSigmoidLimits() {
  const T infinity = std::numeric_limits<T>::infinity();
  std::vector<T> values = {-infinity, -1000,    0,
                           1000,      infinity, std::numeric_limits<T>::quiet_NaN()};
  values.resize(values.size() + kBeyond);
  SigmoidInPlace(values.data(), 6);
  EXPECT_NEAR(values[0], 0, 1e-38);
  EXPECT_NEAR(values[1], 0, 1e-38);
  EXPECT_EQ(values[2], T{0.5});
  EXPECT_EQ(values[3], T{1});
  EXPECT_EQ(values[4], T{1});
  EXPECT_TRUE(std::isnan(values[5]));
}

template <typename T>
void CheckExactSigmoids() {
  const FlushDenormals flush;
  const T infinity = std::numeric_limits<T>::infinity();
  std::vector<T> values = {-infinity, -1000, -710, 40, 710, 1000, infinity};
  values.resize(values.size() + kBeyond);
  SigmoidInPlace(values.data(), 7);
  for (std::size_t n = 0; n < 7; ++n) EXPECT_EQ(values[n], n < 3 ? T{0} : T{1}) << n;
}

TEST_P(Activations, SigmoidIsExactAtItsLimits) {
  CheckExactSigmoids<float>();
  CheckExactSigmoids<double>();
}

TEST_P(Activations, SigmoidHasItsLimitsAndKeepsNan) {
  CheckSigmoidLimits<float>();
  CheckSigmoidLimits<double>();
}

template <typename T>
void CheckCrossEntropy(int steps, int size, double bound) {
  Random random(static_cast<std::uint64_t>(steps * 100 + size));
  const std::vector<T> logits = RandomLogits<T>(random, steps * size, bound);
  std::vector<int> targets;
  for (int t = 0; t < steps; ++t) {
    targets.push_back(static_cast<int>(random.Below(static_cast<std::uint64_t>(size))));
  }
  double loss = 0;
  std::vector<double> probabilities;
  for (int t = 0; t < steps; ++t) {
    const T* row = logits.data() + t * size;
    const auto max = static_cast<double>(*std::max_element(row, row + size));
    double sum = 0;
    for (int n = 0; n < size; ++n) sum += std::exp(static_cast<double>(row[n]) - max);
    for (int n = 0; n < size; ++n) {
      probabilities.push_back(std::exp(static_cast<double>(row[n]) - max) / sum);
    }
    loss += std::log(sum) + max - static_cast<double>(row[targets[static_cast<std::size_t>(t)]]);
  }
  const double tolerance = (steps + loss) * 4 * kEpsilon<T>;
  std::vector<T> actual = logits;
  EXPECT_NEAR(SoftmaxCrossEntropy(steps, size, actual.data(), targets.data(), false), loss,
              tolerance)
      << steps << " x " << size;
  actual = logits;
  EXPECT_NEAR(SoftmaxCrossEntropy(steps, size, actual.data(), targets.data(), true), loss,
              tolerance)
      << steps << " x " << size;
  for (std::size_t n = 0; n < actual.size(); ++n) {
    if (n < probabilities.size()) {
      // A difference of logits is rounded before its exponential.
      ASSERT_NEAR(actual[n], probabilities[n], (bound + 8) * kEpsilon<T> * probabilities[n])
          << steps << " x " << size << " entry " << n;
    } else {
      ASSERT_EQ(actual[n], logits[n]) << "written beyond " << steps << " x " << size;
    }
  }
}

TEST_P(Activations, CrossEntropyAndProbabilitiesAtEverySize) {
  for (int size = 1; size <= 40; ++size) {
    for (int steps : {1, 2, 3, 16, 17, 35}) {
      for (double bound : {1.0, 20.0}) {
        CheckCrossEntropy<float>(steps, size, bound);
        CheckCrossEntropy<double>(steps, size, bound);
      }
    }
  }
}

TEST_P(Activations, CrossEntropyOfLogitsThatAreNotFiniteIsNan) {
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity()}) {
    for (int size : {4, 20}) {
      for (int place = 0; place < 5 * size; place += 3) {
        std::vector<float> logits(static_cast<std::size_t>(5 * size + kBeyond), 0.5F);
        logits[static_cast<std::size_t>(place)] = bad;
        const std::vector<int> targets = {0, 1, 2, 3, 0};
        EXPECT_TRUE(
            std::isnan(SoftmaxCrossEntropy(5, size, logits.data(), targets.data(), place % 2 == 0)))
            << bad << " at " << place << " of 5 x " << size;
      }
    }
  }
}

// Rounding that is left out of a sum of logarithms would show after many steps.
TEST_P(Activations, CrossEntropyOfManySteps) {
  constexpr int kSteps = 10000;
  std::vector<float> logits(kSteps * 3 + kBeyond, 0.25F);
  const std::vector<int> targets(kSteps, 1);
  const double expected = kSteps * std::log(3.0);
  EXPECT_NEAR(SoftmaxCrossEntropy(kSteps, 3, logits.data(), targets.data(), true), expected,
              1e-12 * expected);
}

template <typename T>
void CheckSuperpositionActions(int stacks, int vector_size, double bound) {
  const int cols = 3 * stacks + vector_size;
  Random random(static_cast<std::uint64_t>(stacks * 100 + vector_size));
  // One row and the input 1: the products are the row.
  const std::vector<T> logits = RandomLogits<T>(random, cols, bound);
  AffineMatrix<T> matrix(1, cols);
  matrix.CopyColumns(logits.data(), cols, 0);
  const T one = 1;
  std::vector<T> actions(static_cast<std::size_t>(matrix.stride() + kBeyond));
  SuperpositionActions(matrix, &one, stacks, vector_size, actions.data());
  for (int n = 0; n < cols; ++n) {
    const auto logit = [&](int k) { return static_cast<double>(logits[static_cast<size_t>(k)]); };
    double expected = Sigmoid(logit(n));
    if (n < 3 * stacks) {
      const int first = n / 3 * 3;
      expected = 1 / (std::exp(logit(first) - logit(n)) + std::exp(logit(first + 1) - logit(n)) +
                      std::exp(logit(first + 2) - logit(n)));
    }
    ASSERT_NEAR(actions[static_cast<std::size_t>(n)], expected,
                (bound + 8) * kEpsilon<T> * expected)
        << stacks << " stacks, vectors of " << vector_size << ", entry " << n;
  }
}

TEST_P(Activations, ExponentialsAreProportionalToProbabilities) {
  for (const int size : {1, 2, 15, 16, 17, 100, 1000}) {
    Random random(static_cast<std::uint64_t>(size));
    std::vector<float> logits(static_cast<std::size_t>(size));
    for (float& logit : logits) logit = static_cast<float>(random.Uniform(-20, 20));
    const int target = size / 2;
    double total = 0;
    for (const float logit : logits) total += std::exp(static_cast<double>(logit));
    std::vector<float> weights = logits;
    weights.resize(weights.size() + 16);  // may be read
    float sum = 0;
    const double loss = SoftmaxExponentials(size, weights.data(), target, sum);
    EXPECT_NEAR(loss, std::log(total) - static_cast<double>(logits[target]), 2e-6);
    for (int n = 0; n < size; ++n) {
      EXPECT_NEAR(static_cast<double>(weights[n] / sum),
                  std::exp(static_cast<double>(logits[n])) / total, 1e-6);
    }
  }
}

TEST_P(Activations, SuperpositionActionsAtEverySize) {
  for (int stacks = 1; stacks <= 9; ++stacks) {
    for (int vector_size = 0; vector_size <= 40; vector_size += stacks) {
      for (double bound : {1.0, 20.0}) {
        CheckSuperpositionActions<float>(stacks, vector_size, bound);
        CheckSuperpositionActions<double>(stacks, vector_size, bound);
      }
    }
  }
}

TEST_P(Activations, SuperpositionActionsKeepNan) {
  for (int place = 0; place < 8; ++place) {
    AffineMatrix<float> matrix(1, 8);
    matrix.row(0)[place] = std::numeric_limits<float>::quiet_NaN();
    const float one = 1;
    std::vector<float> actions(static_cast<std::size_t>(matrix.stride() + kBeyond));
    SuperpositionActions(matrix, &one, 2, 2, actions.data());
    for (int n = 0; n < 8; ++n) {
      const bool affected = place < 6 ? n / 3 == place / 3 && n < 6 : n == place;
      EXPECT_EQ(std::isnan(actions[static_cast<std::size_t>(n)]), affected) << place << " to " << n;
    }
  }
}

}  // namespace
}  // namespace pushdown
