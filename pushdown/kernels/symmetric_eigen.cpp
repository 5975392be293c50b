#include "pushdown/kernels/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "pushdown/error.h"
#include "pushdown/kernels/blas.h"

// LAPACK's, by divide and conquer. There is no header for it in the package of OpenBLAS. The last
// two arguments are the lengths of the first two, which Fortran's compilers add.
extern "C" void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda,
                        double* w, double* work, const int* lwork, int* iwork, const int* liwork,
                        int* info, std::size_t jobz_length, std::size_t uplo_length);

namespace pushdown {

SymmetricEigen SolveSymmetricEigen(int n, std::vector<double> matrix) {
  const auto size = static_cast<std::size_t>(n);
  if (n < 0 || matrix.size() != size * size) {
    throw Error("pushdown::SolveSymmetricEigen", "the matrix is not square");
  }
  // LAPACK would not notice.
  if (!std::all_of(matrix.begin(), matrix.end(), [](double x) { return std::isfinite(x); })) {
    throw Error(ErrorKind::kNumeric, "pushdown::SolveSymmetricEigen", "the matrix is not finite");
  }
  SymmetricEigen result;
  if (n == 0) return result;
  InitializeBlas();
  result.values.resize(size);
  // What is above the diagonal in rows is below it in Fortran's columns.
  const auto solve = [&](double* work, int work_size, int* integers, int integers_size) {
    int info = 0;
    dsyevd_("V", "L", &n, matrix.data(), &n, result.values.data(), work, &work_size, integers,
            &integers_size, &info, 1, 1);
    if (info == 0) return;
    throw Error(ErrorKind::kNumeric, "pushdown::SolveSymmetricEigen",
                "LAPACK found no eigenvalues (dsyevd: " + std::to_string(info) + ")");
  };
  double work_size = 0;
  int integers_size = 0;
  solve(&work_size, -1, &integers_size, -1);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> integers(static_cast<std::size_t>(integers_size));
  solve(work.data(), static_cast<int>(work.size()), integers.data(), integers_size);
  // They are ascending, and each vector is a column of Fortran's.
  result.vectors.resize(size * size);
  for (std::size_t k = 0; k < size; ++k) {
    const auto vector = matrix.begin() + static_cast<std::ptrdiff_t>((size - 1 - k) * size);
    std::copy_n(vector, size, result.vectors.begin() + static_cast<std::ptrdiff_t>(k * size));
  }
  std::reverse(result.values.begin(), result.values.end());
  return result;
}

double SymmetricEigenBytes(int n) {
  constexpr double kMatrices = 5;  // the argument, its copy, two to work with, and the result
  return kMatrices * static_cast<double>(sizeof(double)) * n * n;
}

}  // namespace pushdown
