#pragma once

#include <span>
#include <string>
#include <vector>

#include "pushdown/analysis/automaton_run.h"

namespace pushdown::cli {

struct RunDrawing {
  std::span<const std::string> inputs;  // x_1 .. x_T, what each transition reads
  std::span<const std::string> states;  // names
  std::span<const std::string> symbols;
  int first = 0;  // the times that are drawn, of 0 .. T
  int last = 0;
};

// A run as its stacks over time, side by side, each with its state and the input that led to it
// below. Long runs are drawn in several pieces, one below the other.
std::string DrawRun(const AutomatonRun& run, const RunDrawing& drawing);

// The times 1 .. T at which two runs of one length take different transitions.
std::vector<int> DifferentSteps(const AutomatonRun& run, const AutomatonRun& other);

}  // namespace pushdown::cli
