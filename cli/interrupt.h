#pragma once

namespace pushdown::cli {

// Thrown when the user has interrupted the program, so that what is half written is removed on the
// way out.
struct Interrupted {
  int signal = 0;
};

// From now on Ctrl-C and the like end the program at the next ThrowIfInterrupted; the second time,
// at once.
void CatchInterrupts();

// To be called by everything that takes long.
void ThrowIfInterrupted();

}  // namespace pushdown::cli
