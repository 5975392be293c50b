#include "pushdown/formal/restricted_form.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/stack_strings.h"
#include "pushdown/formal/unique_names.h"
#include "pushdown/interruption.h"

namespace pushdown {
namespace {

constexpr int kStart = 0;
constexpr int kBottom = 0;

int Size(const std::vector<std::string>& names) { return static_cast<int>(names.size()); }

constexpr int kNothing = StackStrings::kNothing;

// For each state, the states that can be reached from it, including itself.
std::vector<std::vector<bool>> StatesAfter(const PushdownAutomaton& automaton) {
  // With more states, all of them count as reachable, which costs little.
  constexpr std::size_t kMany = 2000;
  const std::size_t states = automaton.states.size();
  if (states > kMany) return {};
  std::vector<std::set<int>> next(states);
  for (const AutomatonTransition& transition : automaton.transitions) {
    next[transition.from.state].insert(transition.to);
  }
  std::vector<std::vector<bool>> after(states, std::vector<bool>(states, false));
  for (std::size_t from = 0; from < states; ++from) {
    std::vector<int> to_do = {static_cast<int>(from)};
    after[from][from] = true;
    while (!to_do.empty()) {
      const int state = to_do.back();
      to_do.pop_back();
      for (int to : next[state]) {
        if (after[from][to]) continue;
        after[from][to] = true;
        to_do.push_back(to);
      }
    }
  }
  return after;
}

// The runs of an automaton in which each push puts a single symbol on the stack, which stands for a
// string of the automaton's symbols.
class Restriction {
 public:
  Restriction(const PushdownAutomaton& automaton, int max_symbols)
      : automaton_(automaton),
        by_head_(TransitionsByHead(automaton)),
        max_symbols_(max_symbols),
        after_(StatesAfter(automaton)) {
    for (const AutomatonTransition& transition : automaton.transitions) {
      if (!transition.is_push()) continue;
      pushed_[&transition] = strings_.Add(kNothing, std::span(transition.pushed).subspan(1));
    }
    Find({kStart, strings_.Add(kNothing, kBottom)});
    returns_to_start_ = false;
    while (!to_do_.empty()) {
      const AutomatonHead head = to_do_.back();
      to_do_.pop_back();
      CheckInterruption();
      for (const AutomatonTransition* transition : From(head)) Follow(head, *transition);
    }
  }

  // Whether a run can come back to the start state with the bottom symbol on top.
  bool returns_to_start() const { return returns_to_start_; }

  // For each state, the automaton's symbols that can be on top, that is at the end of the string on
  // top.
  std::vector<std::set<int>> Tops() const {
    std::vector<std::set<int>> tops(automaton_.states.size());
    for (const AutomatonHead& head : heads_) tops[head.state].insert(strings_.last(head.top));
    return tops;
  }

  PushdownAutomaton Result() const {
    PushdownAutomaton result;
    result.inputs = automaton_.inputs;
    result.states = automaton_.states;
    // The stack symbol that each string becomes.
    std::vector<int> numbers(static_cast<std::size_t>(strings_.size()));
    UniqueNames names;
    for (int string : on_top_) {
      numbers[string] = Size(result.stack_symbols);
      result.stack_symbols.push_back(names.Make(Name(string)));
    }
    for (const AutomatonHead& head : heads_) {
      const AutomatonHead from = {head.state, numbers[head.top]};
      for (const AutomatonTransition* transition : From(head)) {
        const int string = After(head.top, *transition);
        std::vector<int> pushed;
        if (transition->is_push()) pushed.push_back(from.top);
        if (string != kNothing) pushed.push_back(numbers[string]);
        result.transitions.push_back({from, transition->input, transition->to, pushed});
      }
    }
    result.accepting.resize(automaton_.accepting.size());
    for (std::size_t language = 0; language < result.accepting.size(); ++language) {
      const std::set<AutomatonHead> accepting(automaton_.accepting[language].begin(),
                                              automaton_.accepting[language].end());
      for (const AutomatonHead& head : heads_) {
        if (!accepting.contains(Original(head))) continue;
        result.accepting[language].push_back({head.state, numbers[head.top]});
      }
    }
    return result;
  }

 private:
  // Long names are cut.
  std::string Name(int string) const {
    constexpr std::size_t kMostParts = 50;
    std::vector<std::string> parts;
    for (int rest = string; rest != kNothing; rest = strings_.beginning(rest)) {
      if (parts.size() == kMostParts) break;
      parts.push_back(automaton_.stack_symbols[strings_.last(rest)]);
    }
    std::string name = parts.back();
    for (auto part = parts.rbegin() + 1; part != parts.rend(); ++part) name += "." + *part;
    return name;
  }

  AutomatonHead Original(const AutomatonHead& head) const {
    return {head.state, strings_.last(head.top)};
  }

  const std::vector<const AutomatonTransition*>& From(const AutomatonHead& head) const {
    static const std::vector<const AutomatonTransition*> kNone;
    const auto found = by_head_.find(Original(head));
    return found == by_head_.end() ? kNone : found->second;
  }

  // The string that a transition pushes, or, if it pushes nothing, what it leaves of the string on
  // top.
  int After(int top, const AutomatonTransition& transition) const {
    if (transition.is_push()) return pushed_.at(&transition);
    const int beginning = strings_.beginning(top);
    return transition.is_pop() ? beginning : strings_.Find(beginning, transition.pushed[0]);
  }

