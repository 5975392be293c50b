#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "pushdown/formal/symbols.h"

namespace pushdown {

// What a transition of an automaton depends on, beside the input.
struct AutomatonHead {
  int state = 0;
  int top = 0;

  friend auto operator<=>(const AutomatonHead&, const AutomatonHead&) = default;
};

// The input of a transition that reads nothing.
inline constexpr int kNoInput = -1;

// from --input--> to: the symbol `top` on top of the stack gives way to `pushed`, the lowest first.
// Empty: it is popped. One symbol: replaced. {top, y_1 .. y_k}: y_1 .. y_k are pushed on it.
struct AutomatonTransition {
  AutomatonHead from;
  int input = 0;
  int to = 0;
  std::vector<int> pushed;

  bool is_pop() const { return pushed.empty(); }
  bool is_replace() const { return pushed.size() == 1; }
  bool is_push() const { return pushed.size() >= 2 && pushed.front() == from.top; }

  friend auto operator<=>(const AutomatonTransition&, const AutomatonTransition&) = default;
};

// A nondeterministic pushdown automaton. It starts in state 0, with symbol 0, the bottom, as its
// stack. A run in which the stack becomes empty ends there, and does not accept.
struct PushdownAutomaton {
  SymbolTable inputs = {};
  std::vector<std::string> states = {};         // names, each of its own
  std::vector<std::string> stack_symbols = {};  // names, each of its own
  std::vector<AutomatonTransition> transitions = {};
  // By language, of which there is at least one: where a run has to end. In the paper, that is an
  // accept state with the bottom symbol on top. A string is accepted if each language has such a
  // run.
  std::vector<std::vector<AutomatonHead>> accepting = {{}};

  int languages() const { return static_cast<int>(accepting.size()); }

  friend bool operator==(const PushdownAutomaton&, const PushdownAutomaton&) = default;
};

// Those that leave each head, in their order; the automaton must outlive it.
std::map<AutomatonHead, std::vector<const AutomatonTransition*>> TransitionsByHead(
    const PushdownAutomaton& automaton);

// Throws Error if a number is out of range, if two states or two stack symbols have the same name,
// or if there is no state, no stack symbol or no language.
void Validate(const PushdownAutomaton& automaton);

// Whether all transitions pop, replace, or push one symbol: the paper's restricted form.
bool IsRestricted(const PushdownAutomaton& automaton);

}  // namespace pushdown
