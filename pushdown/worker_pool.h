#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace pushdown {

// Threads that share the tasks of a loop. The calling thread is worker 0.
class WorkerPool {
 public:
  // Fewer threads if the system does not give as many.
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls task(worker, index) for each index 0 .. count-1, begun in this order. If a task throws,
  // no more are begun, and the exception of the lowest index is thrown: always the same one.
  void Run(int count, const std::function<void(int worker, int index)>& task);

 private:
  struct Failure {
    int index;
    std::exception_ptr exception;
  };

  void Work(int worker);
  void Fail(int worker, int index);
  void WorkLoop(int worker);

  int spins_;  // how often a thread looks for what it waits for before it sleeps
  std::vector<std::thread> threads_;
  const std::function<void(int, int)>* task_ = nullptr;
  // The number of tasks, in the upper half, and the next one: a thread that is late must not take
  // the number of one loop for that of another.
  std::atomic<std::uint64_t> tasks_ = 0;
  std::atomic<int> finished_ = 0;         // tasks; also those that were not begun after a failure
  std::atomic<int> failed_ = 0;           // the lowest index that has failed
  std::atomic<std::uint32_t> round_ = 0;  // incremented to begin a loop, or to end all
  std::atomic<bool> stop_ = false;
  std::vector<Failure> failures_;  // by worker; index -1: none
};

}  // namespace pushdown
