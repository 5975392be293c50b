#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `tasks`, which lists the formal languages that have names, and does its work
// while the command line is parsed. The work throws UsageError, RunError and Error.
void AddTasksCommand(CLI::App& program);

}  // namespace pushdown::cli
