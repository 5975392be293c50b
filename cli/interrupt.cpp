#include "cli/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace pushdown::cli {
namespace {

volatile std::sig_atomic_t interrupted_by = 0;

void Remember(int signal) { interrupted_by = signal; }

}  // namespace

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = Remember;
  action.sa_flags = SA_RESETHAND;  // and not SA_RESTART: a read that waits is interrupted too
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

void ThrowIfInterrupted() {
  if (interrupted_by != 0) throw Interrupted{.signal = interrupted_by};
}

int InterruptSignal() { return interrupted_by; }

}  // namespace pushdown::cli
