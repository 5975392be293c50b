#pragma once

#include <string>

namespace pushdown::cli {

// Thrown when the user has interrupted the program, so that what is half written is removed on the
// way out.
struct Interrupted {
  int signal = 0;
  std::string message = "interrupted";
};

// From now on Ctrl-C and the like end the program at the next ThrowIfInterrupted; the second time,
// at once.
void CatchInterrupts();

// From now on, until CatchInterrupts, they end the program at once: for what takes long and has
// nothing to remove.
void ReleaseInterrupts();

// To be called by everything else that takes long.
void ThrowIfInterrupted();

// The signal, or 0: for work that ends in its own way.
int InterruptSignal();

}  // namespace pushdown::cli
