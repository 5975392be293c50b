#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pushdown {

// Numbers of strings.
using Batch = std::vector<int>;

// Batches of strings of equal length: the strings of each length in their order, `batch_size` at a
// time. The last batch of a length may be smaller.
std::vector<Batch> MakeBatches(std::span<const std::vector<int>> strings, int batch_size);

// The order of batches in an epoch. It depends on nothing but its arguments, so that there is no
// generator to be saved with a checkpoint.
std::vector<int> BatchOrder(int batches, std::uint64_t seed, int epoch);

}  // namespace pushdown
