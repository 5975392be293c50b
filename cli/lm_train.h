#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `lm train`. The work throws UsageError, RunError and Interrupted.
void AddLmTrainCommand(CLI::App& lm);

}  // namespace pushdown::cli
