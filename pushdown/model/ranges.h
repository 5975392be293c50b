#pragma once

#include <algorithm>

#include "pushdown/kernels/denormals.h"
#include "pushdown/worker_pool.h"

namespace pushdown {

// Some tokens, rows or words that are taken at once.
struct Range {
  int begin;
  int end;
  int size() const { return end - begin; }
};

// Calls task(worker, range) for ranges of `size` that make up 0 .. count-1, on the threads of a
// pool.
template <typename Task>
void ForRanges(WorkerPool& pool, int count, int size, const Task& task) {
  pool.Run((count + size - 1) / size, [&](int worker, int index) {
    const FlushDenormals flush;
    task(worker, Range{index * size, std::min((index + 1) * size, count)});
  });
}

// Tokens whose inputs and outputs are taken at once. Their number does not depend on that of the
// threads, since OpenBLAS may round differently for other sizes. Larger blocks are faster, and more
// of them can be spread better.
inline constexpr int kMaxBlockTokens = 140;
inline int BlockTokens(int tokens) { return std::min(tokens, kMaxBlockTokens); }

}  // namespace pushdown
