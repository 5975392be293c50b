#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pushdown/formal/automata.h"
#include "pushdown/formal/compiled_grammar.h"
#include "pushdown/formal/greibach_form.h"
#include "pushdown/formal/restricted_form.h"
#include "pushdown/recognizer/recognizer.h"
#include "tests/formal/automaton_runs.h"
#include "tests/formal/earley.h"
#include "tests/formal/follow_runs.h"
#include "tests/formal/random_grammar.h"

namespace pushdown::testing_oracle {

// From a grammar to an automaton in restricted form.
struct Stages {
  Stages(const Grammar& any_grammar, std::size_t max_size, int max_symbols)
      : grammar(any_grammar),
        greibach(GreibachForm(grammar, max_size)),
        two_greibach(TwoGreibachForm(greibach, max_size)),
        automaton(AutomatonOfGrammar(two_greibach)),
        restricted(RestrictedForm(automaton, max_symbols)) {}
  Stages(const Grammar& any_grammar, const CompiledGrammar& compiled)
      : grammar(any_grammar),
        greibach(compiled.greibach),
        two_greibach(compiled.two_greibach),
        automaton(compiled.automaton),
        restricted(compiled.restricted) {}

  Grammar grammar;
  Grammar greibach;
  Grammar two_greibach;
  PushdownAutomaton automaton;
  PushdownAutomaton restricted;
};

inline PushdownAutomaton Together(const std::vector<Stages>& all_stages) {
  std::vector<PushdownAutomaton> restricted;
  for (const Stages& stages : all_stages) restricted.push_back(stages.restricted);
  return PackedStates(WithTrap(Union(restricted)));
}

inline std::size_t Pairs(const PushdownAutomaton& automaton) {
  return automaton.states.size() * automaton.stack_symbols.size();
}

inline std::string StringText(std::span<const int> string) {
  return testing::PrintToString(std::vector<int>(string.begin(), string.end()));
}

// Compares all that a network says about strings with runs that have explicit stacks.
class Comparison {
 public:
  Comparison(const PushdownAutomaton& automaton, int max_length)
      : automaton_(automaton),
        runs_(automaton),
        network_(MakeRecognizer(automaton)),
        recognizer_(automaton_, network_, max_length) {}

  const RecognizerNetwork& network() const { return network_; }

  // Strings must come after their prefixes.
  void Compare(const std::vector<int>& string, const AutomatonRuns::Runs& runs) {
    const double number = AutomatonRuns::Number(runs);
    std::vector<double>& distribution = distributions_[string];
    distribution = runs_.ByHead(runs);
    for (double& share : distribution) share /= number;
    const std::vector<double> accepting = runs_.Accepting(runs);

    SCOPED_TRACE(StringText(string));
    const Recognition result = recognizer_.Recognize(string);
    EXPECT_EQ(result.accepted, runs_.Accepts(runs));
    EXPECT_EQ(result.y > 0.5, runs_.Accepts(runs)) << result.y;
    EXPECT_EQ(result.decision, Decision::kOutput);
    EXPECT_NEAR(result.log_runs, std::log(number), 1e-9);
    ASSERT_EQ(result.acceptance.size(), accepting.size());
    for (std::size_t n = 0; n < accepting.size(); ++n) {
      EXPECT_NEAR(result.acceptance[n], accepting[n] / number, 1e-9);
      EXPECT_EQ(result.acceptance[n] == 0, accepting[n] == 0);
    }
    std::vector<int> prefix;
    for (std::size_t t = 0; t <= string.size(); ++t) {
      const std::span<const double> reading = recognizer_.reading(static_cast<int>(t));
      const std::vector<double>& expected = distributions_.at(prefix);
      ASSERT_EQ(reading.size(), expected.size());
      for (std::size_t head = 0; head < expected.size(); ++head) {
        EXPECT_NEAR(reading[head], expected[head], 1e-9) << "time " << t << ", head " << head;
        EXPECT_EQ(reading[head] == 0, expected[head] == 0) << "time " << t << ", head " << head;
      }
      if (t < string.size()) prefix.push_back(string[t]);
    }
  }

 private:
  const PushdownAutomaton& automaton_;
  AutomatonRuns runs_;
  RecognizerNetwork network_;
  Recognizer recognizer_;
  std::map<std::vector<int>, std::vector<double>> distributions_;  // of the heads, by string
};

struct Accepted {
  int strings = 0;
  int accepted = 0;
};

// All stages from grammars with the same terminals to the network of their intersection say the
// same about all strings.
inline Accepted ExpectAllStagesAgree(const std::vector<Stages>& all_stages,
                                     const PushdownAutomaton& together, std::size_t max_work,
                                     const std::string& message) {
  constexpr int kMaxLength = 12;
  std::string trace = message + "\n";
  for (const Stages& stages : all_stages) trace += RulesText(stages.grammar);
  SCOPED_TRACE(trace + TransitionsText(together));
  Comparison comparison(together, kMaxLength);
  const AutomatonRuns runs_together(together);
  std::vector<Earley> grammars;
  std::vector<const PushdownAutomaton*> automata = {&together};
  std::vector<AutomatonRuns> oracles;
  for (const Stages& stages : all_stages) {
    for (const Grammar* grammar : {&stages.grammar, &stages.greibach, &stages.two_greibach}) {
      grammars.emplace_back(*grammar);
    }
    for (const PushdownAutomaton* automaton : {&stages.automaton, &stages.restricted}) {
      automata.push_back(automaton);
      oracles.emplace_back(*automaton);
    }
  }
  Accepted count;
  FollowRuns(automata, kMaxLength, max_work,
             [&](const std::vector<int>& string, const AllRuns& runs) {
               if (testing::Test::HasFailure()) return false;
               SCOPED_TRACE(StringText(string));
               bool in_all = true;
               for (std::size_t n = 0; n < all_stages.size(); ++n) {
                 const bool expected = grammars[3 * n].Accepts(string);
                 in_all = in_all && expected;
                 EXPECT_EQ(grammars[3 * n + 1].Accepts(string), expected) << "Greibach form";
                 EXPECT_EQ(grammars[3 * n + 2].Accepts(string), expected) << "2-Greibach form";
                 EXPECT_EQ(oracles[2 * n].Accepts(runs[2 * n + 1]), expected) << "automaton";
                 EXPECT_EQ(oracles[2 * n + 1].Accepts(runs[2 * n + 2]), expected) << "restricted";
                 EXPECT_EQ(runs_together.Accepting(runs[0])[n] > 0, expected) << "together";
               }
               // What the network must say follows from the runs of its automaton.
               EXPECT_EQ(runs_together.Accepts(runs[0]), in_all) << "together";
               comparison.Compare(string, runs[0]);
               ++count.strings;
               count.accepted += in_all;
               return false;
             });
  return count;
}

}  // namespace pushdown::testing_oracle
