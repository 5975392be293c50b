#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `sample`, which prints strings of a formal language, and does its work
// while the command line is parsed. The work throws UsageError, RunError and Error.
void AddSampleCommand(CLI::App& program);

}  // namespace pushdown::cli
