#include "pushdown/kernels/panels.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "pushdown/random.h"
#include "tests/kernels/simd_targets.h"

namespace pushdown {
namespace {

class Panels : public testing_oracle::WithSimdTarget {};
INSTANTIATE_TEST_SUITE_P(AllTargets, Panels, testing::ValuesIn(AvailableSimdTargets()));

template <typename T>
std::vector<T> RandomVector(Random& random, int size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  for (T& value : values) value = static_cast<T>(random.Uniform(-1, 1));
  return values;
}

constexpr int kGap = 5;  // between vectors, which must stay as it is

template <typename T>
void CheckProducts(int rows, int cols, int count, bool accumulate) {
  SCOPED_TRACE(testing::Message() << rows << " x " << cols << ", " << count << " vectors");
  Random random(static_cast<std::uint64_t>(1000 * rows + 10 * cols + count));
  const auto values = RandomVector<T>(random, rows * cols);
  const auto in = RandomVector<T>(random, count * (rows + kGap));
  const auto before = RandomVector<T>(random, count * (cols + kGap));
  // The same matrix from two parts, and from its transpose in two parts.
  const int left = cols / 3;
  std::vector<T> parts[2];
  std::vector<T> transposed_parts[2];
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      parts[col < left ? 0 : 1].push_back(values[static_cast<std::size_t>(row * cols + col)]);
    }
  }
  const int upper = rows / 2;
  for (int col = 0; col < cols; ++col) {
    for (int row = 0; row < rows; ++row) {
      transposed_parts[row < upper ? 0 : 1].push_back(
          values[static_cast<std::size_t>(row * cols + col)]);
    }
  }
  PanelMatrix<T> matrix(rows, cols);
  matrix.CopyColumns(parts[0].data(), left, 0);
  matrix.CopyColumns(parts[1].data(), cols - left, left);
  PanelMatrix<T> from_transpose(rows, cols);
  from_transpose.CopyTransposed(transposed_parts[0].data(), upper, 0);
  from_transpose.CopyTransposed(transposed_parts[1].data(), rows - upper, upper);

  std::vector<T> out = before;
  MultiplyPanels(matrix, count, in.data(), rows + kGap, out.data(), cols + kGap, accumulate);
  std::vector<T> again = before;
  MultiplyPanels(from_transpose, count, in.data(), rows + kGap, again.data(), cols + kGap,
                 accumulate);
  EXPECT_EQ(again, out);
  const double tolerance = (rows + 1) * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (int n = 0; n < count; ++n) {
    for (int col = 0; col < cols + kGap; ++col) {
      const auto index = static_cast<std::size_t>(n * (cols + kGap) + col);
      double expected = accumulate || col >= cols ? static_cast<double>(before[index]) : 0;
      for (int row = 0; row < rows && col < cols; ++row) {
        expected += static_cast<double>(in[static_cast<std::size_t>(n * (rows + kGap) + row)]) *
                    static_cast<double>(values[static_cast<std::size_t>(row * cols + col)]);
      }
      if (col < cols) {
        EXPECT_NEAR(static_cast<double>(out[index]), expected, tolerance);
      } else {
        EXPECT_EQ(out[index], before[index]) << "beyond the end";
      }
    }
    // Whichever vectors are multiplied with it, each has the same result bit for bit.
    std::vector<T> alone(before.begin() + n * (cols + kGap),
                         before.begin() + (n + 1) * (cols + kGap));
    MultiplyPanels(matrix, 1, in.data() + n * (rows + kGap), 0, alone.data(), 0, accumulate);
    for (int col = 0; col < cols; ++col) {
      EXPECT_EQ(alone[static_cast<std::size_t>(col)],
                out[static_cast<std::size_t>(n * (cols + kGap) + col)]);
    }
  }
}

TEST_P(Panels, ProductsAtEverySize) {
  for (const int rows : {1, 2, 17, 64}) {
    for (const int cols : {1, 3, 8, 15, 16, 17, 24, 33, 47, 48, 49, 64, 95, 96, 101}) {
      for (const int count : {1, 2, 3, 4, 5, 7, 8, 9, 13, 16}) {
        CheckProducts<float>(rows, cols, count, (count + cols) % 2 == 0);
        CheckProducts<double>(rows, cols, count, (count + cols) % 2 == 1);
      }
    }
  }
}

TEST_P(Panels, NoVectorsAreNoProblem) {
  const PanelMatrix<float> matrix(3, 5);
  MultiplyPanels<float>(matrix, 0, nullptr, 0, nullptr, 0, true);
}

}  // namespace
}  // namespace pushdown
