#pragma once

#include <functional>

namespace pushdown {

// Lets a front end end long work that has no progress to report:
//
//   const InterruptionScope scope([&] { if (stop) throw Stopped(); });
//   recognizer.Recognize(string);  // throws Stopped soon after `stop` becomes true
//
// As long as it lives, work that runs on the thread of its making, and on the threads of a
// WorkerPool that work for it, calls `check` again and again. What `check` throws ends the work
// like an error does. Scopes can be nested; the innermost counts, and one without a check protects
// work that must not be ended at any place.
class InterruptionScope {
 public:
  explicit InterruptionScope(std::function<void()> check);
  // The innermost check of another thread, which outlives this scope; null: none.
  explicit InterruptionScope(const std::function<void()>* check);
  ~InterruptionScope();
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;

 private:
  std::function<void()> check_;  // if it is its own
  const std::function<void()>* outer_;
};

// Calls the check of the scope, if there is one on this thread: for loops that may take more than a
// moment, outside their innermost part.
void CheckInterruption();
// The check itself, for a scope on another thread.
const std::function<void()>* InnermostCheck();

}  // namespace pushdown
