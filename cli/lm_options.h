#pragma once

#include <CLI/App.hpp>
#include <string>

#include "cli/run_directory.h"

namespace pushdown::cli {

// RUN, of `pushdown lm train`.
void AddRunArgument(CLI::App& command, std::string& run);
// --threads, all CPUs by default.
void AddThreadsOption(CLI::App& command, int& threads);

// Throws UsageError.
TrainedRun OpenTextRun(const std::string& path, const char* command);

}  // namespace pushdown::cli
