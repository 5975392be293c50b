#include "pushdown/train/worker_pool.h"

#include <algorithm>
#include <system_error>

namespace pushdown {

WorkerPool::WorkerPool(int threads) : failures_(static_cast<std::size_t>(std::max(threads, 1))) {
  try {
    for (int worker = 1; worker < threads; ++worker) {
      threads_.emplace_back([this, worker] { WorkLoop(worker); });
    }
  } catch (const std::system_error&) {
    // Those that there are do the same work.
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
  count_ = count;
  next_ = 0;
  for (Failure& failure : failures_) failure = {.index = -1, .exception = nullptr};
  busy_ = static_cast<int>(threads_.size());
  ++round_;
  round_.notify_all();
  Work(0);
  for (int busy = busy_; busy > 0; busy = busy_) busy_.wait(busy);
  const Failure* first = nullptr;
  for (const Failure& failure : failures_) {
    if (failure.exception != nullptr && (first == nullptr || failure.index < first->index)) {
      first = &failure;
    }
  }
  if (first != nullptr) std::rethrow_exception(first->exception);
}

void WorkerPool::Work(int worker) {
  Failure& failure = failures_[static_cast<std::size_t>(worker)];
  for (int index = next_++; index < count_; index = next_++) {
    try {
      (*task_)(worker, index);
    } catch (...) {
      // Indices of a worker ascend, so its first failure is its lowest.
      if (failure.exception == nullptr) failure = {index, std::current_exception()};
      next_ = count_;  // no more are begun; those with lower indices have been
    }
  }
}

void WorkerPool::WorkLoop(int worker) {
  // A round begins when all workers have ended the last one, so none is missed.
  for (std::uint32_t seen = 0;; ++seen) {
    round_.wait(seen);
    if (stop_) return;
    Work(worker);
    if (--busy_ == 0) busy_.notify_one();
  }
}

}  // namespace pushdown
