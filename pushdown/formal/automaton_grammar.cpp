#include "pushdown/formal/automaton_grammar.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/stack_strings.h"
#include "pushdown/interruption.h"

namespace pushdown {
namespace {

constexpr int kNothing = StackStrings::kNothing;

class AutomatonGrammar {
 public:
  AutomatonGrammar(const PushdownAutomaton& automaton, int language, std::size_t max_size)
      : automaton_(automaton),
        by_head_(TransitionsByHead(automaton)),
        accepting_(automaton.accepting[language].begin(), automaton.accepting[language].end()),
        max_size_(max_size) {
    grammar_.terminals = automaton.inputs;
    grammar_.start = Number({0, strings_.Add(kNothing, 0), kAcceptance});
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
  // A nonterminal stands for all strings that lead the automaton from a state with these symbols on
  // top, the lowest first, to state `to` without these symbols, or to acceptance before all of them
  // are popped.
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
    CheckInterruption();
    size_ += right.size() + 1;
    if (size_ > max_size_) {
      throw Error(ErrorKind::kLimit, "pushdown::GrammarOfAutomaton",
                  "the grammar of an automaton with " + std::to_string(automaton_.states.size()) +
                      " states and " + std::to_string(automaton_.transitions.size()) +
                      " transitions has more than " + std::to_string(max_size_) +
                      " symbols, which is the limit");
    }
    grammar_.AddRule(numbers_.at(left), std::move(right), 1);
  }

  // The rules for one symbol on top: first a transition is made, then the symbols that it puts in
  // the place of the top are popped.
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

  // The rules for several symbols on top: first the uppermost is popped, then the rest.
  void AddSplits(const Task& task) {
    const int top = strings_.Add(kNothing, strings_.last(task.string));
    const int rest = strings_.beginning(task.string);
    if (task.to == kAcceptance) Add(task, {Number({task.from, top, kAcceptance})});
    for (int between = 0; between < static_cast<int>(automaton_.states.size()); ++between) {
      const int first = Number({task.from, top, between});
      Add(task, {first, Number({between, rest, task.to})});
    }
  }

  const PushdownAutomaton& automaton_;
  std::map<AutomatonHead, std::vector<const AutomatonTransition*>> by_head_;
  std::set<AutomatonHead> accepting_;
  std::size_t max_size_;
  Grammar grammar_;
  StackStrings strings_;
  std::map<Task, int> numbers_;
  std::deque<Task> to_do_;
  std::size_t size_ = 0;
};

}  // namespace

Grammar GrammarOfAutomaton(const PushdownAutomaton& automaton, int language, std::size_t max_size) {
  Validate(automaton);
  return AutomatonGrammar(automaton, language, max_size).Result();
}

}  // namespace pushdown
