#include "pushdown/interruption.h"

#include <utility>

namespace pushdown {
namespace {

thread_local const std::function<void()>* innermost = nullptr;

}  // namespace

InterruptionScope::InterruptionScope(std::function<void()> check)
    : check_(std::move(check)), outer_(innermost) {
  innermost = check_ ? &check_ : nullptr;
}

InterruptionScope::InterruptionScope(const std::function<void()>* check) : outer_(innermost) {
  innermost = check;
}

InterruptionScope::~InterruptionScope() { innermost = outer_; }

void CheckInterruption() {
  if (innermost != nullptr) (*innermost)();
}

const std::function<void()>* InnermostCheck() { return innermost; }

}  // namespace pushdown
