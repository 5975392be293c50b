#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `bench`, which measures training steps, and does its work
// while the command line is parsed. The work throws UsageError and Error.
void AddBenchCommand(CLI::App& program);

}  // namespace pushdown::cli
