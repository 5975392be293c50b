#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace pushdown {

// Calls work on so many threads, one of which is the calling one, or on fewer if the system does
// not provide as many; it takes its tasks from a queue of its own. It must not throw.
void RunOnThreads(int count, const std::function<void()>& work);

// Threads that share the tasks of a loop. The calling thread is worker 0.
class WorkerPool {
 public:
  // Has fewer threads if the system does not provide as many.
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls task(worker, index) for each index 0 .. count-1; tasks begin in this order. If a task
  // throws, no more tasks begin, and Run throws the exception of the lowest index that has failed,
  // which does not depend on timing. An InterruptionScope of the calling thread is one of all.
  void Run(int count, const std::function<void(int worker, int index)>& task);

 private:
  struct Failure {
    int index;
    std::exception_ptr exception;
  };

  void Work(int worker);
  void Fail(int worker, int index);
  void WorkLoop(int worker);

  int spins_;  // how often a waiting thread checks before it sleeps
  std::vector<std::thread> threads_;
  const std::function<void(int, int)>* task_ = nullptr;
  const std::function<void()>* check_ = nullptr;  // see InterruptionScope
  // The number of tasks in the upper half, and the next index in the lower half. They are one
  // value, so that a late thread cannot combine the number of one loop with the index of another.
  std::atomic<std::uint64_t> tasks_ = 0;
  std::atomic<int> finished_ = 0;  // tasks, including those that a failure kept from beginning
  std::atomic<int> failed_ = 0;    // the lowest index that has failed
  std::atomic<std::uint32_t> round_ = 0;  // incremented to begin a loop, or to end the threads
  std::atomic<bool> stop_ = false;
  std::vector<Failure> failures_;  // by worker; index -1: none
};

}  // namespace pushdown
