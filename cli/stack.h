#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `stack`, which works with stacks of given actions, without a neural network, and does its
// work while the command line is parsed. The work throws UsageError and RunError.
void AddStackCommand(CLI::App& program);

}  // namespace pushdown::cli
