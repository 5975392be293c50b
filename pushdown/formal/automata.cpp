#include "pushdown/formal/automata.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/unique_names.h"

namespace pushdown {
namespace {

constexpr int kStart = 0;
constexpr int kBottom = 0;

int Size(const std::vector<std::string>& names) { return static_cast<int>(names.size()); }

// The same automaton with a start state to which no transition leads.
PushdownAutomaton WithFreshStart(const PushdownAutomaton& automaton) {
  const bool is_entered =
      std::any_of(automaton.transitions.begin(), automaton.transitions.end(),
                  [](const AutomatonTransition& transition) { return transition.to == kStart; });
  if (!is_entered) return automaton;
  // The old start state becomes the last state.
  PushdownAutomaton result = automaton;
  const int moved = Size(automaton.states);
  result.states.push_back(automaton.states[kStart]);
  result.states[kStart] = UniqueNames(automaton.states).Make("start");
  result.transitions.clear();
  const AutomatonHead start = {kStart, kBottom};
  for (AutomatonTransition transition : automaton.transitions) {
    const bool from_start = transition.from == start;
    if (transition.to == kStart) transition.to = moved;
    if (from_start) result.transitions.push_back(transition);
    if (transition.from.state == kStart) transition.from.state = moved;
    result.transitions.push_back(transition);
  }
  for (std::vector<AutomatonHead>& heads : result.accepting) {
    const bool accepts_empty = std::find(heads.begin(), heads.end(), start) != heads.end();
    for (AutomatonHead& head : heads) {
      if (head.state == kStart) head.state = moved;
    }
    if (accepts_empty) heads.push_back(start);
  }
  return result;
}

}  // namespace

PushdownAutomaton AutomatonOfGrammar(const Grammar& grammar) {
  constexpr int kLoop = 1;
  const int terminals = grammar.terminals.size();
  PushdownAutomaton automaton;
  automaton.inputs = grammar.terminals;
  automaton.states = {"start", "loop"};
  automaton.stack_symbols = {UniqueNames(grammar.nonterminal_names).Make("$")};
  automaton.stack_symbols.insert(automaton.stack_symbols.end(), grammar.nonterminal_names.begin(),
                                 grammar.nonterminal_names.end());
  automaton.accepting = {{{kLoop, kBottom}}};
  const auto stack_symbol = [&](int nonterminal) { return nonterminal - terminals + 1; };

  // The ways to go on after the first terminal of a rule: the second terminal, and the symbols that
  // then take the place of the top.
  using Continuations = std::set<std::pair<int, std::vector<int>>>;
  struct Beginning {
    int left;
    int first;
    int top;  // after the first symbol

    auto operator<=>(const Beginning&) const = default;
  };
  std::map<Beginning, Continuations> beginnings;
  // Adds the transition that reads the first terminal of a rule of `left`, and puts `pushed` in the
  // place of `left`. The start symbol is never on the stack, since it is on no right side: its
  // rules put `pushed` on the bottom symbol.
  const auto read_first = [&](int left, int first, int to, std::vector<int> pushed) {
    if (left == grammar.start) {
      pushed.insert(pushed.begin(), kBottom);
      automaton.transitions.push_back({{kStart, kBottom}, first, to, std::move(pushed)});
    } else {
      automaton.transitions.push_back({{kLoop, stack_symbol(left)}, first, to, std::move(pushed)});
    }
  };
  for (const Rule& rule : grammar.rules) {
    const std::vector<int>& right = rule.right;
    if (right.empty()) {
      automaton.accepting[0].push_back({kStart, kBottom});
    } else if (right.size() == 1) {
      read_first(rule.left, right[0], kLoop, {});
    } else {
      std::vector<int> pushed;
      for (std::size_t n = right.size() - 1; n >= 2; --n) pushed.push_back(stack_symbol(right[n]));
      const int top = pushed.empty() ? stack_symbol(rule.left) : pushed.front();
      beginnings[{rule.left, right[0], top}].emplace(right[1], std::move(pushed));
    }
  }
  std::map<Continuations, int> states;
  std::set<AutomatonTransition> seconds;
  for (const auto& [beginning, continuations] : beginnings) {
    const auto [entry, added] = states.try_emplace(continuations, Size(automaton.states));
    if (added) automaton.states.push_back("m" + std::to_string(states.size()));
    const int state = entry->second;
    read_first(beginning.left, beginning.first, state, {beginning.top});
    for (const auto& [second, pushed] : continuations) {
      seconds.insert({{state, beginning.top}, second, kLoop, pushed});
    }
  }
  automaton.transitions.insert(automaton.transitions.end(), seconds.begin(), seconds.end());
  return automaton;
}

PushdownAutomaton Union(std::span<const PushdownAutomaton> automata) {
  if (automata.empty()) throw Error("pushdown::Union", "there is no automaton");
  PushdownAutomaton result;
  result.inputs = automata.front().inputs;
  result.states = {"start"};
  result.accepting.clear();
  UniqueNames state_names(result.states);
  for (const PushdownAutomaton& any_automaton : automata) {
    const PushdownAutomaton automaton = WithFreshStart(any_automaton);
    std::vector<int> inputs;
    for (const std::string& name : automaton.inputs.names()) {
      const std::optional<int> input = result.inputs.Find(name);
      if (input) inputs.push_back(*input);
    }
    if (inputs.size() != automaton.inputs.names().size() ||
        automaton.inputs.size() != result.inputs.size()) {
      throw Error("pushdown::Union", "the automata have different input symbols");
    }
    std::vector<int> states = {kStart};
    for (int state = 1; state < Size(automaton.states); ++state) {
      states.push_back(Size(result.states));
      result.states.push_back(state_names.Make(automaton.states[state]));
    }
    for (int symbol = 0; symbol < Size(automaton.stack_symbols); ++symbol) {
      const std::string& name = automaton.stack_symbols[symbol];
      if (symbol == Size(result.stack_symbols)) {
        result.stack_symbols.push_back(name);
      } else if (result.stack_symbols[symbol] != name) {
        result.stack_symbols[symbol] += "/" + name;
      }
    }
    for (AutomatonTransition transition : automaton.transitions) {
      transition.from.state = states[transition.from.state];
      transition.to = states[transition.to];
      transition.input = inputs[transition.input];
      result.transitions.push_back(std::move(transition));
    }
    for (std::vector<AutomatonHead> heads : automaton.accepting) {
      for (AutomatonHead& head : heads) head.state = states[head.state];
      result.accepting.push_back(std::move(heads));
    }
  }
  MakeUnique(result.stack_symbols);
  return result;
}

PushdownAutomaton WithTrap(const PushdownAutomaton& restricted) {
  PushdownAutomaton result = WithFreshStart(restricted);
  const int trap = Size(result.states);
  result.states.push_back(UniqueNames(result.states).Make("trap"));
  for (int input = 0; input < result.inputs.size(); ++input) {
    for (int from : {kStart, trap}) {
      result.transitions.push_back({{from, kBottom}, input, trap, {kBottom}});
    }
  }
  return result;
}

}  // namespace pushdown
