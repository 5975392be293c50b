#pragma once

#include <vector>

namespace pushdown {

// The eigenvalues and eigenvectors of a symmetric matrix, by OpenBLAS's LAPACK.
struct SymmetricEigen {
  std::vector<double> values;   // [n], descending
  std::vector<double> vectors;  // [n, n]: row k is the vector of values[k]; rows are orthonormal
};

// `matrix` is [n, n]; only its upper triangle is read. Throws Error (kNumeric) if it is not finite.
SymmetricEigen SolveSymmetricEigen(int n, std::vector<double> matrix);
// What this takes at most.
double SymmetricEigenBytes(int n);

}  // namespace pushdown
