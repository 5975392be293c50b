#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `recognize`, which runs the networks of `compile`, and does its work while the command line
// is parsed. The work throws UsageError, RunError and Error.
void AddRecognizeCommand(CLI::App& program);

}  // namespace pushdown::cli
