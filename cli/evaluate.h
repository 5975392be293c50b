#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `evaluate`, which compares a trained model with the exact optimum, and does its work
// while the command line is parsed. The work throws UsageError, RunError and Error.
void AddEvaluateCommand(CLI::App& program);

}  // namespace pushdown::cli
