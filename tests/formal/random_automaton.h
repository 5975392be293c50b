#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/formal/pushdown_automaton.h"
#include "pushdown/random.h"

namespace pushdown::testing_oracle {

struct RandomAutomatonOptions {
  int max_inputs = 2;
  int max_pushed = 3;  // symbols at once
  int max_languages = 2;
  // Some transitions read nothing, and some put any symbols in place of the one on top.
  bool general = false;
};

// 1 to 4 states and stack symbols. Each head with each input has 0 to 3 different transitions that
// pop, replace or push: there are dead ends, the bottom is popped, replaced and pushed anywhere,
// the start state is entered again, and runs accept in any heads.
inline PushdownAutomaton RandomAutomaton(std::uint64_t seed,
                                         const RandomAutomatonOptions& options = {}) {
  Random random(seed, /*stream=*/0x6175746f);
  const auto below = [&](int limit) { return static_cast<int>(random.Below(limit)); };
  PushdownAutomaton automaton;
  const int inputs = 1 + below(options.max_inputs);
  const int states = 1 + below(4);
  const int symbols = 1 + below(4);
  for (int n = 0; n < inputs; ++n) automaton.inputs.Add(std::string(1, char('a' + n)));
  for (int n = 0; n < states; ++n) automaton.states.push_back("q" + std::to_string(n));
  for (int n = 0; n < symbols; ++n) automaton.stack_symbols.push_back("X" + std::to_string(n));
  std::set<AutomatonTransition> transitions;
  for (int state = 0; state < states; ++state) {
    for (int top = 0; top < symbols; ++top) {
      for (int input = 0; input < inputs; ++input) {
        constexpr int kNumbers[] = {0, 1, 1, 1, 2, 2, 3};
        for (int n = kNumbers[below(7)]; n > 0; --n) {
          std::vector<int> pushed;
          switch (below(5)) {
            case 0:
              pushed = {top};
              for (int m = below(options.max_pushed); m >= 0; --m) pushed.push_back(below(symbols));
              break;
            case 1:
              pushed = {top, below(symbols)};
              break;
            case 2:
            case 3:
              pushed = {below(symbols)};
              break;
            default:
              break;
          }
          AutomatonTransition transition = {{state, top}, input, below(states), pushed};
          if (options.general && below(4) == 0) transition.input = kNoInput;
          if (options.general && pushed.size() > 1 && below(2) == 0) {
            transition.pushed[0] = below(symbols);
          }
          transitions.insert(std::move(transition));
        }
      }
    }
  }
  automaton.transitions.assign(transitions.begin(), transitions.end());
  automaton.accepting.clear();
  for (int n = below(options.max_languages); n >= 0; --n) {
    std::vector<AutomatonHead>& heads = automaton.accepting.emplace_back();
    for (int state = 0; state < states; ++state) {
      for (int top = 0; top < symbols; ++top) {
        if (below(top == 0 ? 2 : 6) == 0) heads.push_back({state, top});
      }
    }
  }
  return automaton;
}

}  // namespace pushdown::testing_oracle
