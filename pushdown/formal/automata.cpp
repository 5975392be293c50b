#include "pushdown/formal/automata.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
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

void MakeUnique(std::vector<std::string>& names) {
  UniqueNames unique;
  for (std::string& name : names) name = unique.Make(std::move(name));
}

std::map<AutomatonHead, std::vector<const AutomatonTransition*>> TransitionsByHead(
    const PushdownAutomaton& automaton) {
  std::map<AutomatonHead, std::vector<const AutomatonTransition*>> by_head;
  for (const AutomatonTransition& transition : automaton.transitions) {
    by_head[transition.from].push_back(&transition);
  }
  return by_head;
}

// --- Lemma 3.

// What an automaton in restricted form does if each push puts a single symbol on the stack, which
// stands for a string of the automaton's symbols.
class Restriction {
 public:
  Restriction(const PushdownAutomaton& automaton, int max_symbols)
      : automaton_(automaton), by_head_(TransitionsByHead(automaton)), max_symbols_(max_symbols) {
    Find({.below = kNothing, .head = {kStart, Number({kBottom})}});
    returns_to_start_ = false;
    Explore();
  }

  // Pairs of a state and a symbol on top that runs come to, and perhaps some more.
  const std::set<AutomatonHead>& heads() const { return heads_; }
  // Whether there is a way to the start state with the bottom symbol on top.
  bool returns_to_start() const { return returns_to_start_; }
  // What a symbol stands for.
  const std::vector<std::vector<int>>& strings() const { return strings_; }

  PushdownAutomaton Result() const {
    PushdownAutomaton result;
    result.inputs = automaton_.inputs;
    result.states = automaton_.states;
    UniqueNames names;
    for (const std::vector<int>& string : strings_) {
      std::string name;
      for (int symbol : string) {
        name += (name.empty() ? "" : ".") + automaton_.stack_symbols[symbol];
      }
      result.stack_symbols.push_back(names.Make(name));
    }
    for (const AutomatonHead& head : heads_) {
      for (const AutomatonTransition* transition : From(head)) {
        result.transitions.push_back(Restricted(head, *transition));
      }
    }
    result.accepting.resize(automaton_.accepting.size());
    for (std::size_t language = 0; language < result.accepting.size(); ++language) {
      const std::set<AutomatonHead> accepting(automaton_.accepting[language].begin(),
                                              automaton_.accepting[language].end());
      for (const AutomatonHead& head : heads_) {
        if (accepting.contains(Original(head))) result.accepting[language].push_back(head);
      }
    }
    return result;
  }

 private:
  static constexpr int kNothing = -1;
  // A symbol on top, in a state, and the one below it, which may be nothing.
  struct Place {
    int below;
    AutomatonHead head;

    friend auto operator<=>(const Place&, const Place&) = default;
  };

  int Number(const std::vector<int>& string) {
    const auto [entry, added] = numbers_.try_emplace(string, static_cast<int>(strings_.size()));
    if (added) {
      strings_.push_back(string);
      if (strings_.size() > static_cast<std::size_t>(max_symbols_)) {
        throw Error("[pushdown::RestrictedForm] in restricted form, the automaton's " +
                    std::to_string(automaton_.stack_symbols.size()) +
                    " stack symbols become more than " + std::to_string(max_symbols_) +
                    ", which is the limit");
      }
    }
    return entry->second;
  }

  AutomatonHead Original(const AutomatonHead& head) const {
    return {head.state, strings_[head.top].back()};
  }

  const std::vector<const AutomatonTransition*>& From(const AutomatonHead& head) const {
    static const std::vector<const AutomatonTransition*> kNone;
    const auto found = by_head_.find(Original(head));
    return found == by_head_.end() ? kNone : found->second;
  }

  // The transition with the whole string of `head` on top.
  AutomatonTransition Restricted(const AutomatonHead& head,
                                 const AutomatonTransition& transition) const {
    AutomatonTransition result = {head, transition.input, transition.to, {}};
    if (transition.is_push()) {
      result.pushed = {head.top, numbers_.at(Pushed(transition))};
    } else if (const std::vector<int> rest = Replaced(head, transition); !rest.empty()) {
      result.pushed = {numbers_.at(rest)};
    }
    return result;
  }

