#include "pushdown/kernels/panels.h"

#include "pushdown/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/panels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "pushdown/kernels/rows-inl.h"

#ifndef PUSHDOWN_KERNELS_PANELS_ONCE
#define PUSHDOWN_KERNELS_PANELS_ONCE
namespace pushdown {

template <typename T>
struct PanelKernels {
  decltype(&MultiplyPanels<T>) multiply;
};

}  // namespace pushdown
#endif

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

// Vectors that are multiplied at the same time: with three vectors of a panel, as many sums as
// there are registers for.
inline constexpr int kVectorsAtOnce = kManyRegisters ? 8 : 4;

// One tile: kCount vectors, and kVectors vectors of columns. Sums go through the rows in their
// order, whatever the size of the tile.
template <int kCount, int kVectors, typename T>
HWY_INLINE void MultiplyTile(const T* HWY_RESTRICT panel, int rows, const T* HWY_RESTRICT in,
                             std::ptrdiff_t in_stride, T* HWY_RESTRICT out,
                             std::ptrdiff_t out_stride, int cols, bool accumulate) {
  const RowTag<T> d;
  using V = RowVector<T>;
  constexpr int kPanel = PanelMatrix<T>::kPanel;
  // The last vector may have fewer columns. What is beyond them may belong to another thread.
  const int last = cols - (kVectors - 1) * kLanes<T>;
  const auto is_whole = [last](int v) { return v + 1 < kVectors || last == kLanes<T>; };
  HWY_ALIGN T part[kLanes<T>] = {};
  V sums[kCount][kVectors];
  for (int n = 0; n < kCount; ++n) {
    for (int v = 0; v < kVectors; ++v) {
      const T* initial = out + n * out_stride + v * kLanes<T>;
      if (!accumulate) {
        sums[n][v] = hn::Zero(d);
      } else if (is_whole(v)) {
        sums[n][v] = hn::LoadU(d, initial);
      } else {
        for (int j = 0; j < last; ++j) part[j] = initial[j];
        sums[n][v] = hn::Load(d, part);
      }
    }
  }
  for (int row = 0; row < rows; ++row) {
    V values[kVectors];
    for (int v = 0; v < kVectors; ++v) values[v] = LoadOnce(panel + v * kLanes<T>);
    for (int n = 0; n < kCount; ++n) {
      const V factor = hn::Set(d, in[n * in_stride + row]);
      for (int v = 0; v < kVectors; ++v) sums[n][v] = hn::MulAdd(factor, values[v], sums[n][v]);
    }
    panel += kPanel;
  }
  for (int n = 0; n < kCount; ++n) {
    for (int v = 0; v < kVectors; ++v) {
      T* result = out + n * out_stride + v * kLanes<T>;
      if (is_whole(v)) {
        hn::StoreU(sums[n][v], d, result);
      } else {
        hn::Store(sums[n][v], d, part);
        for (int j = 0; j < last; ++j) result[j] = part[j];
      }
    }
  }
}

// All vectors, with kVectors vectors of columns.
template <int kVectors, typename T>
HWY_INLINE void MultiplyColumns(const T* panel, int rows, int count, const T* in,
                                std::ptrdiff_t in_stride, T* out, std::ptrdiff_t out_stride,
                                int cols, bool accumulate) {
  const auto tiles = [&](auto tile_count) HWY_ATTR {
    constexpr int kCount = decltype(tile_count)::value;
    for (; count >= kCount; count -= kCount) {
      MultiplyTile<kCount, kVectors>(panel, rows, in, in_stride, out, out_stride, cols, accumulate);
      in += kCount * in_stride;
      out += kCount * out_stride;
    }
  };
  tiles(std::integral_constant<int, kVectorsAtOnce>());
  tiles(std::integral_constant<int, 4>());
  tiles(std::integral_constant<int, 2>());
  tiles(std::integral_constant<int, 1>());
}

template <typename T>
HWY_NOINLINE void MultiplyPanelsT(const PanelMatrix<T>& matrix, int count, const T* in,
                                  std::ptrdiff_t in_stride, T* out, std::ptrdiff_t out_stride,
                                  bool accumulate) {
  constexpr int kPanel = PanelMatrix<T>::kPanel;
  for (int begin = 0; begin < matrix.cols(); begin += kPanel) {
    const int end = HWY_MIN(begin + kPanel, matrix.cols());
    for (int col = begin; col < end; col += 3 * kLanes<T>) {
      const T* panel = matrix.panel(begin) + (col - begin);
      const int cols = HWY_MIN(3 * kLanes<T>, end - col);
      const auto multiply = [&](auto vectors) HWY_ATTR {
        MultiplyColumns<decltype(vectors)::value>(panel, matrix.rows(), count, in, in_stride,
                                                  out + col, out_stride, cols, accumulate);
      };
      if (cols > 2 * kLanes<T>) {
        multiply(std::integral_constant<int, 3>());
      } else if (cols > kLanes<T>) {
        multiply(std::integral_constant<int, 2>());
      } else {
        multiply(std::integral_constant<int, 1>());
      }
    }
  }
}

template <typename T>
inline constexpr PanelKernels<T> kPanelKernels = {.multiply = &MultiplyPanelsT<T>};

const PerType<PanelKernels>* PanelsOfTarget() {
  static constexpr PerType<PanelKernels> kernels = {kPanelKernels<float>, kPanelKernels<double>};
  return &kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {
namespace {

HWY_EXPORT(PanelsOfTarget);
const PerType<PanelKernels>* Dispatch() { return HWY_DYNAMIC_DISPATCH(PanelsOfTarget)(); }

}  // namespace

template <typename T>
void MultiplyPanels(const PanelMatrix<T>& matrix, int count, const T* in, std::ptrdiff_t in_stride,
                    T* out, std::ptrdiff_t out_stride, bool accumulate) {
  ActiveKernels<Dispatch, T>().multiply(matrix, count, in, in_stride, out, out_stride, accumulate);
}

template decltype(MultiplyPanels<float>) MultiplyPanels<float>;
template decltype(MultiplyPanels<double>) MultiplyPanels<double>;

}  // namespace pushdown
#endif  // HWY_ONCE
