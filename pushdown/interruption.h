#pragma once

#include <functional>

namespace pushdown {

// Lets a front end end long work that has no progress to report:
//
//   const InterruptionScope scope([&] { if (stop) throw Stopped(); });
//   recognizer.Recognize(string);  // throws Stopped soon after `stop` becomes true
//
// As long as it lives, work that runs on the thread of its making calls `check` again and again.
// What `check` throws ends the work like an error does. Scopes can be nested; the innermost counts.
class InterruptionScope {
 public:
  explicit InterruptionScope(std::function<void()> check);
  ~InterruptionScope();
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;

 private:
  std::function<void()> check_;
  const std::function<void()>* outer_;
};

// Calls the function of the scope, if there is one on this thread: for loops that may take more
// than a moment, outside their innermost part.
void CheckInterruption();

}  // namespace pushdown
