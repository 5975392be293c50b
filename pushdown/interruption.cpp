#include "pushdown/interruption.h"

#include <utility>

namespace pushdown {
namespace {

thread_local const std::function<void()>* innermost = nullptr;

}  // namespace

InterruptionScope::InterruptionScope(std::function<void()> check)
    : check_(std::move(check)), outer_(innermost) {
  innermost = &check_;
}

InterruptionScope::~InterruptionScope() { innermost = outer_; }

void CheckInterruption() {
  if (innermost != nullptr) (*innermost)();
}

}  // namespace pushdown