  static std::vector<int> Pushed(const AutomatonTransition& transition) {
    return {transition.pushed.begin() + 1, transition.pushed.end()};
  }
  // What a transition that pushes nothing leaves of the string on top.
  std::vector<int> Replaced(const AutomatonHead& head,
                            const AutomatonTransition& transition) const {
    std::vector<int> string = strings_[head.top];
    string.pop_back();
    string.insert(string.end(), transition.pushed.begin(), transition.pushed.end());
    return string;
  }

  void Find(const Place& place) {
    if (Original(place.head) == AutomatonHead{kStart, kBottom}) returns_to_start_ = true;
    if (!places_.insert(place).second) return;
    heads_.insert(place.head);
    to_do_.push_back(place);
  }

  void Explore() {
    while (!to_do_.empty()) {
      const Place place = to_do_.front();
      to_do_.pop_front();
      for (const AutomatonTransition* transition : From(place.head)) Follow(place, *transition);
    }
  }

  void Follow(const Place& place, const AutomatonTransition& transition) {
    const int top = place.head.top;
    if (transition.is_push()) {
      // What was popped to before comes back to this place too.
      if (under_[top].insert(place.below).second) {
        for (int state : popped_to_[top]) Find({place.below, {state, top}});
      }
      Find({top, {transition.to, Number(Pushed(transition))}});
      return;
    }
    const std::vector<int> rest = Replaced(place.head, transition);
    if (!rest.empty()) {
      Find({place.below, {transition.to, Number(rest)}});
    } else if (popped_to_[place.below].insert(transition.to).second) {
      for (int below : under_[place.below]) Find({below, {transition.to, place.below}});
    }
  }

  const PushdownAutomaton& automaton_;
  std::map<AutomatonHead, std::vector<const AutomatonTransition*>> by_head_;
  int max_symbols_;
  std::vector<std::vector<int>> strings_;
  std::map<std::vector<int>, int> numbers_;
  std::set<AutomatonHead> heads_;
  bool returns_to_start_ = false;
  std::set<Place> places_;
  std::deque<Place> to_do_;
  // By symbol that others were pushed on: what was below it then, and the states in which it was
  // uncovered again.
  std::map<int, std::set<int>> under_;
  std::map<int, std::set<int>> popped_to_;
};

// --- Any automaton.

class AutomatonGrammar {
 public:
  AutomatonGrammar(const PushdownAutomaton& automaton, int language, std::size_t max_size)
      : automaton_(automaton),
        by_head_(TransitionsByHead(automaton)),
        accepting_(automaton.accepting[language].begin(), automaton.accepting[language].end()),
        max_size_(max_size) {
    grammar_.terminals = automaton.inputs;
    grammar_.start = Number({kStart, {kBottom}, kAcceptance});
    while (!to_do_.empty()) {
      const Task task = to_do_.front();
      to_do_.pop_front();
      if (task.symbols.size() == 1) {
        AddTransitions(task);
      } else {
        AddSplits(task);
      }
    }
  }

  Grammar Result() { return std::move(grammar_); }

 private:
  static constexpr int kAcceptance = -1;
  // A nonterminal: all strings that take the automaton from a state with these symbols on top, the
  // lowest first, to state `to` without them, or to where it accepts without having popped all.
  struct Task {
    int from;
    std::vector<int> symbols;
    int to;

    friend auto operator<=>(const Task&, const Task&) = default;
  };

  int Number(const Task& task) {
    const auto [entry, added] = numbers_.try_emplace(task, 0);
    if (added) {
      entry->second = grammar_.AddNonterminal("N" + std::to_string(numbers_.size()));
      to_do_.push_back(task);
    }
    return entry->second;
  }

  void Add(const Task& left, std::vector<int> right) {
    size_ += right.size() + 1;
    if (size_ > max_size_) {
      throw Error("[pushdown::GrammarOfAutomaton] the grammar of an automaton with " +
                  std::to_string(automaton_.states.size()) + " states and " +
                  std::to_string(automaton_.transitions.size()) + " transitions has more than " +
                  std::to_string(max_size_) + " symbols, which is the limit");
    }
    grammar_.AddRule(numbers_.at(left), std::move(right), 1);
  }

