#include "pushdown/kernels/rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/kernels/random_stack.h"
#include "tests/kernels/simd_targets.h"

namespace pushdown {
namespace {

// Rows of random numbers with zeros after them, as the kernels keep them, starting anywhere.
template <typename T>
struct PaddedRows {
  PaddedRows(Random& random, int count, int row_length, int misalignment)
      : length(row_length),
        storage(static_cast<std::size_t>(count * RowStride<T>(row_length) + misalignment)),
        rows{storage.data() + misalignment, RowStride<T>(row_length), count} {
    for (int m = 0; m < count; ++m) {
      for (int j = 0; j < length; ++j) {
        storage[static_cast<std::size_t>(misalignment + m * rows.stride + j)] =
            static_cast<T>(random.Uniform(-1, 1));
      }
    }
  }
  double At(int row, int j) const { return static_cast<double>(rows.data[row * rows.stride + j]); }

  int length;
  std::vector<T> storage;
  Rows<const T> rows;
};

template <typename T>
double Tolerance(int terms) {
  return 4 * (terms + 1) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

template <typename T>
void CheckRows(int length, int row_count, int outputs, bool accumulate) {
  SCOPED_TRACE("length " + std::to_string(length) + " rows " + std::to_string(row_count) +
               " outputs " + std::to_string(outputs) + (accumulate ? " accumulating" : ""));
  Random random(static_cast<std::uint64_t>(length * 100 + row_count * 10 + outputs));
  const PaddedRows<T> padded(random, row_count, length, length % 5);
  // Either index may be the faster one; the coefficients need not be dense.
  const bool transposed = length % 3 == 0;
  const int row_step = transposed ? 1 : outputs + 1;
  const int output_step = transposed ? row_count + 1 : 1;
  std::vector<T> coefficients;
  for (int j = 0; j < (row_count + 1) * (outputs + 1); ++j) {
    coefficients.push_back(static_cast<T>(random.Uniform(-1, 1)));
  }

  const int stride = RowStride<T>(length);
  std::vector<T> out(static_cast<std::size_t>(outputs * stride), T{7});
  CombineRows<T>(padded.rows, {coefficients.data(), row_step, output_step},
                 {out.data(), stride, outputs}, length, accumulate);
  for (int r = 0; r < outputs; ++r) {
    const T* row = out.data() + r * stride;
    for (int j = 0; j < length; ++j) {
      double expected = accumulate ? 7 : 0;
      for (int m = 0; m < row_count; ++m) {
        expected += static_cast<double>(
                        coefficients[static_cast<std::size_t>(m * row_step + r * output_step)]) *
                    padded.At(m, j);
      }
      ASSERT_NEAR(static_cast<double>(row[j]), expected, Tolerance<T>(row_count + 7))
          << "output " << r << " at " << j;
    }
    // Whole vectors are written: zeros after the row, and nothing beyond the row's own space.
    int j = length;
    while (j < stride && row[j] == T{0}) ++j;
    for (; j < stride; ++j) ASSERT_EQ(row[j], T{7}) << "output " << r << " at " << j;
    ASSERT_EQ(row[stride - 1], T{7});
  }

  const PaddedRows<T> vectors(random, outputs, length, length % 3);
  std::vector<T> products(coefficients.size(), T{7});
  DotRows<T>(padded.rows, vectors.rows, length, {products.data(), row_step, output_step});
  for (int m = 0; m < row_count; ++m) {
    for (int r = 0; r < outputs; ++r) {
      double expected = 0;
      for (int j = 0; j < length; ++j) expected += padded.At(m, j) * vectors.At(r, j);
      ASSERT_NEAR(
          static_cast<double>(products[static_cast<std::size_t>(m * row_step + r * output_step)]),
          expected, Tolerance<T>(length))
          << "row " << m << " vector " << r;
    }
  }
}

class RowOperations : public testing_oracle::WithSimdTarget {};
INSTANTIATE_TEST_SUITE_P(AllTargets, RowOperations, testing::ValuesIn(AvailableSimdTargets()));

template <typename T>
void SweepLengths() {
  // From nothing to past two chunks of eight vectors of the widest target.
  for (int length = 0; length <= 16 * kRowPadding<T> + 3; ++length) {
    const bool past_two_vectors = length > 2 * kRowPadding<T> + 3;
    for (int outputs = 1; outputs <= 9; outputs += past_two_vectors ? 3 : 1) {
      CheckRows<T>(length, 1 + length % 7, outputs, length % 2 == 1);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_P(RowOperations, EveryLengthFloat) { SweepLengths<float>(); }
TEST_P(RowOperations, EveryLengthDouble) { SweepLengths<double>(); }

TEST_P(RowOperations, NoRowsGiveZeros) {
  std::vector<float> out(static_cast<std::size_t>(RowStride<float>(5)), 7.0F);
  CombineRows<float>({nullptr, 0, 0}, {nullptr, 0, 0}, {out.data(), 0, 1}, 5, false);
  for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(out[j], 0.0F);
}

}  // namespace
}  // namespace pushdown
