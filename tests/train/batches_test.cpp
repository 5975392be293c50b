#include "pushdown/train/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "pushdown/random.h"

namespace pushdown {
namespace {

using Strings = std::vector<std::vector<int>>;

// Strings of these lengths.
Strings OfLengths(const std::vector<int>& lengths) {
  Strings strings;
  strings.reserve(lengths.size());
  for (int length : lengths) strings.emplace_back(static_cast<std::size_t>(length), 0);
  return strings;
}

std::set<Batch> AsSet(const std::vector<Batch>& batches) {
  return {batches.begin(), batches.end()};
}

TEST(MakeBatches, ByHand) {
  //                                  0  1  2  3  4  5  6  7  8
  const Strings strings = OfLengths({3, 0, 3, 5, 3, 0, 3, 3, 5});
  EXPECT_EQ(AsSet(MakeBatches(strings, 2)), (std::set<Batch>{{0, 2}, {4, 6}, {7}, {1, 5}, {3, 8}}));
  EXPECT_EQ(AsSet(MakeBatches(strings, 4)), (std::set<Batch>{{0, 2, 4, 6}, {7}, {1, 5}, {3, 8}}));
  EXPECT_EQ(AsSet(MakeBatches(strings, 100)), (std::set<Batch>{{0, 2, 4, 6, 7}, {1, 5}, {3, 8}}));
  EXPECT_EQ(MakeBatches(strings, 1).size(), 9u);
  EXPECT_TRUE(MakeBatches(Strings{}, 3).empty());
}

TEST(MakeBatches, PartitionsTheStringsByLength) {
  Random random(1);
  std::vector<int> lengths;
  for (int j = 0; j < 1000; ++j) lengths.push_back(static_cast<int>(random.Below(23)));
  const Strings strings = OfLengths(lengths);
  const auto batches = MakeBatches(strings, 7);
  std::vector<int> all;
  std::map<std::size_t, int> partial;
  for (const Batch& batch : batches) {
    ASSERT_FALSE(batch.empty());
    ASSERT_LE(batch.size(), 7u);
    EXPECT_TRUE(std::is_sorted(batch.begin(), batch.end()));
    const std::size_t length = strings[static_cast<std::size_t>(batch[0])].size();
    for (int string : batch) EXPECT_EQ(strings[static_cast<std::size_t>(string)].size(), length);
    if (batch.size() < 7) ++partial[length];
    all.insert(all.end(), batch.begin(), batch.end());
  }
  for (const auto& [length, count] : partial) EXPECT_EQ(count, 1) << "of length " << length;
  std::sort(all.begin(), all.end());
  for (int j = 0; j < 1000; ++j) ASSERT_EQ(all[static_cast<std::size_t>(j)], j);
  EXPECT_EQ(all.size(), 1000u);
}

TEST(BatchOrder, IsAPermutation) {
  for (int batches : {0, 1, 2, 3, 10, 257}) {
    for (int epoch : {1, 2, 200}) {
      std::vector<int> order = BatchOrder(batches, 5, epoch);
      ASSERT_EQ(order.size(), static_cast<std::size_t>(batches));
      std::sort(order.begin(), order.end());
      for (int j = 0; j < batches; ++j) ASSERT_EQ(order[static_cast<std::size_t>(j)], j);
    }
  }
}

TEST(BatchOrder, DependsOnSeedAndEpochOnly) {
  const std::vector<int> order = BatchOrder(50, 1, 1);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed : {0, 1, 2, 3}) {
    for (int epoch : {1, 2, 3, 4, 5}) orders.insert(BatchOrder(50, seed, epoch));
  }
  EXPECT_EQ(orders.size(), 20u) << "seed and epoch are not interchangeable either";
  EXPECT_EQ(BatchOrder(50, 1, 1), order);
}

// A shuffle that swaps with the wrong partners is not uniform.
TEST(BatchOrder, EveryOrderIsEquallyProbable) {
  std::map<std::vector<int>, long long> counts;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (int epoch = 1; epoch <= 60; ++epoch) ++counts[BatchOrder(3, seed, epoch)];
  }
  ASSERT_EQ(counts.size(), 6u);
  // 1000 of each: five standard deviations are 144.
  for (const auto& [order, count] : counts) {
    EXPECT_NEAR(static_cast<double>(count), 1000, 144) << order[0] << order[1] << order[2];
  }
}

}  // namespace
}  // namespace pushdown
