#include "pushdown/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pushdown/interruption.h"

namespace pushdown {
namespace {

class EveryPool : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, EveryPool, testing::Values(1, 2, 3, 8));

TEST_P(EveryPool, HasItsThreads) { EXPECT_EQ(WorkerPool(GetParam()).threads(), GetParam()); }

TEST_P(EveryPool, DoesEachTaskOnce) {
  WorkerPool pool(GetParam());
  for (int count : {0, 1, 2, 3, 7, 1000}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
    pool.Run(count, [&](int worker, int index) {
      EXPECT_GE(worker, 0);
      EXPECT_LT(worker, GetParam());
      ASSERT_GE(index, 0);
      ASSERT_LT(index, count);
      ++calls[static_cast<std::size_t>(index)];
    });
    for (const auto& call : calls) ASSERT_EQ(call, 1) << "of " << count;
  }
}

// Loops that are over before all threads have woken up: what a loop leaves behind would show in
// the next one. The sums need no atomics, since Run ends after the tasks.
TEST_P(EveryPool, ManyShortLoops) {
  WorkerPool pool(GetParam());
  std::vector<long long> values(5);
  for (int round = 0; round < 3000; ++round) {
    const int count = round % 6;
    pool.Run(count, [&](int, int index) { values[static_cast<std::size_t>(index)] += index + 1; });
  }
  // Counts 0 .. 5 have 500 rounds each; task j is in those with count > j.
  EXPECT_EQ(values, (std::vector<long long>{500LL * 5, 500LL * 4 * 2, 500LL * 3 * 3, 500LL * 2 * 4,
                                            500LL * 1 * 5}));
}

TEST_P(EveryPool, AnInterruptionScopeIsOneOfAllThreads) {
  struct Stopped {};
  WorkerPool pool(GetParam());
  std::atomic<int> checks = 0;
  {
    const InterruptionScope scope([&] { ++checks; });
    pool.Run(100, [](int, int) { CheckInterruption(); });
  }
  EXPECT_EQ(checks, 100);
  pool.Run(100, [](int, int) { CheckInterruption(); });
  EXPECT_EQ(checks, 100) << "the scope has ended";
  // All are ended, also those on other threads that would not end by themselves.
  std::atomic<bool> stop = false;
  const InterruptionScope scope([&] {
    if (stop) throw Stopped();
  });
  EXPECT_THROW(pool.Run(GetParam(),
                        [&](int, int index) {
                          if (index + 1 == GetParam()) stop = true;
                          while (true) CheckInterruption();
                        }),
               Stopped);
}

TEST_P(EveryPool, AWorkerDoesOneTaskAtATime) {
  WorkerPool pool(GetParam());
  std::vector<std::atomic<int>> busy(static_cast<std::size_t>(GetParam()));
  std::atomic<bool> shared = false;
  pool.Run(200, [&](int worker, int) {
    if (busy[static_cast<std::size_t>(worker)]++ != 0) shared = true;
    std::this_thread::yield();
    --busy[static_cast<std::size_t>(worker)];
  });
  EXPECT_FALSE(shared) << "two threads had the number of one worker at a time";
}

TEST_P(EveryPool, TheCallingThreadIsWorkerZero) {
  WorkerPool pool(GetParam());
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> wrong = 0;
  pool.Run(200, [&](int worker, int) {
    if ((worker == 0) != (std::this_thread::get_id() == caller)) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
}

// What Run throws.
std::string Failure(WorkerPool& pool, int count, const std::function<void(int, int)>& task) {
  try {
    pool.Run(count, task);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

TEST_P(EveryPool, ThrowsTheExceptionOfTheLowestIndex) {
  WorkerPool pool(GetParam());
  for (int round = 0; round < 50; ++round) {
    std::vector<std::atomic<int>> calls(100);
    EXPECT_EQ(Failure(pool, 100,
                      [&](int, int index) {
                        ++calls[static_cast<std::size_t>(index)];
                        // The lowest is the last to throw.
                        if (index == 13)
                          std::this_thread::sleep_for(std::chrono::microseconds(200));
                        if (index % 10 == 3 && index > 10) {
                          throw std::runtime_error(std::to_string(index));
                        }
                      }),
              "13");
    for (int index = 0; index < 13; ++index) EXPECT_EQ(calls[static_cast<std::size_t>(index)], 1);
    for (const auto& call : calls) EXPECT_LE(call, 1);
  }
}

TEST_P(EveryPool, WorksAfterAnException) {
  WorkerPool pool(GetParam());
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(
        Failure(pool, 30, [](int, int index) { throw std::runtime_error(std::to_string(index)); }),
        "0");
    std::atomic<int> sum = 0;
    EXPECT_EQ(Failure(pool, 30, [&](int, int index) { sum += index; }), "nothing");
    EXPECT_EQ(sum, 435);
  }
}

TEST(WorkerPool, ThreadsWorkAtTheSameTime) {
  // Each of the two tasks waits for the other one; a pool that runs them one after the other would
  // wait in vain.
  WorkerPool pool(2);
  std::atomic<int> arrived = 0;
  std::atomic<int> together = 0;
  pool.Run(2, [&](int, int) {
    ++arrived;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (arrived < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    if (arrived == 2) ++together;
  });
  EXPECT_EQ(together, 2);
}

TEST(WorkerPool, OneThreadIsTheCaller) {
  WorkerPool pool(1);
  const std::thread::id caller = std::this_thread::get_id();
  pool.Run(50, [&](int worker, int) {
    EXPECT_EQ(worker, 0);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

}  // namespace
}  // namespace pushdown
