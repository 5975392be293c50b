#include "pushdown/model/weight_products.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "pushdown/kernels/denormals.h"
#include "pushdown/kernels/rows.h"

namespace pushdown {
namespace {

// Of a task. Larger ones are faster, and more of them can be spread better.
constexpr double kTaskMultiplyAdds = 2e8;

// The columns of a product that are a task.
template <typename T>
int ColumnsAtOnce(const WeightProduct<T>& product) {
  const double columns =
      kTaskMultiplyAdds / (static_cast<double>(product.tokens + 1) * product.inputs);
  return RoundUpToVectors<T>(
      std::max(static_cast<int>(std::min<double>(columns, product.outputs)), 1));
}

template <typename T>
struct Task {
  const WeightProduct<T>* product;
  int begin;  // columns
  int count;
};

}  // namespace

template <typename T>
void SetWeightGradients(std::span<const WeightProduct<T>> products, WorkerPool& pool) {
  std::vector<Task<T>> tasks;
  for (const WeightProduct<T>& product : products) {
    const int columns = ColumnsAtOnce(product);
    for (int begin = 0; begin < product.outputs; begin += columns) {
      tasks.push_back({&product, begin, std::min(columns, product.outputs - begin)});
    }
  }
  pool.Run(static_cast<int>(tasks.size()), [&](int, int index) {
    const FlushDenormals flush;
    const auto& [product, begin, count] = tasks[static_cast<std::size_t>(index)];
    AddOuterProducts(product->tokens, product->inputs, count, product->in,
                     Steps<const T>{product->out.data + begin, product->out.stride},
                     product->gradient + begin, Product::kSet, product->outputs);
  });
}

template void SetWeightGradients(std::span<const WeightProduct<float>>, WorkerPool&);
template void SetWeightGradients(std::span<const WeightProduct<double>>, WorkerPool&);

}  // namespace pushdown
