#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `train`, which trains a model on a formal language, and does its work while the command line
// is parsed. The work throws UsageError, RunError, Error and Interrupted.
void AddTrainCommand(CLI::App& program);

}  // namespace pushdown::cli
