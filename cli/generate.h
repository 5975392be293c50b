#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `generate`, which prints strings sampled from a trained model, and does its work
// while the command line is parsed. The work throws UsageError, RunError and Error.
void AddGenerateCommand(CLI::App& program);

}  // namespace pushdown::cli
