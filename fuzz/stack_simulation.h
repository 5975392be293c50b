#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "pushdown/formal/pushdown_automaton.h"
#include "pushdown/random.h"

namespace pushdown {

// Follows all runs of an automaton, with their whole stacks, straight from the definition.
class StackSimulation {
 public:
  explicit StackSimulation(const PushdownAutomaton& automaton) : automaton_(automaton) {
    for (const AutomatonTransition& transition : automaton.transitions) {
      transitions_[{transition.from, transition.input}].push_back(&transition);
      from_[transition.from].push_back(&transition);
    }
  }
  explicit StackSimulation(PushdownAutomaton&&) = delete;  // it is not copied

  // For each language, whether a run over the string accepts. The result is empty if there are more
  // than max_stacks stacks at a time.
  std::optional<std::vector<bool>> Accepting(std::span<const int> string,
                                             std::size_t max_stacks) const {
    std::set<Configuration> now = {{0, {0}}};
    if (!ReadNothing(now, max_stacks)) return std::nullopt;
    for (int input : string) {
      std::set<Configuration> next;
      for (const Configuration& from : now) {
        for (Configuration& to : Step(from, input)) next.insert(std::move(to));
        if (next.size() > max_stacks) return std::nullopt;
      }
      now = std::move(next);
      if (!ReadNothing(now, max_stacks)) return std::nullopt;
    }
    std::vector<bool> accepting;
    for (const std::vector<AutomatonHead>& heads : automaton_.accepting) {
      accepting.push_back(std::any_of(now.begin(), now.end(), [&](const Configuration& at) {
        return !at.second.empty() &&
               std::find(heads.begin(), heads.end(), AutomatonHead{at.first, at.second.back()}) !=
                   heads.end();
      }));
    }
    return accepting;
  }

  // The string that a random run reads, of this many transitions or fewer.
  std::vector<int> RandomString(int max_transitions, Random& random) const {
    std::vector<int> string;
    std::vector<int> stack = {0};
    int state = 0;
    for (int n = 0; n < max_transitions && !stack.empty(); ++n) {
      const auto found = from_.find({state, stack.back()});
      if (found == from_.end()) break;
      const AutomatonTransition& transition = *found->second[random.Below(found->second.size())];
      if (transition.input != kNoInput) string.push_back(transition.input);
      state = transition.to;
      stack.pop_back();
      stack.insert(stack.end(), transition.pushed.begin(), transition.pushed.end());
    }
    return string;
  }

 private:
  using Configuration = std::pair<int, std::vector<int>>;  // state and stack, its top last

  std::vector<Configuration> Step(const Configuration& from, int input) const {
    const auto& [state, stack] = from;
    std::vector<Configuration> reached;
    if (stack.empty()) return reached;
    const auto found = transitions_.find({{state, stack.back()}, input});
    if (found == transitions_.end()) return reached;
    for (const AutomatonTransition* transition : found->second) {
      std::vector<int> changed(stack.begin(), stack.end() - 1);
      changed.insert(changed.end(), transition->pushed.begin(), transition->pushed.end());
      reached.emplace_back(transition->to, std::move(changed));
    }
    return reached;
  }

  // Adds the configurations to which transitions that read nothing lead. Returns false if there are
  // too many of them.
  bool ReadNothing(std::set<Configuration>& now, std::size_t max_stacks) const {
    std::vector<Configuration> to_do(now.begin(), now.end());
    while (!to_do.empty()) {
      const Configuration from = std::move(to_do.back());
      to_do.pop_back();
      for (Configuration& to : Step(from, kNoInput)) {
        if (now.insert(to).second) to_do.push_back(std::move(to));
      }
      if (now.size() > max_stacks) return false;
    }
    return true;
  }

  const PushdownAutomaton& automaton_;
  std::map<std::pair<AutomatonHead, int>, std::vector<const AutomatonTransition*>> transitions_;
  std::map<AutomatonHead, std::vector<const AutomatonTransition*>> from_;
};

// Calls visit(string) for every string up to a length over the first symbols, at most three.
template <typename Visit>
void ForShortStrings(int symbols, std::size_t max_length, const Visit& visit) {
  std::vector<std::vector<int>> strings = {{}};
  for (std::size_t n = 0; n < strings.size(); ++n) {
    visit(std::as_const(strings[n]));
    if (strings[n].size() == max_length) continue;
    for (int symbol = 0; symbol < std::min(symbols, 3); ++symbol) {
      std::vector<int> longer = strings[n];
      longer.push_back(symbol);
      strings.push_back(std::move(longer));
    }
  }
}

}  // namespace pushdown
