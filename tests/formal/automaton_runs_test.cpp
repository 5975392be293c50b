#include "tests/formal/automaton_runs.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/formal/random_automaton.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::AutomatonRuns;
using testing_oracle::ForEachString;
using testing_oracle::RandomAutomaton;
using testing_oracle::TransitionsText;

// Goes through the rest of a string in every possible way, one run after the other, and counts
// where they end.
void CountRuns(const PushdownAutomaton& automaton, const std::vector<int>& string,
               std::size_t position, int state, const std::vector<int>& stack,
               std::vector<double>& by_head) {
  if (stack.empty()) return;
  if (position == string.size()) {
    by_head[state * automaton.stack_symbols.size() + stack.back()] += 1;
    return;
  }
  for (const AutomatonTransition& transition : automaton.transitions) {
    if (transition.from.state != state || transition.from.top != stack.back()) continue;
    if (transition.input != string[position]) continue;
    std::vector<int> next(stack.begin(), stack.end() - 1);
    for (int symbol : transition.pushed) next.push_back(symbol);
    CountRuns(automaton, string, position + 1, transition.to, next, by_head);
  }
}

TEST(AutomatonRuns, AreThoseFollowedOneByOne) {
  double runs = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const PushdownAutomaton automaton = RandomAutomaton(seed);
    const AutomatonRuns oracle(automaton);
    for (int length = 0; length <= 6; ++length) {
      ForEachString(automaton.inputs.size(), length, [&](const std::vector<int>& string) {
        std::vector<double> by_head(automaton.states.size() * automaton.stack_symbols.size(), 0.0);
        CountRuns(automaton, string, 0, 0, {0}, by_head);
        const AutomatonRuns::Runs found = oracle.After(string);
        EXPECT_EQ(oracle.ByHead(found), by_head) << "seed " << seed << "\n"
                                                 << TransitionsText(automaton);
        const std::vector<double> accepting = oracle.Accepting(found);
        ASSERT_EQ(accepting.size(), automaton.accepting.size());
        for (std::size_t n = 0; n < accepting.size(); ++n) {
          double expected = 0;
          for (const AutomatonHead& head : automaton.accepting[n]) {
            expected += by_head[head.state * automaton.stack_symbols.size() + head.top];
          }
          EXPECT_EQ(accepting[n], expected);
        }
        runs += AutomatonRuns::Number(found);
      });
    }
  }
  EXPECT_GT(runs, 50000);
}

TEST(AutomatonRuns, GuessingTheMiddle) {
  // Palindromes of even length: state 0 pushes what it reads, state 1 pops it.
  PushdownAutomaton automaton;
  automaton.inputs.Add("a");
  automaton.inputs.Add("b");
  automaton.states = {"first half", "second half"};
  automaton.stack_symbols = {"$", "a", "b"};
  for (int input = 0; input < 2; ++input) {
    for (int top = 0; top < 3; ++top) {
      automaton.transitions.push_back({{0, top}, input, 0, {top, 1 + input}});
    }
    automaton.transitions.push_back({{0, 1 + input}, input, 1, {}});
    automaton.transitions.push_back({{1, 1 + input}, input, 1, {}});
  }
  automaton.accepting = {{{0, 0}, {1, 0}}};
  const AutomatonRuns oracle(automaton);
  for (int length = 0; length <= 8; ++length) {
    ForEachString(2, length, [&](const std::vector<int>& string) {
      const bool palindrome = std::vector<int>(string.rbegin(), string.rend()) == string;
      EXPECT_EQ(oracle.Accepts(oracle.After(string)), palindrome && length % 2 == 0);
    });
  }
  // One run for each middle of an even palindrome that reaches the end or is still on its way, and
  // the one that pushes on: a a a a has the middles after 2 and 3 symbols.
  EXPECT_EQ(AutomatonRuns::Number(oracle.After({0, 0, 0, 0})), 3);
  EXPECT_EQ(oracle.ByHead(oracle.After({0, 0, 0, 0})), (std::vector<double>{0, 1, 0, 1, 1, 0}));
}

}  // namespace
}  // namespace pushdown