  void Find(const AutomatonHead& head) {
    if (Original(head) == AutomatonHead{kStart, kBottom}) returns_to_start_ = true;
    if (!heads_.insert(head).second) return;
    to_do_.push_back(head);
    if (!found_on_top_.insert(head.top).second) return;
    on_top_.push_back(head.top);
    if (on_top_.size() > static_cast<std::size_t>(max_symbols_)) {
      throw Error(ErrorKind::kLimit, "pushdown::RestrictedForm",
                  "in restricted form, the automaton's " +
                      std::to_string(automaton_.stack_symbols.size()) +
                      " stack symbols become more than " + std::to_string(max_symbols_) +
                      ", which is the limit");
    }
  }

  bool CanFollow(int state, int earlier) const { return after_.empty() || after_[earlier][state]; }

  // When a run pops a string, the string below comes up. That can be any string on which something
  // was pushed in a state from which the run can have come to its present state. Not all of these
  // need be possible: which string lies on which is not followed, since that would take the square
  // of their number.
  void Follow(const AutomatonHead& head, const AutomatonTransition& transition) {
    if (transition.is_replace()) strings_.Add(strings_.beginning(head.top), transition.pushed[0]);
    const int string = After(head.top, transition);
    if (transition.is_push()) {
      if (pushed_on_.insert(head).second) {
        for (int state : popped_to_) {
          if (CanFollow(state, head.state)) Find({state, head.top});
        }
      }
      Find({transition.to, string});
    } else if (string != kNothing) {
      Find({transition.to, string});
    } else if (popped_to_.insert(transition.to).second) {
      for (const AutomatonHead& below : pushed_on_) {
        if (CanFollow(transition.to, below.state)) Find({transition.to, below.top});
      }
    }
  }

  const PushdownAutomaton& automaton_;
  std::map<AutomatonHead, std::vector<const AutomatonTransition*>> by_head_;
  int max_symbols_;
  std::vector<std::vector<bool>> after_;
  StackStrings strings_;
  std::unordered_map<const AutomatonTransition*, int> pushed_;  // strings
  std::vector<int> on_top_;  // strings, in the order in which they are found on top
  std::set<int> found_on_top_;
  std::set<AutomatonHead> heads_;
  bool returns_to_start_ = false;
  std::vector<AutomatonHead> to_do_;
  std::set<AutomatonHead> pushed_on_;
  std::set<int> popped_to_;
};

}  // namespace

bool IsNearlyRestricted(const PushdownAutomaton& automaton) {
  return std::all_of(
      automaton.transitions.begin(), automaton.transitions.end(),
      [](const AutomatonTransition& transition) {
        return transition.input != kNoInput &&
               (transition.is_pop() || transition.is_replace() || transition.is_push());
      });
}

PushdownAutomaton RestrictedForm(const PushdownAutomaton& automaton, int max_symbols) {
  Validate(automaton);
  if (!IsNearlyRestricted(automaton)) {
    throw Error("pushdown::RestrictedForm",
                "a transition reads nothing, or replaces the top symbol and "
                "pushes others");
  }
  return Restriction(automaton, max_symbols).Result();
}

bool ReturnsToStart(const PushdownAutomaton& restricted) {
  return Restriction(restricted, std::numeric_limits<int>::max()).returns_to_start();
}

PushdownAutomaton PackedStates(const PushdownAutomaton& restricted) {
  if (!IsRestricted(restricted)) throw Error("pushdown::PackedStates", "is not in restricted form");
  const std::vector<std::set<int>> tops =
      Restriction(restricted, std::numeric_limits<int>::max()).Tops();
  // Each state joins the first group in which it fits; states with the most symbols choose first.
  std::vector<int> order(restricted.states.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin() + 1, order.end(),
                   [&](int a, int b) { return tops[a].size() > tops[b].size(); });
  PushdownAutomaton result = restricted;
  result.states.clear();
  std::vector<std::set<int>> taken;
  std::vector<int> members;
  std::vector<int> packed(order.size());
  for (int state : order) {
    if (tops[state].empty() && state != kStart) continue;  // no run reaches this state
    const auto fits = [&](const std::set<int>& others) {
      return std::none_of(tops[state].begin(), tops[state].end(),
                          [&](int top) { return others.contains(top); });
    };
    const auto found = std::find_if(taken.begin(), taken.end(), fits);
    packed[state] = static_cast<int>(found - taken.begin());
    if (found == taken.end()) {
      taken.emplace_back();
      members.push_back(0);
      result.states.push_back(restricted.states[state]);
    }
    taken[packed[state]].insert(tops[state].begin(), tops[state].end());
    ++members[packed[state]];
  }
  for (std::size_t state = 0; state < members.size(); ++state) {
    if (members[state] > 1) result.states[state] += "+" + std::to_string(members[state] - 1);
  }
  MakeUnique(result.states);
  const auto reached = [&](const AutomatonHead& head) {
    return tops[head.state].contains(head.top);
  };
  result.transitions.clear();
  for (AutomatonTransition transition : restricted.transitions) {
    if (!reached(transition.from)) continue;
    // The transition pops the bottom symbol, so that the run ends.
    if (tops[transition.to].empty()) continue;
    transition.from.state = packed[transition.from.state];
    transition.to = packed[transition.to];
    result.transitions.push_back(std::move(transition));
  }
  for (std::vector<AutomatonHead>& heads : result.accepting) {
    std::erase_if(heads, [&](const AutomatonHead& head) { return !reached(head); });
    for (AutomatonHead& head : heads) head.state = packed[head.state];
  }
  return result;
}

}  // namespace pushdown
