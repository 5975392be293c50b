#include "pushdown/worker_pool.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <exception>

#include "pushdown/interruption.h"

namespace pushdown {
namespace {

// Some tens of microseconds on x86: a loop may be as short as that, and waking a thread takes as
// long.
constexpr int kSpins = 1000;

// Waits until the value is not `old` any more.
template <typename T>
void WaitWhile(const std::atomic<T>& value, T old, int spins) {
  for (int n = 0; n < spins && value == old; ++n) hwy::Pause();
  value.wait(old);
}

}  // namespace

void RunOnThreads(int count, const std::function<void()>& work) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  try {
    for (int n = 1; n < count; ++n) threads.emplace_back(work);
  } catch (const std::exception&) {
    // There are no more threads, or there is no memory; those that there are do the same work.
  }
  work();
  for (std::thread& thread : threads) thread.join();
}

WorkerPool::WorkerPool(int threads)
    // Threads that share a core would only keep each other waiting.
    : spins_(threads <= static_cast<int>(std::thread::hardware_concurrency()) ? kSpins : 0),
      failures_(static_cast<std::size_t>(std::max(threads, 1))) {
  try {
    for (int worker = 1; worker < threads; ++worker) {
      threads_.emplace_back([this, worker] { WorkLoop(worker); });
    }
  } catch (const std::exception&) {
    // There are no more threads, or there is no memory; those that there are do the same work.
  }
}

WorkerPool::~WorkerPool() {
  stop_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::Run(int count, const std::function<void(int worker, int index)>& task) {
  task_ = &task;
  check_ = InnermostCheck();
  finished_ = 0;
  failed_ = count;
  for (Failure& failure : failures_) failure = {.index = -1, .exception = nullptr};
  tasks_ = static_cast<std::uint64_t>(count) << 32;
  ++round_;
  round_.notify_all();
  Work(0);
  // For the tasks, not for the threads: some may not even have woken up.
  for (int finished = finished_; finished < count; finished = finished_) {
    WaitWhile(finished_, finished, spins_);
  }
  const Failure* first = nullptr;
  for (const Failure& failure : failures_) {
    if (failure.exception != nullptr && (first == nullptr || failure.index < first->index)) {
      first = &failure;
    }
  }
  if (first != nullptr) std::rethrow_exception(first->exception);
}

void WorkerPool::Work(int worker) {
  for (;;) {
    const std::uint64_t tasks = tasks_++;
    const int count = static_cast<int>(tasks >> 32);
    const auto next = static_cast<std::uint32_t>(tasks);
    if (next >= static_cast<std::uint32_t>(count)) return;
    const int index = static_cast<int>(next);
    if (index < failed_) {
      try {
        const InterruptionScope scope(check_);
        (*task_)(worker, index);
      } catch (...) {
        Fail(worker, index);
      }
    }
    if (++finished_ == count) finished_.notify_one();
  }
}

void WorkerPool::Fail(int worker, int index) {
  // Indices of a worker ascend, so its first failure is its lowest.
  Failure& failure = failures_[static_cast<std::size_t>(worker)];
  if (failure.exception == nullptr) failure = {index, std::current_exception()};
  int lowest = failed_;
  while (index < lowest && !failed_.compare_exchange_weak(lowest, index)) {
  }
}

void WorkerPool::WorkLoop(int worker) {
  for (std::uint32_t seen = 0; !stop_; seen = round_) {
    Work(worker);
    WaitWhile(round_, seen, spins_);
  }
}

}  // namespace pushdown
