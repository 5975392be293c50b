#include "pushdown/train/batches.h"

#include <map>
#include <numeric>
#include <utility>

#include "pushdown/random.h"

namespace pushdown {

std::vector<Batch> MakeBatches(std::span<const std::vector<int>> strings, int batch_size) {
  std::vector<Batch> batches;
  std::map<std::size_t, std::size_t> open;  // by length: the batch that the next string goes to
  for (std::size_t n = 0; n < strings.size(); ++n) {
    const auto [entry, added] = open.try_emplace(strings[n].size(), batches.size());
    if (added || batches[entry->second].size() == static_cast<std::size_t>(batch_size)) {
      entry->second = batches.size();
      batches.emplace_back();
    }
    batches[entry->second].push_back(static_cast<int>(n));
  }
  return batches;
}

std::vector<int> BatchOrder(int batches, std::uint64_t seed, int epoch) {
  std::vector<int> order(static_cast<std::size_t>(batches));
  std::iota(order.begin(), order.end(), 0);
  Random random(seed, static_cast<std::uint64_t>(epoch));
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[random.Below(left)]);
  }
  return order;
}

}  // namespace pushdown
