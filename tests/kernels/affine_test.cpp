#include "pushdown/kernels/affine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "pushdown/random.h"
#include "tests/kernels/simd_targets.h"

namespace pushdown {
namespace {

template <typename T>
std::vector<T> RandomVector(Random& random, int size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  for (T& value : values) value = static_cast<T>(random.Uniform(-1, 1));
  return values;
}

// A matrix and vectors whose padding is as the functions want it.
template <typename T>
struct Problem {
  Problem(int row_count, int col_count)
      : rows(row_count),
        cols(col_count),
        random(static_cast<std::uint64_t>(100 * rows + cols)),
        matrix(rows, cols),
        values(RandomVector<T>(random, rows * cols)),
        in(RandomVector<T>(random, rows)),
        initial(RandomVector<T>(random, cols)),
        out_gradient(RandomVector<T>(random, cols)) {
    matrix.CopyColumns(values.data(), cols, 0);
    initial.resize(static_cast<std::size_t>(matrix.stride()));
    out_gradient.resize(static_cast<std::size_t>(matrix.stride()));
  }
  double at(int row, int col) const {
    return static_cast<double>(values[static_cast<std::size_t>(row * cols + col)]);
  }
  // A sum of numbers of size one.
  double Tolerance(int terms) const {
    return (terms + 1) * static_cast<double>(std::numeric_limits<T>::epsilon());
  }

  int rows;
  int cols;
  Random random;
  AffineMatrix<T> matrix;
  std::vector<T> values;
  std::vector<T> in;
  std::vector<T> initial;
  std::vector<T> out_gradient;
};

template <typename T>
void CheckForward(int rows, int cols) {
  const Problem<T> problem(rows, cols);
  for (bool from_zero : {false, true}) {
    std::vector<T> out(static_cast<std::size_t>(problem.matrix.stride()), T{7});
    Affine(problem.matrix, problem.in.data(), from_zero ? nullptr : problem.initial.data(),
           out.data());
    for (int col = 0; col < cols; ++col) {
      const auto n = static_cast<std::size_t>(col);
      double expected = from_zero ? 0 : static_cast<double>(problem.initial[n]);
      for (int row = 0; row < rows; ++row) {
        expected +=
            static_cast<double>(problem.in[static_cast<std::size_t>(row)]) * problem.at(row, col);
      }
      ASSERT_NEAR(out[n], expected, problem.Tolerance(rows))
          << rows << " x " << cols << " column " << col << (from_zero ? " from zero" : "");
    }
  }
}

template <typename T>
void CheckBackward(int rows, int cols) {
  const Problem<T> problem(rows, cols);
  // Not for the last row, whose place is then left alone.
  std::vector<T> in_gradient(static_cast<std::size_t>(rows), T{1});
  AffineBackward(problem.matrix, rows - 1, problem.out_gradient.data(), in_gradient.data());
  EXPECT_EQ(in_gradient.back(), T{1});
  for (int row = 0; row < rows - 1; ++row) {
    double expected = 1;
    for (int col = 0; col < cols; ++col) {
      expected += static_cast<double>(problem.out_gradient[static_cast<std::size_t>(col)]) *
                  problem.at(row, col);
    }
    ASSERT_NEAR(in_gradient[static_cast<std::size_t>(row)], expected, problem.Tolerance(cols))
        << rows << " x " << cols << " row " << row;
  }
}

class AffineProduct : public testing_oracle::WithSimdTarget {};
INSTANTIATE_TEST_SUITE_P(AllTargets, AffineProduct, testing::ValuesIn(AvailableSimdTargets()));

// Rows around the chains of sums, columns past two blocks of vectors.
template <typename Check>
void ForSizes(const Check& check) {
  for (int cols = 1; cols <= 70; ++cols) check(1 + cols % 9, cols);
  for (int cols : {80, 95, 160, 177}) {
    for (int rows = 1; rows <= 9; ++rows) check(rows, cols);
  }
  check(300, 5);
  // Larger than the cache.
  check(64, 300);
  check(131, 257);
}

TEST_P(AffineProduct, EverySize) {
  ForSizes([](int rows, int cols) {
    CheckForward<float>(rows, cols);
    CheckForward<double>(rows, cols);
  });
}

TEST_P(AffineProduct, BackwardEverySize) {
  ForSizes([](int rows, int cols) {
    CheckBackward<float>(rows, cols);
    CheckBackward<double>(rows, cols);
  });
}

TEST_P(AffineProduct, NanStaysInItsColumn) {
  Problem<float> problem(6, 20);
  problem.matrix.row(3)[7] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> out(static_cast<std::size_t>(problem.matrix.stride()));
  Affine(problem.matrix, problem.in.data(), problem.initial.data(), out.data());
  for (std::size_t n = 0; n < 20; ++n) EXPECT_EQ(std::isnan(out[n]), n == 7) << n;
}

TEST(AffineMatrix, RowsAreWholeVectorsOfZerosAndWhatIsCopied) {
  AffineMatrix<float> matrix(3, 18);
  EXPECT_EQ(matrix.stride(), 32);
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  matrix.CopyColumns(values.data(), 2, 16);
  for (int row = 0; row < 3; ++row) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(matrix.row(row)) % 64, 0u);
    for (int col = 0; col < 32; ++col) {
      const bool copied = col == 16 || col == 17;
      EXPECT_EQ(matrix.row(row)[col], copied ? static_cast<float>(2 * row + col - 15) : 0.0F);
    }
  }
}

}  // namespace
}  // namespace pushdown
