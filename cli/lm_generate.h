#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `pushdown lm generate`.
void AddLmGenerateCommand(CLI::App& lm);

}  // namespace pushdown::cli
