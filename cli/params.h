#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `params`, which lists the parameters of a model, and does its work
// while the command line is parsed. The work throws UsageError and Error.
void AddParamsCommand(CLI::App& program);

}  // namespace pushdown::cli
