#include "pushdown/train/clipping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace pushdown {
namespace {

double SumOfSquares(std::span<const float> vector) {
  // Several sums, which do not wait for each other.
  constexpr std::size_t kSums = 8;
  std::array<double, kSums> sums = {};
  const auto add = [&](std::size_t n, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      const auto value = static_cast<double>(vector[n + k]);
      sums[k] += value * value;
    }
  };
  const std::size_t whole = vector.size() - vector.size() % kSums;
  for (std::size_t n = 0; n < whole; n += kSums) add(n, kSums);
  add(whole, vector.size() - whole);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

double Norm(std::span<const float> vector) { return std::sqrt(SumOfSquares(vector)); }

double Norm(std::span<const float> vector, std::span<const ParameterRange> ranges,
            WorkerPool& pool) {
  const std::vector<ParameterRange> blocks = BlocksOf(ranges);
  std::vector<double> sums(blocks.size());
  pool.Run(static_cast<int>(blocks.size()), [&](int, int index) {
    const auto n = static_cast<std::size_t>(index);
    sums[n] = SumOfSquares(vector.subspan(blocks[n].begin, blocks[n].end - blocks[n].begin));
  });
  return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
}

double ClippingFactor(double threshold, double norm) {
  return std::min(1.0, threshold / (norm + 1e-6));
}

double ClipGradient(double threshold, std::span<float> gradient) {
  const double norm = Norm(gradient);
  const double factor = ClippingFactor(threshold, norm);
  if (factor < 1) {
    for (float& value : gradient) value *= static_cast<float>(factor);
  }
  return norm;
}

std::vector<ParameterRange> BlocksOf(std::span<const ParameterRange> ranges) {
  constexpr std::size_t kBlock = 16384;
  std::vector<ParameterRange> blocks;
  for (const ParameterRange& range : ranges) {
    for (std::size_t begin = range.begin; begin < range.end; begin += kBlock) {
      blocks.push_back({begin, std::min(begin + kBlock, range.end)});
    }
  }
  return blocks;
}

}  // namespace pushdown
