// A pool for whose threads there is not enough memory.

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <new>

#include "pushdown/worker_pool.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)  // which has a malloc of its own

namespace {
thread_local int allocations_left = -1;  // before one fails; negative: none does
}  // namespace

extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  if (allocations_left >= 0 && allocations_left-- == 0) return nullptr;
  return __libc_malloc(size);
}

namespace pushdown {
namespace {

TEST(WorkerPoolMemory, ThreadsThatCannotStartAreDoneWithout) {
  int smaller = 0;
  for (int n = 0; n < 12; ++n) {
    allocations_left = n;
    try {
      WorkerPool pool(4);
      allocations_left = -1;
      std::atomic<int> sum = 0;
      pool.Run(100, [&](int, int index) { sum += index; });
      EXPECT_EQ(sum, 4950) << n;
      if (pool.threads() < 4) ++smaller;
    } catch (const std::bad_alloc&) {
      allocations_left = -1;
    }
  }
  EXPECT_GT(smaller, 2);
}

}  // namespace
}  // namespace pushdown

#endif
