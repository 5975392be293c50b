#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `score`, which prints the probabilities of strings in a formal language, and does its work
// while the command line is parsed. The work throws UsageError, RunError and Error.
void AddScoreCommand(CLI::App& program);

}  // namespace pushdown::cli
