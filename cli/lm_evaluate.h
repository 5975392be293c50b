#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `pushdown lm evaluate`.
void AddLmEvaluateCommand(CLI::App& lm);

}  // namespace pushdown::cli
