#include "cli/interrupt.h"

#include <array>
#include <atomic>
#include <csignal>
#include <utility>

namespace pushdown::cli {
namespace {

constexpr std::array<std::pair<int, const char*>, 5> kSignals = {{{SIGINT, "SIGINT"},
                                                                  {SIGTERM, "SIGTERM"},
                                                                  {SIGHUP, "SIGHUP"},
                                                                  {SIGUSR1, "SIGUSR1"},
                                                                  {SIGUSR2, "SIGUSR2"}}};

std::atomic<int> interrupted_by = 0;
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers must not lock");

// The first one counts: who was told to save and stop (SIGUSR1) may get SIGTERM while it saves.
void Remember(int signal) {
  int none = 0;
  interrupted_by.compare_exchange_strong(none, signal);
}

void HandleBy(void (*handler)(int)) {
  for (const auto& [signal, name] : kSignals) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (signal == SIGHUP && action.sa_handler == SIG_IGN) continue;  // nohup
    action = {};
    action.sa_handler = handler;
    // Not SA_RESTART: a read that waits is interrupted too. Signals other than Ctrl-C come more
    // than once without anybody being impatient: a closed terminal and its shell both send SIGHUP.
    action.sa_flags = signal == SIGINT ? static_cast<int>(SA_RESETHAND) : 0;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

int Interrupted::exit_code() const {
  constexpr int kSignalled = 128;  // plus the signal, as shells have it
  const bool by_scheduler = signal == 0 || signal == SIGUSR1 || signal == SIGUSR2;
  return resumable && by_scheduler ? kResumable : kSignalled + signal;
}

const char* SignalName(int signal) {
  for (const auto& [number, name] : kSignals) {
    if (number == signal) return name;
  }
  return "a signal";
}

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
