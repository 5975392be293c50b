#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pushdown {

// The indices of the strings in a batch.
using Batch = std::vector<int>;

// Batches of strings of equal length: the strings of each length in their order, `batch_size` at a
// time. The last batch of a length may be smaller.
std::vector<Batch> MakeBatches(std::span<const std::vector<int>> strings, int batch_size);

// The order of the batches in an epoch. It depends only on the arguments, so that a checkpoint does
// not have to contain a random generator.
std::vector<int> BatchOrder(int batches, std::uint64_t seed, int epoch);

}  // namespace pushdown