  // The rules for one symbol: first a transition, then what it puts in its place.
  void AddTransitions(const Task& task) {
    const AutomatonHead head = {task.from, task.symbols.front()};
    if (task.to == kAcceptance && accepting_.contains(head)) Add(task, {});
    const auto found = by_head_.find(head);
    if (found == by_head_.end()) return;
    for (const AutomatonTransition* transition : found->second) {
      std::vector<int> right;
      if (transition->input != kNoInput) right.push_back(transition->input);
      if (!transition->is_pop()) {
        right.push_back(Number({transition->to, transition->pushed, task.to}));
      } else if (transition->to != task.to) {
        continue;
      }
      Add(task, std::move(right));
    }
  }

  // The rules for several symbols: first the uppermost, then the rest.
  void AddSplits(const Task& task) {
    const std::vector<int> top = {task.symbols.back()};
    const std::vector<int> rest(task.symbols.begin(), task.symbols.end() - 1);
    if (task.to == kAcceptance) Add(task, {Number({task.from, top, kAcceptance})});
    for (int between = 0; between < Size(automaton_.states); ++between) {
      const int first = Number({task.from, top, between});
      Add(task, {first, Number({between, rest, task.to})});
    }
  }

  const PushdownAutomaton& automaton_;
  std::map<AutomatonHead, std::vector<const AutomatonTransition*>> by_head_;
  std::set<AutomatonHead> accepting_;
  std::size_t max_size_;
  Grammar grammar_;
  std::map<Task, int> numbers_;
  std::deque<Task> to_do_;
  std::size_t size_ = 0;
};

// Nothing leads to the start state of the result.
PushdownAutomaton WithFreshStart(const PushdownAutomaton& automaton) {
  const bool is_entered =
      std::any_of(automaton.transitions.begin(), automaton.transitions.end(),
                  [](const AutomatonTransition& transition) { return transition.to == kStart; });
  if (!is_entered) return automaton;
  // The old one moves to the end.
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

  // The ways to go on after the first symbol of a rule: the second, and what it makes of the top.
  using Continuations = std::set<std::pair<int, std::vector<int>>>;
  struct Beginning {
    int left;
    int first;
    int top;  // after the first symbol

    auto operator<=>(const Beginning&) const = default;
  };
  std::map<Beginning, Continuations> beginnings;
  // Reads the first symbol of a rule of `left` with what is then on top in its place. A rule of the
  // start symbol, which is on no right side, puts it on the bottom.
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

bool IsNearlyRestricted(const PushdownAutomaton& automaton) {
  return std::all_of(
      automaton.transitions.begin(), automaton.transitions.end(),
      [](const AutomatonTransition& transition) {
        return transition.input != kNoInput &&
               (transition.is_pop() || transition.is_replace() || transition.is_push());
      });
}

Grammar GrammarOfAutomaton(const PushdownAutomaton& automaton, int language, std::size_t max_size) {
  Validate(automaton);
  return AutomatonGrammar(automaton, language, max_size).Result();
}

PushdownAutomaton RestrictedForm(const PushdownAutomaton& automaton, int max_symbols) {
  Validate(automaton);
  if (!IsNearlyRestricted(automaton)) {
    throw Error(
        "[pushdown::RestrictedForm] a transition reads nothing, or replaces the top symbol and "
        "pushes others");
  }
  return Restriction(automaton, max_symbols).Result();
}

PushdownAutomaton Union(std::span<const PushdownAutomaton> automata) {
  if (automata.empty()) throw Error("[pushdown::Union] there is no automaton");
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
      throw Error("[pushdown::Union] the automata have different input symbols");
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

bool ReturnsToStart(const PushdownAutomaton& restricted) {
  return Restriction(restricted, std::numeric_limits<int>::max()).returns_to_start();
}

PushdownAutomaton PackedStates(const PushdownAutomaton& restricted) {
  if (!IsRestricted(restricted)) throw Error("[pushdown::PackedStates] is not in restricted form");
  const Restriction exploration(restricted, std::numeric_limits<int>::max());
  std::vector<std::set<int>> tops(restricted.states.size());
  for (const AutomatonHead& head : exploration.heads()) {
    tops[head.state].insert(exploration.strings()[head.top].front());
  }
  // Each state goes where it fits first; those with the most symbols choose before others.
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
    if (tops[state].empty() && state != kStart) continue;  // it cannot be reached
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
    if (tops[transition.to].empty()) continue;  // it pops the bottom, and the run ends
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
