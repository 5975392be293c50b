#pragma once

#include <functional>

namespace pushdown::python {

// Calls task(index) for each index 0 .. count-1 on the threads of the module. Throws what the task
// of the lowest index has thrown. To be called without the interpreter's lock.
void RunInParallel(int count, const std::function<void(int index)>& task);

// How many threads that are, and everything that takes threads uses if it is not told.
int Threads();
void SetThreads(int threads);  // 0: as many as CPUs

}  // namespace pushdown::python
