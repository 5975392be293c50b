#include "pushdown/kernels/max_plus.h"

#include "pushdown/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/max_plus.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <cstddef>
#include <type_traits>

#include "pushdown/kernels/rows-inl.h"

#ifndef PUSHDOWN_KERNELS_MAX_PLUS_ONCE
#define PUSHDOWN_KERNELS_MAX_PLUS_ONCE
namespace pushdown {

struct MaxPlusKernels {
  decltype(&MaxPlusRows) rows;
};

}  // namespace pushdown
#endif

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

// A tile of outputs: kVectors vectors of each of kOutputs rows, from j on.
template <int kOutputs, int kVectors>
HWY_INLINE void MaxPlusTile(std::span<const MaxPlusRow> rows, Rows<double> out, int first, int j) {
  const RowTag<double> d;
  RowVector<double> best[kOutputs][kVectors];
  for (int r = 0; r < kOutputs; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      best[r][v] = hn::LoadU(d, out.data + (first + r) * out.stride + j + v * kLanes<double>);
    }
  }
  for (const MaxPlusRow& row : rows) {
    RowVector<double> values[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      values[v] = LoadOnce<double>(row.values + j + v * kLanes<double>);
    }
    for (int r = 0; r < kOutputs; ++r) {
      const auto coefficient = hn::Set(d, row.coefficients[first + r]);
      for (int v = 0; v < kVectors; ++v) {
        best[r][v] = hn::Max(best[r][v], hn::Add(values[v], coefficient));
      }
    }
  }
  for (int r = 0; r < kOutputs; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(best[r][v], d, out.data + (first + r) * out.stride + j + v * kLanes<double>);
    }
  }
}

void MaxPlusRowsT(std::span<const MaxPlusRow> rows, Rows<double> out, int length) {
  ForOutputTiles(out.count, [&](auto outputs, int first) HWY_ATTR {
    constexpr int kVectors = kTileVectors<outputs>;
    static_assert(kVectors * kLanes<double> <= kMaxPlusPadding);
    std::size_t shortest = 0;
    for (int j = 0; j < length; j += kVectors * kLanes<double>) {
      while (shortest < rows.size() && rows[shortest].length <= j) ++shortest;
      MaxPlusTile<outputs, kVectors>(rows.subspan(shortest), out, first, j);
    }
  });
}

const MaxPlusKernels* MaxPlusOfTarget() {
  static constexpr MaxPlusKernels kernels = {.rows = &MaxPlusRowsT};
  return &kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {
namespace {

HWY_EXPORT(MaxPlusOfTarget);
const MaxPlusKernels* Dispatch() { return HWY_DYNAMIC_DISPATCH(MaxPlusOfTarget)(); }

}  // namespace

void MaxPlusRows(std::span<const MaxPlusRow> rows, Rows<double> out, int length) {
  ActiveKernels<Dispatch>().rows(rows, out, length);
}

}  // namespace pushdown
#endif  // HWY_ONCE
