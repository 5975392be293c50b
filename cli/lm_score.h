#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `pushdown lm score`.
void AddLmScoreCommand(CLI::App& lm);

}  // namespace pushdown::cli
