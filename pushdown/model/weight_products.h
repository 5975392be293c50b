#pragma once

#include <span>

#include "pushdown/kernels/blas.h"
#include "pushdown/worker_pool.h"

namespace pushdown {

// The gradient of a layer's weights [inputs, outputs], summed over all tokens of a chunk of text:
// the products of its inputs and the derivatives by its outputs.
template <typename T>
struct WeightProduct {
  int tokens;
  int inputs;
  int outputs;
  Steps<const T> in;
  Steps<const T> out;
  T* gradient;
};

// Writes all of them. How they are cut into tasks does not depend on the number of threads, since
// OpenBLAS may round differently for other sizes.
template <typename T>
void SetWeightGradients(std::span<const WeightProduct<T>> products, WorkerPool& pool);

}  // namespace pushdown
