#include "pushdown/train/sgd.h"

#include <cstddef>
#include <vector>

#include "pushdown/train/clipping.h"

namespace pushdown {

void SgdStep(double scale, std::span<const float> gradient, std::span<const ParameterRange> ranges,
             std::span<float> parameters, WorkerPool& pool) {
  const auto factor = static_cast<float>(scale);
  const std::vector<ParameterRange> blocks = BlocksOf(ranges);
  pool.Run(static_cast<int>(blocks.size()), [&](int, int index) {
    const ParameterRange& block = blocks[static_cast<std::size_t>(index)];
    for (std::size_t n = block.begin; n < block.end; ++n) parameters[n] -= factor * gradient[n];
  });
}

}  // namespace pushdown
