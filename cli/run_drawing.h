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

// A run as a table with a line for each time: the input that is read, the transition, and the stack
// after it, the bottom first. What has no room is cut from the bottom.
std::string RunTable(const AutomatonRun& run, const RunDrawing& drawing);

// "q0 ⊥ push 1 → q1", for a transition that leaves a state with a symbol on top; the state after it
// is left out if it is the same.
std::string TransitionText(int state, int symbol, const RunTransition& transition,
                           std::span<const std::string> states,
                           std::span<const std::string> symbols);

// The times 1 .. T at which two runs of one length take different transitions.
std::vector<int> DifferentSteps(const AutomatonRun& run, const AutomatonRun& other);

}  // namespace pushdown::cli
