#include "cli/interrupt.h"

#include <atomic>
#include <csignal>
#include <initializer_list>

namespace pushdown::cli {
namespace {

std::atomic<int> interrupted_by = 0;
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers must not lock");

void Remember(int signal) { interrupted_by = signal; }

void HandleBy(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESETHAND;  // and not SA_RESTART: a read that waits is interrupted too
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

}  // namespace

void CatchInterrupts() { HandleBy(Remember); }

void ReleaseInterrupts() {
  HandleBy(SIG_DFL);
  ThrowIfInterrupted();  // it may have come before
}

void ThrowIfInterrupted() {
  if (interrupted_by != 0) throw Interrupted{.signal = interrupted_by};
}

int InterruptSignal() { return interrupted_by; }

}  // namespace pushdown::cli
