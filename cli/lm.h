#pragma once

#include <CLI/App.hpp>

namespace pushdown::cli {

// Adds `lm`, whose commands are about language models of running text. A command of it is a file of
// its own, cli/lm_NAME.cpp, and does its work while the command line is parsed.
void AddLmCommand(CLI::App& program);

}  // namespace pushdown::cli
