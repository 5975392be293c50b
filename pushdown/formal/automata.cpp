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
#include <unordered_map>
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

constexpr int kNothing = -1;

// Strings of stack symbols, numbered, which share their beginnings.
class Strings {
 public:
  int size() const { return static_cast<int>(strings_.size()); }
  int beginning(int string) const { return strings_[string].first; }  // all but the last symbol
  int last(int string) const { return strings_[string].second; }

  // The string with one more symbol, which is added if it is new.
  int Add(int beginning, int last) {
    const auto [entry, added] = numbers_.try_emplace({beginning, last}, size());
    if (added) strings_.emplace_back(beginning, last);
    return entry->second;
  }
  // Symbols on a string, or on nothing.
  int Add(int string, std::span<const int> symbols) {
    for (int symbol : symbols) string = Add(string, symbol);
    return string;
  }
  // The same for one that is known.
  int Find(int beginning, int last) const { return numbers_.at({beginning, last}); }

 private:
  std::vector<std::pair<int, int>> strings_;
  std::map<std::pair<int, int>, int> numbers_;
};

// By state: the states that transitions lead to from there, itself included.
std::vector<std::vector<bool>> StatesAfter(const PushdownAutomaton& automaton) {
  constexpr std::size_t kMany = 2000;  // and it is no great loss to take all for possible
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

// What an automaton in restricted form does if each push puts a single symbol on the stack, which
// stands for a string of the automaton's symbols.
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
      for (const AutomatonTransition* transition : From(head)) Follow(head, *transition);
    }
  }

  // Whether there is a way to the start state with the bottom symbol on top.
  bool returns_to_start() const { return returns_to_start_; }

  // By state: the automaton's symbols that are on top in it, at the end of their strings.
  std::vector<std::set<int>> Tops() const {
    std::vector<std::set<int>> tops(automaton_.states.size());
    for (const AutomatonHead& head : heads_) tops[head.state].insert(strings_.last(head.top));
    return tops;
  }

  PushdownAutomaton Result() const {
    PushdownAutomaton result;
    result.inputs = automaton_.inputs;
    result.states = automaton_.states;
    std::vector<int> numbers(static_cast<std::size_t>(strings_.size()));  // as stack symbols
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
  // Long ones are cut.
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

  // What a transition pushes on the string on top, or leaves of it, if it pushes nothing.
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
      throw Error("[pushdown::RestrictedForm] in restricted form, the automaton's " +
                  std::to_string(automaton_.stack_symbols.size()) +
                  " stack symbols become more than " + std::to_string(max_symbols_) +
                  ", which is the limit");
    }
  }

  bool CanFollow(int state, int earlier) const { return after_.empty() || after_[earlier][state]; }

  // Where a run pops a string, any other may come up that was pushed on in a state from which it
  // can have come there. Not all of these need happen; which string is on which is not followed,
  // since that would take the square of their number.
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
  Strings strings_;
  std::unordered_map<const AutomatonTransition*, int> pushed_;  // strings
  std::vector<int> on_top_;                                     // strings, as they come up
  std::set<int> found_on_top_;
  std::set<AutomatonHead> heads_;
  bool returns_to_start_ = false;
  std::vector<AutomatonHead> to_do_;
  std::set<AutomatonHead> pushed_on_;
  std::set<int> popped_to_;
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
    grammar_.start = Number({kStart, strings_.Add(kNothing, kBottom), kAcceptance});
    while (!to_do_.empty()) {
      const Task task = to_do_.front();
      to_do_.pop_front();
      if (strings_.beginning(task.string) == kNothing) {
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
    int string;
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
    const AutomatonHead head = {task.from, strings_.last(task.string)};
    if (task.to == kAcceptance && accepting_.contains(head)) Add(task, {});
    const auto found = by_head_.find(head);
    if (found == by_head_.end()) return;
    for (const AutomatonTransition* transition : found->second) {
      std::vector<int> right;
      if (transition->input != kNoInput) right.push_back(transition->input);
      if (!transition->is_pop()) {
        const int string = strings_.Add(kNothing, transition->pushed);
        right.push_back(Number({transition->to, string, task.to}));
      } else if (transition->to != task.to) {
        continue;
      }
      Add(task, std::move(right));
    }
  }

  // The rules for several symbols: first the uppermost, then the rest.
  void AddSplits(const Task& task) {
    const int top = strings_.Add(kNothing, strings_.last(task.string));
    const int rest = strings_.beginning(task.string);
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
  Strings strings_;
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
  const std::vector<std::set<int>> tops =
      Restriction(restricted, std::numeric_limits<int>::max()).Tops();
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
