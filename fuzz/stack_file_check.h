#pragma once

#include <string>
#include <string_view>

#include "cli/errors.h"
#include "cli/stack_file.h"
#include "cli/stack_run.h"

namespace pushdown::cli {

// Reads any text as a file of `pushdown stack run`, and runs the stack if it is small. Only what
// the program reports as an error is caught; returns whether the text was a valid file.
template <typename T>
bool CheckStackFileText(std::string_view text) {
  constexpr double kSmall = 1 << 24;  // bytes
  constexpr int kFewSteps = 64;
  try {
    const StackFile<T> file = ReadStackFile<T>(text);
    const bool nondeterministic = std::holds_alternative<NondeterministicStackSpec>(file.spec);
    for (int chunk : {0, 3}) {
      const StackRunOptions options = {.chunk = chunk,
                                       .gradients = file.has_coefficients,
                                       // Superposition stacks have no runs.
                                       .runs = {.best = nondeterministic ? 3 : 0,
                                                .samples = nondeterministic ? 2 : 0,
                                                .marginals = nondeterministic},
                                       .memory_limit = kSmall};
      if (file.max_steps > kFewSteps || EstimateRunBytes(file, options) > kSmall) return true;
      try {
        RunStackFile(file, options);
      } catch (const RunError&) {
      }
    }
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace pushdown::cli
