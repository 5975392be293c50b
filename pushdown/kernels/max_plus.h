#pragma once

#include <span>

#include "pushdown/kernels/rows.h"

namespace pushdown {

// Elements beyond the end of a row that MaxPlusRows may read, and writes beyond the ends of its
// outputs. In rows, -inf stands there.
inline constexpr int kMaxPlusPadding = 6 * kRowPadding<double>;

// A row of a product in which sums are maxima, and products are sums.
struct MaxPlusRow {
  const double* values;        // [length]
  int length;                  // what follows counts as -inf
  const double* coefficients;  // [outputs]
};

// out[r][j] = the largest of what out[r][j] was and coefficients[r] + values[j] of all rows, for
// 0 <= j < length. Rows are in the order of their lengths, the shortest first.
void MaxPlusRows(std::span<const MaxPlusRow> rows, Rows<double> out, int length);

}  // namespace pushdown
