#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "pushdown/formal/pushdown_automaton.h"
#include "tests/formal/automaton_runs.h"

namespace pushdown::testing_oracle {

// The runs of several automata on one string, side by side.
using AllRuns = std::vector<AutomatonRuns::Runs>;

// Calls check(string, runs) for the strings over the automata's inputs, the shorter ones first,
// except those with a prefix at which no automaton has a run left and check returned false. Ends
// with a length of which it is likely that the next one would take more than max_work strings and
// configurations, or at max_length.
template <typename Check>
void FollowRuns(const std::vector<const PushdownAutomaton*>& automata, int max_length,
                std::size_t max_work, const Check& check) {
  std::vector<AutomatonRuns> oracles;
  for (const PushdownAutomaton* automaton : automata) oracles.emplace_back(*automaton);
  std::vector<std::pair<std::vector<int>, AllRuns>> level(1);
  for (const AutomatonRuns& oracle : oracles) level[0].second.push_back(oracle.Start());
  check(std::as_const(level[0].first), std::as_const(level[0].second));
  std::size_t work = 1;
  for (int length = 1; length <= max_length; ++length) {
    std::vector<std::pair<std::vector<int>, AllRuns>> next_level;
    std::size_t next_work = 0;
    for (const auto& [prefix, prefix_runs] : level) {
      for (int input = 0; input < automata[0]->inputs.size(); ++input) {
        std::vector<int> string = prefix;
        string.push_back(input);
        AllRuns runs;
        std::size_t configurations = 0;
        for (std::size_t n = 0; n < oracles.size(); ++n) {
          runs.push_back(oracles[n].Next(prefix_runs[n], input));
          configurations += runs.back().size();
        }
        const bool go_on = check(std::as_const(string), std::as_const(runs));
        if (go_on || configurations > 0)
          next_level.emplace_back(std::move(string), std::move(runs));
        next_work += configurations + 1;
      }
    }
    // It grows by about the same factor again.
    if (next_work * next_work / work > max_work) return;
    level = std::move(next_level);
    work = next_work + 1;
  }
}

}  // namespace pushdown::testing_oracle
