#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `data`, which makes the datasets of a formal language, and does its work
// while the command line is parsed. The work throws UsageError, RunError and Error.
void AddDataCommand(CLI::App& program);

}  // namespace pushdown::cli
