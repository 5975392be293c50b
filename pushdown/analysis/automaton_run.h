#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pushdown/kernels/stack_spec.h"

namespace pushdown {

// What a transition does to the stack. As in the paper, a replacement keeps the height.
enum class StackOperation { kPush, kReplace, kPop };
const char* OperationName(StackOperation operation);  // "push", "replace" or "pop"

// A transition of the automaton, as it is told from others that leave the same configuration.
struct RunTransition {
  StackOperation operation = StackOperation::kPush;
  int state = 0;    // r, the state after it
  int symbol = -1;  // y, the symbol that is pushed or takes the place of the top; -1 for kPop

  friend bool operator==(const RunTransition&, const RunTransition&) = default;
};

// A transition with the configuration that it leaves.
struct StepTransition {
  int from_state = 0;   // q
  int from_symbol = 0;  // x, on top
  RunTransition transition = {};

  friend bool operator==(const StepTransition&, const StepTransition&) = default;
};
// That of the n-th logit of a step, [q,x][push (r,y) | replace (r,y) | pop r].
StepTransition TransitionAt(const NondeterministicStackSpec& spec, std::size_t n);

// A run of the automaton: from state 0 and a stack with the bottom symbol only, a transition for
// each step.
struct AutomatonRun {
  double log_weight = 0;   // the sum of its logits
  double probability = 0;  // its share of the weight of all runs
  std::vector<RunTransition> transitions = {};

  // After the last step.
  int state() const { return transitions.empty() ? 0 : transitions.back().state; }
  std::vector<int> Stack() const;  // the symbols, that of the bottom first

  // Calls visit(t, state, stack) for t = 0 .. T, with the stack after t steps.
  void ForEachConfiguration(
      const std::function<void(int t, int state, std::span<const int> stack)>& visit) const;
};

// What people read: states are q0, q1, ..., and stack symbols are ⊥, the bottom symbol, 0, 1, ...:
// like the paper, this does not count the bottom symbol.
std::string StateName(int state);
std::string StackSymbolName(int symbol);

}  // namespace pushdown
