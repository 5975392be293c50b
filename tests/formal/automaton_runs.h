#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown::testing_oracle {

// The runs of an automaton, each with its whole stack, straight from the definition. Runs that have
// come to the same configuration go on as one, with their number, which is exact up to 2^53. For
// automata whose transitions all read a symbol.
class AutomatonRuns {
 public:
  struct Configuration {
    int state = 0;
    std::vector<int> stack;  // the lowest symbol first; never empty

    friend auto operator<=>(const Configuration&, const Configuration&) = default;
  };
  // The runs that have read the same string, except those whose stack is empty: they are over.
  using Runs = std::map<Configuration, double>;

  explicit AutomatonRuns(PushdownAutomaton&&) = delete;  // refers to the automaton
  explicit AutomatonRuns(const PushdownAutomaton& automaton) : automaton_(automaton) {
    for (const AutomatonTransition& transition : automaton.transitions) {
      transitions_[{transition.from, transition.input}].push_back(&transition);
    }
    for (const std::vector<AutomatonHead>& heads : automaton.accepting) {
      accepting_.emplace_back(heads.begin(), heads.end());
    }
  }

  Runs Start() const { return {{{0, {0}}, 1.0}}; }

  // After one more symbol.
  Runs Next(const Runs& runs, int input) const {
    Runs next;
    for (const auto& [configuration, number] : runs) {
      const auto found = transitions_.find({Head(configuration), input});
      if (found == transitions_.end()) continue;
      for (const AutomatonTransition* transition : found->second) {
        Configuration to = {transition->to, configuration.stack};
        to.stack.pop_back();
        to.stack.insert(to.stack.end(), transition->pushed.begin(), transition->pushed.end());
        if (!to.stack.empty()) next[std::move(to)] += number;
      }
    }
    return next;
  }

  Runs After(const std::vector<int>& string) const {
    Runs runs = Start();
    for (int input : string) runs = Next(runs, input);
    return runs;
  }

  static double Number(const Runs& runs) {
    double number = 0;
    for (const auto& [configuration, runs_there] : runs) number += runs_there;
    return number;
  }

  // By state * (number of stack symbols) + symbol on top.
  std::vector<double> ByHead(const Runs& runs) const {
    const std::size_t symbols = automaton_.stack_symbols.size();
    std::vector<double> numbers(automaton_.states.size() * symbols, 0.0);
    for (const auto& [configuration, number] : runs) {
      numbers[configuration.state * symbols + configuration.stack.back()] += number;
    }
    return numbers;
  }

  // The accepting ones, by language.
  std::vector<double> Accepting(const Runs& runs) const {
    std::vector<double> numbers;
    for (const std::set<AutomatonHead>& where : accepting_) {
      numbers.push_back(0);
      for (const auto& [configuration, number] : runs) {
        if (where.contains(Head(configuration))) numbers.back() += number;
      }
    }
    return numbers;
  }

  // Whether each language has an accepting run.
  bool Accepts(const Runs& runs) const {
    for (double number : Accepting(runs)) {
      if (number == 0) return false;
    }
    return true;
  }

 private:
  static AutomatonHead Head(const Configuration& configuration) {
    return {configuration.state, configuration.stack.back()};
  }

  const PushdownAutomaton& automaton_;
  std::vector<std::set<AutomatonHead>> accepting_;
  std::map<std::pair<AutomatonHead, int>, std::vector<const AutomatonTransition*>> transitions_;
};

// For messages, with numbers in place of names.
inline std::string TransitionsText(const PushdownAutomaton& automaton) {
  std::string text = std::to_string(automaton.states.size()) + " states, " +
                     std::to_string(automaton.stack_symbols.size()) + " stack symbols\n";
  for (const AutomatonTransition& transition : automaton.transitions) {
    text += std::to_string(transition.from.state) + " " +
            (transition.input == kNoInput ? std::string("eps")
                                          : automaton.inputs.name(transition.input)) +
            " " + std::to_string(transition.from.top) + " -> " + std::to_string(transition.to);
    for (int symbol : transition.pushed) text += " " + std::to_string(symbol);
    text += transition.pushed.empty() ? " eps\n" : "\n";
  }
  for (const std::vector<AutomatonHead>& heads : automaton.accepting) {
    text += "accepting:";
    for (const AutomatonHead& head : heads) {
      text += " (" + std::to_string(head.state) + ", " + std::to_string(head.top) + ")";
    }
    text += "\n";
  }
  return text;
}

}  // namespace pushdown::testing_oracle
