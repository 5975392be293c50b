#pragma once

#include <vector>

#include "pushdown/formal/weight.h"

namespace pushdown {

// The strongly connected components of a graph, each with its nodes in ascending order. A component
// comes after those that it has edges to.
std::vector<std::vector<int>> StronglyConnectedComponents(
    const std::vector<std::vector<int>>& successors);

// A square matrix of weights, by rows.
class WeightMatrix {
 public:
  explicit WeightMatrix(int size) : size_(size), values_(static_cast<std::size_t>(size) * size) {}

  int size() const { return size_; }
  Weight& operator()(int row, int column) { return values_[Index(row, column)]; }
  const Weight& operator()(int row, int column) const { return values_[Index(row, column)]; }

  // Replaces this matrix A by I + A + A^2 + ..., the sums over all paths (Kleene's algorithm).
  // Returns false, and leaves no useful values, if the sums are not finite.
  bool Star();
  // Whether no eigenvalue is above about 1 + tolerance. The graph of the matrix must be strongly
  // connected. The values of the matrix are lost.
  bool HasNoEigenvalueAboveOne(double tolerance);

 private:
  // Adds the paths that go through a node, once or any number of times.
  bool AddPathsThrough(int via);

  std::size_t Index(int row, int column) const {
    return static_cast<std::size_t>(row) * size_ + column;
  }

  int size_;
  std::vector<Weight> values_;
};

}  // namespace pushdown
