#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "pushdown/formal/symbols.h"

namespace pushdown {

// A state and the symbol on top of the stack: what a transition depends on besides the input.
struct AutomatonHead {
  int state = 0;
  int top = 0;

  friend auto operator<=>(const AutomatonHead&, const AutomatonHead&) = default;
};

// The input of a transition that reads nothing.
inline constexpr int kNoInput = -1;

// from --input--> to. The symbols of `pushed`, the lowest first, take the place of the symbol
// `from.top` on top of the stack. If `pushed` is empty, the top is popped; if it has one symbol,
// the top is replaced; if it is {top, y_1 .. y_k}, the symbols y_1 .. y_k are pushed on the top.
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
  std::vector<std::string> states = {};         // unique names
  std::vector<std::string> stack_symbols = {};  // unique names
  std::vector<AutomatonTransition> transitions = {};
  // For each language, the heads in which a run accepts; in the paper, these are accept states with
  // the bottom symbol on top. There is at least one language. A string is accepted if each language
  // has an accepting run.
  std::vector<std::vector<AutomatonHead>> accepting = {{}};

  int languages() const { return static_cast<int>(accepting.size()); }

  friend bool operator==(const PushdownAutomaton&, const PushdownAutomaton&) = default;
};

// For each head, the transitions from it, in the automaton's order. The automaton must outlive the
// result.
std::map<AutomatonHead, std::vector<const AutomatonTransition*>> TransitionsByHead(
    const PushdownAutomaton& automaton);

// Throws Error if a number is out of range, if two states or two stack symbols have the same name,
// or if there is no state, no stack symbol or no language.
void Validate(const PushdownAutomaton& automaton);

// Whether all transitions pop, replace, or push one symbol: the paper's restricted form.
bool IsRestricted(const PushdownAutomaton& automaton);

}  // namespace pushdown
