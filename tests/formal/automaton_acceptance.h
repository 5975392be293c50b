#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown::testing_oracle {

// Whether one of an automaton's languages has a string. Unlike AutomatonRuns, it takes transitions
// that read nothing, so that there may be no end of configurations: it finds the least sets of what
// can happen between a push and its pop, and of the heads that come up.
class AutomatonAcceptance {
 public:
  AutomatonAcceptance(const PushdownAutomaton& automaton, const std::vector<int>& string)
      : automaton_(automaton), string_(string) {
    while (Grow()) {
    }
  }

  bool operator()(int language) const {
    for (const AutomatonHead& head : automaton_.accepting[language]) {
      if (heads_.contains({{head.state, string_.size()}, head.top})) return true;
    }
    return false;
  }

 private:
  // A state, and how many symbols of the string have been read.
  using Place = std::pair<int, std::size_t>;

  bool Grow() {
    const std::size_t before = heads_.size() + pops_.size();
    for (const AutomatonTransition& transition : automaton_.transitions) {
      for (std::size_t read = 0; read <= string_.size(); ++read) {
        const Place from = {transition.from.state, read};
        Place to = {transition.to, read};
        if (transition.input != kNoInput) {
          if (read == string_.size() || string_[read] != transition.input) continue;
          ++to.second;
        }
        const bool comes_up = heads_.contains({from, transition.from.top});
        // Where it can be when the symbols pushed are on top, one after the other.
        std::set<Place> places = {to};
        for (std::size_t n = transition.pushed.size(); n-- > 0;) {
          const int top = transition.pushed[n];
          std::set<Place> next;
          for (const Place& place : places) {
            if (comes_up) heads_.insert({place, top});
            for (auto pop = pops_.lower_bound({{place, top}, {0, 0}});
                 pop != pops_.end() && pop->first == std::pair(place, top); ++pop) {
              next.insert(pop->second);
            }
          }
          places = std::move(next);
        }
        for (const Place& place : places) pops_.insert({{from, transition.from.top}, place});
      }
    }
    return heads_.size() + pops_.size() > before;
  }

  const PushdownAutomaton& automaton_;
  const std::vector<int>& string_;
  std::set<std::pair<Place, int>> heads_ = {{{0, 0}, 0}};        // with the symbol on top
  std::set<std::pair<std::pair<Place, int>, Place>> pops_ = {};  // and where it is without it
};

}  // namespace pushdown::testing_oracle
