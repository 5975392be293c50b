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

// Rows of random numbers between zeros, as the kernels keep them, starting at every misalignment.
template <typename T>
struct PaddedRow {
  PaddedRow(Random& random, int begin, int end, int misalignment)
      : storage(
            static_cast<std::size_t>(RowStride<T>(end - begin) + kRowPadding<T> + misalignment)),
        offset(static_cast<std::size_t>(kRowPadding<T> + misalignment)),
        row{storage.data() + offset, begin, end} {
    for (int j = begin; j < end; ++j) {
      storage[offset + static_cast<std::size_t>(j - begin)] = static_cast<T>(random.Uniform(-1, 1));
    }
  }
  double At(int j) const {
    if (j < row.begin || j >= row.end) return 0;
    return static_cast<double>(row.data[j - row.begin]);
  }

  std::vector<T> storage;
  std::size_t offset;
  Row<T> row;
};

template <typename T>
double Tolerance(int terms) {
  return 4 * (terms + 1) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

enum class Coverage { kGrowingEnds, kShrinkingBegins };

template <typename T>
void CheckRows(int length, int row_count, int outputs, Coverage coverage, bool accumulate) {
  SCOPED_TRACE("length " + std::to_string(length) + " rows " + std::to_string(row_count) +
               " outputs " + std::to_string(outputs) +
               (coverage == Coverage::kGrowingEnds ? " growing ends" : " shrinking begins") +
               (accumulate ? " accumulating" : ""));
  Random random(static_cast<std::uint64_t>(length * 100 + row_count * 10 + outputs));
  std::vector<PaddedRow<T>> padded;
  padded.reserve(static_cast<std::size_t>(row_count));
  std::vector<Row<T>> rows;
  for (int m = 0; m < row_count; ++m) {
    const int covered = length * (m + 1) / row_count;
    const bool ends = coverage == Coverage::kGrowingEnds;
    padded.emplace_back(random, ends ? 0 : length - covered, ends ? covered : length, m % 5);
    rows.push_back(padded.back().row);
  }
  std::vector<T> coefficients;
  for (int j = 0; j < row_count * outputs; ++j) {
    coefficients.push_back(static_cast<T>(random.Uniform(-1, 1)));
  }

  std::vector<std::vector<T>> out(static_cast<std::size_t>(outputs));
  std::vector<T*> out_pointers;
  for (auto& row : out) {
    row.assign(static_cast<std::size_t>(RowStride<T>(length)), T{7});
    out_pointers.push_back(row.data());
  }
  CombineRows(rows.data(), row_count, coefficients.data(), out_pointers.data(), outputs, length,
              accumulate);
  for (int r = 0; r < outputs; ++r) {
    const auto& row = out[r];
    for (int j = 0; j < length; ++j) {
      double expected = accumulate ? 7 : 0;
      for (int m = 0; m < row_count; ++m) {
        expected += static_cast<double>(coefficients[m * outputs + r]) * padded[m].At(j);
      }
      ASSERT_NEAR(static_cast<double>(row[j]), expected, Tolerance<T>(row_count + 7))
          << "output " << r << " at " << j;
    }
    // Whole vectors are written: zeros after the row, and nothing beyond the row's own space.
    std::size_t j = static_cast<std::size_t>(length);
    while (j < row.size() && row[j] == T{0}) ++j;
    for (; j < row.size(); ++j) ASSERT_EQ(row[j], T{7}) << "output " << r << " at " << j;
    ASSERT_EQ(row[row.size() - 1], T{7});
  }

  std::vector<PaddedRow<T>> vectors;
  vectors.reserve(static_cast<std::size_t>(outputs));
  std::vector<const T*> vector_pointers;
  for (int r = 0; r < outputs; ++r) {
    vectors.emplace_back(random, 0, length, r % 3);
    vector_pointers.push_back(vectors.back().row.data);
  }
  std::vector<T> products(static_cast<std::size_t>(row_count * outputs), T{7});
  DotRows(rows.data(), row_count, vector_pointers.data(), outputs, products.data());
  for (int m = 0; m < row_count; ++m) {
    for (int r = 0; r < outputs; ++r) {
      double expected = 0;
      for (int j = 0; j < length; ++j) {
        expected += padded[m].At(j) * vectors[r].At(j);
      }
      ASSERT_NEAR(static_cast<double>(products[m * outputs + r]), expected, Tolerance<T>(length))
          << "row " << m << " vector " << r;
    }
  }
}

class Rows : public testing_oracle::WithSimdTarget {};
INSTANTIATE_TEST_SUITE_P(AllTargets, Rows, testing::ValuesIn(AvailableSimdTargets()));

template <typename T>
void SweepLengths() {
  // From nothing to past two chunks of eight vectors of the widest target.
  for (int length = 0; length <= 16 * kRowPadding<T> + 3; ++length) {
    const bool past_two_vectors = length > 2 * kRowPadding<T> + 3;
    for (int outputs = 1; outputs <= 9; outputs += past_two_vectors ? 3 : 1) {
      for (Coverage coverage : {Coverage::kGrowingEnds, Coverage::kShrinkingBegins}) {
        CheckRows<T>(length, 1 + length % 7, outputs, coverage, length % 2 == 1);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Rows, EveryLengthFloat) { SweepLengths<float>(); }
TEST_P(Rows, EveryLengthDouble) { SweepLengths<double>(); }

TEST_P(Rows, NoRowsGiveZeros) {
  std::vector<float> out(static_cast<std::size_t>(RowStride<float>(5)), 7.0F);
  float* pointer = out.data();
  CombineRows<float>(nullptr, 0, nullptr, &pointer, 1, 5, false);
  for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(out[j], 0.0F);
}

}  // namespace
}  // namespace pushdown
