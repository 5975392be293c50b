#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `compile`, which makes networks from grammars and automata, and does its work while the
// command line is parsed. The work throws UsageError, RunError and Error.
void AddCompileCommand(CLI::App& program);

}  // namespace pushdown::cli
