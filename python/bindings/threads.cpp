#include "python/bindings/threads.h"

#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "pushdown/error.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/run/machine.h"
#include "pushdown/worker_pool.h"

namespace pushdown::python {
namespace {

// The threads of this process. Those of a process that has forked are not there in its child.
struct Pool {
  std::mutex mutex;
  pid_t process = 0;
  std::atomic<int> threads = 0;  // wanted; 0: as many as CPUs
  int asked = 0;                 // the number that the workers were made with
  std::unique_ptr<WorkerPool> workers;

  int Wanted() const {
    const int wanted = threads;
    return wanted > 0 ? wanted : CpuCount();
  }
  WorkerPool& Workers() {
    if (process != getpid()) {
      static_cast<void>(workers.release());  // there is nobody to be joined
      process = getpid();
    }
    const int wanted = Wanted();
    if (!workers || asked != wanted) workers = std::make_unique<WorkerPool>(wanted);
    asked = wanted;
    return *workers;
  }
};

// Lives as long as the process: threads of Python may outlive destructors at its end.
Pool& ThePool() {
  static Pool* const pool = new Pool;
  return *pool;
}

}  // namespace

void RunInParallel(int count, const std::function<void(int index)>& task) {
  Pool& pool = ThePool();
  // Another thread of Python may be using the threads; then this one works by itself.
  const std::unique_lock lock(pool.mutex, std::try_to_lock);
  if (count <= 1 || !lock.owns_lock() || pool.Wanted() == 1) {
    for (int index = 0; index < count; ++index) task(index);
    return;
  }
  pool.Workers().Run(count, [&task](int /*worker*/, int index) { task(index); });
}

int Threads() { return ThePool().Wanted(); }

void SetThreads(int threads) {
  if (threads < 0 || threads > kMaxBlasCallers) {
    throw Error("pushdown.set_threads", "threads is " + std::to_string(threads) +
                                            ", must be between 0 and " +
                                            std::to_string(kMaxBlasCallers));
  }
  ThePool().threads = threads;
}

}  // namespace pushdown::python
