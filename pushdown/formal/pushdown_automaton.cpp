#include "pushdown/formal/pushdown_automaton.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "pushdown/error.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

[[noreturn]] void Fail(const std::string& message) { throw Error("pushdown::Validate", message); }

void CheckNames(const std::vector<std::string>& names, const std::string& what) {
  if (names.empty()) Fail("the automaton has no " + what);
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) Fail("more than one " + what + " is called " + Quoted(name));
  }
}

}  // namespace

std::map<AutomatonHead, std::vector<const AutomatonTransition*>> TransitionsByHead(
    const PushdownAutomaton& automaton) {
  std::map<AutomatonHead, std::vector<const AutomatonTransition*>> by_head;
  for (const AutomatonTransition& transition : automaton.transitions) {
    by_head[transition.from].push_back(&transition);
  }
  return by_head;
}

void Validate(const PushdownAutomaton& automaton) {
  CheckNames(automaton.states, "state");
  CheckNames(automaton.stack_symbols, "stack symbol");
  if (automaton.accepting.empty()) Fail("the automaton has no language");
  const auto check = [](int number, std::size_t count, const char* what, const std::string& where) {
    if (number < 0 || static_cast<std::size_t>(number) >= count) {
      Fail(where + " has " + what + ' ' + std::to_string(number) + ", but there are " +
           std::to_string(count) + " of them, from 0 on");
    }
  };
  const auto check_state = [&](int state, const std::string& where) {
    check(state, automaton.states.size(), "state", where);
  };
  const auto check_symbol = [&](int symbol, const std::string& where) {
    check(symbol, automaton.stack_symbols.size(), "stack symbol", where);
  };
  for (std::size_t n = 0; n < automaton.transitions.size(); ++n) {
    const AutomatonTransition& transition = automaton.transitions[n];
    const std::string where = "transition " + std::to_string(n);
    check_state(transition.from.state, where);
    check_symbol(transition.from.top, where);
    if (transition.input != kNoInput) {
      check(transition.input, automaton.inputs.names().size(), "input symbol", where);
    }
    check_state(transition.to, where);
    for (int symbol : transition.pushed) check_symbol(symbol, where);
  }
  for (std::size_t n = 0; n < automaton.accepting.size(); ++n) {
    const std::string where = "language " + std::to_string(n);
    for (const AutomatonHead& head : automaton.accepting[n]) {
      check_state(head.state, where);
      check_symbol(head.top, where);
    }
  }
}

bool IsRestricted(const PushdownAutomaton& automaton) {
  return std::all_of(automaton.transitions.begin(), automaton.transitions.end(),
                     [](const AutomatonTransition& transition) {
                       return transition.input != kNoInput &&
                              (transition.is_pop() || transition.is_replace() ||
                               (transition.is_push() && transition.pushed.size() == 2));
                     });
}

}  // namespace pushdown
