#pragma once

#include <string>

namespace pushdown::cli {

// The program stopped early and has saved its work: run it again to go on. It is EX_TEMPFAIL of
// sysexits.h, which batch systems take for "requeue".
inline constexpr int kResumable = 75;

// Thrown when the user or a batch system has interrupted the program, so that what is half written
// is removed on the way out.
struct Interrupted {
  int signal = 0;  // 0: a time limit
  std::string message = "interrupted";
  bool resumable = false;  // whether a training has saved its work

  int exit_code() const;
};

// "SIGTERM" and the like, for one of the signals below.
const char* SignalName(int signal);

// From now on SIGINT (Ctrl-C), SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 end the program at the next
// ThrowIfInterrupted; a second Ctrl-C ends it at once. SIGHUP stays ignored under nohup.
void CatchInterrupts();

// From now on, until CatchInterrupts, the signals end the program at once: for what takes long and
// has nothing to remove.
void ReleaseInterrupts();

// To be called by everything else that takes long.
void ThrowIfInterrupted();

// The signal, or 0: for work that ends in its own way.
int InterruptSignal();

}  // namespace pushdown::cli
