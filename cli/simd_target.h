#pragma once

#include "cli/errors.h"
#include "pushdown/kernels/simd.h"

namespace pushdown::cli {

// Throws UsageError if PUSHDOWN_SIMD asks for what there is not. Stacks and models would complain
// too, but about something that has nothing to do with their files.
inline void CheckSimdTarget() {
  try {
    InitializeSimdTarget();
  } catch (const Error& error) {
    throw UsageError("PUSHDOWN_SIMD: " + MessageForUser(error));
  }
}

}  // namespace pushdown::cli
