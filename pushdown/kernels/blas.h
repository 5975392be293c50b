#pragma once

#include <cblas.h>

#include <cstddef>
#include <string>

namespace pushdown {

// Products with row-major matrices, by OpenBLAS. Call InitializeBlas before the first one.

// One thread: threads are ours to give, by sequence, and results must not depend on how OpenBLAS
// would split a sum. And good kernels where OpenBLAS does not know the CPU, unless the environment
// variable OPENBLAS_CORETYPE names some. Does nothing when it is called again.
void InitializeBlas();

// OpenBLAS has buffers for a fixed number of callers, and crashes if there are more: Debian's for
// twice as many.
inline constexpr int kMaxBlasCallers = 64;

// The CPU that OpenBLAS has chosen its kernels for: results differ in rounding between kinds.
std::string BlasKernels();

// Several vectors of `steps` times, the vector of the next time being a stride further.
template <typename T>
struct Steps {
  T* data;
  std::ptrdiff_t stride;
};

// out[t][cols] += in[t][rows] * matrix[rows, cols] for all t.
inline void AddProducts(int steps, int rows, int cols, Steps<const float> in, const float* matrix,
                        Steps<float> out) {
  if (steps == 0 || rows == 0 || cols == 0) return;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, steps, cols, rows, 1, in.data,
              static_cast<int>(in.stride), matrix, cols, 1, out.data, static_cast<int>(out.stride));
}
inline void AddProducts(int steps, int rows, int cols, Steps<const double> in, const double* matrix,
                        Steps<double> out) {
  if (steps == 0 || rows == 0 || cols == 0) return;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, steps, cols, rows, 1, in.data,
              static_cast<int>(in.stride), matrix, cols, 1, out.data, static_cast<int>(out.stride));
}

// out[t][rows] += matrix[rows, cols] * in[t][cols] for all t: AddProducts' gradient by `in`.
inline void AddTransposedProducts(int steps, int rows, int cols, const float* matrix,
                                  Steps<const float> in, Steps<float> out) {
  if (steps == 0 || rows == 0 || cols == 0) return;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, steps, rows, cols, 1, in.data,
              static_cast<int>(in.stride), matrix, cols, 1, out.data, static_cast<int>(out.stride));
}
inline void AddTransposedProducts(int steps, int rows, int cols, const double* matrix,
                                  Steps<const double> in, Steps<double> out) {
  if (steps == 0 || rows == 0 || cols == 0) return;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, steps, rows, cols, 1, in.data,
              static_cast<int>(in.stride), matrix, cols, 1, out.data, static_cast<int>(out.stride));
}

// matrix[rows, cols] += sum over t of in[t][rows] out[t][cols]: AddProducts' gradient by `matrix`.
inline void AddOuterProducts(int steps, int rows, int cols, Steps<const float> in,
                             Steps<const float> out, float* matrix) {
  if (steps == 0 || rows == 0 || cols == 0) return;
  cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, rows, cols, steps, 1, in.data,
              static_cast<int>(in.stride), out.data, static_cast<int>(out.stride), 1, matrix, cols);
}
inline void AddOuterProducts(int steps, int rows, int cols, Steps<const double> in,
                             Steps<const double> out, double* matrix) {
  if (steps == 0 || rows == 0 || cols == 0) return;
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, rows, cols, steps, 1, in.data,
              static_cast<int>(in.stride), out.data, static_cast<int>(out.stride), 1, matrix, cols);
}

}  // namespace pushdown
