// Grammars, normal forms, automata and networks say the same about every string up to a length.

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/automata.h"
#include "pushdown/formal/automaton_format.h"
#include "pushdown/formal/compiled_grammar.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/greibach_form.h"
#include "pushdown/formal/restricted_form.h"
#include "pushdown/recognizer/recognizer.h"
#include "tests/formal/automaton_runs.h"
#include "tests/formal/awkward_grammar.h"
#include "tests/formal/earley.h"
#include "tests/formal/follow_runs.h"
#include "tests/formal/random_automaton.h"
#include "tests/formal/special_grammars.h"
#include "tests/formal/strings.h"
#include "tests/recognizer/stages.h"

namespace pushdown {
namespace {

using testing_oracle::Accepted;
using testing_oracle::AllRuns;
using testing_oracle::AnyAwkwardGrammar;
using testing_oracle::AutomatonRuns;
using testing_oracle::Comparison;
using testing_oracle::Earley;
using testing_oracle::ExpectAllStagesAgree;
using testing_oracle::FollowRuns;
using testing_oracle::ForEachString;
using testing_oracle::Pairs;
using testing_oracle::RandomAutomaton;
using testing_oracle::SpecialGrammars;
using testing_oracle::Stages;
using testing_oracle::Together;
using testing_oracle::TransitionsText;

TEST(AllStages, SpecialGrammars) {
  int compared = 0;
  int strings = 0;
  for (const auto& [name, grammar] : SpecialGrammars()) {
    std::vector<Stages> stages;
    try {
      stages.emplace_back(grammar, 3000, 150);
    } catch (const Error&) {
      continue;
    }
    const PushdownAutomaton together = Together(stages);
    if (Pairs(together) > 400) continue;
    strings += ExpectAllStagesAgree(stages, together, 2000, name).strings;
    ++compared;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GE(compared, 28);
  EXPECT_GT(strings, 3000);
}

// examples/grammars/.
std::string ExampleText(const std::string& name) {
  std::ifstream file(std::string(PUSHDOWN_EXAMPLES) + "/grammars/" + name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

Stages ExampleStages(const std::string& name) {
  const Grammar grammar = ParseGrammar(ExampleText(name), name, GrammarUse::kLanguage).grammar;
  return {grammar, CompileGrammar(grammar)};
}

TEST(AllStages, Examples) {
  constexpr std::size_t kMaxWork = 12000;
  for (const char* name : {"ambiguous.cfg", "ambncn.cfg", "anbncm.cfg", "brackets.cfg",
                           "expressions.cfg", "marked-reversal.cfg", "palindromes.cfg"}) {
    const std::vector<Stages> stages = {ExampleStages(name)};
    const Accepted count = ExpectAllStagesAgree(stages, Together(stages), kMaxWork, name);
    EXPECT_GT(count.accepted, 5) << name;
  }
  const std::vector<Stages> both = {ExampleStages("anbncm.cfg"), ExampleStages("ambncn.cfg")};
  const Accepted count = ExpectAllStagesAgree(both, Together(both), kMaxWork, "a^n b^n c^n");
  EXPECT_EQ(count.accepted, 3);  // of 0, 3 and 6 symbols

  // The automaton by hand has the language of the grammar.
  const PushdownAutomaton by_hand =
      PackedStates(WithTrap(ParseAutomaton(ExampleText("brackets.pda"))));
  const Grammar grammar = ParseGrammar(ExampleText("brackets.cfg")).grammar;
  Earley brackets(grammar);
  Comparison comparison(by_hand, 10);
  FollowRuns({&by_hand}, 10, kMaxWork, [&](const std::vector<int>& string, const AllRuns& runs) {
    EXPECT_EQ(AutomatonRuns(by_hand).Accepts(runs[0]), brackets.Accepts(string));
    comparison.Compare(string, runs[0]);
    return false;
  });
}

TEST(AllStages, RandomGrammars) {
  Accepted count;
  int grammars = 0;
  for (std::uint64_t seed = 1; seed <= 700 && !testing::Test::HasFailure(); ++seed) {
    std::vector<Stages> stages;
    try {
      stages.emplace_back(AnyAwkwardGrammar(seed), 1000, 40);
    } catch (const Error&) {
      continue;
    }
    const PushdownAutomaton together = Together(stages);
    if (Pairs(together) > 100) continue;
    const Accepted some =
        ExpectAllStagesAgree(stages, together, 1500, "seed " + std::to_string(seed));
    count.strings += some.strings;
    count.accepted += some.accepted;
    ++grammars;
  }
  EXPECT_GT(grammars, 300);
  EXPECT_GT(count.accepted, 3000);
}

// The number of strings of up to 4 symbols.
int ShortStrings(const Grammar& grammar) {
  Earley earley(grammar);
  int strings = 0;
  for (int length = 0; length <= 4; ++length) {
    ForEachString(grammar.terminals.size(), length,
                  [&](const std::vector<int>& string) { strings += earley.Accepts(string); });
  }
  return strings;
}

// Intersections of two and of three languages in turn. All of them have the terminals a and b, and
// so many strings that they have some in common.
TEST(AllStages, IntersectionsOfRandomGrammars) {
  Accepted count;
  std::size_t intersections = 0;
  std::vector<Stages> stages;
  for (std::uint64_t seed = 1001; seed <= 2600 && !testing::Test::HasFailure(); ++seed) {
    const Grammar grammar = AnyAwkwardGrammar(seed);
    if (grammar.terminals.size() != 2 || ShortStrings(grammar) < 4) continue;
    try {
      stages.emplace_back(grammar, 2000, 50);
    } catch (const Error&) {
      continue;
    }
    if (stages.size() < 2 + intersections % 2) continue;
    const PushdownAutomaton together = Together(stages);
    if (Pairs(together) <= 300) {
      const Accepted some =
          ExpectAllStagesAgree(stages, together, 2000, "up to seed " + std::to_string(seed));
      count.strings += some.strings;
      count.accepted += some.accepted;
      ++intersections;
    }
    stages.clear();
  }
  EXPECT_GT(intersections, 30u);
  EXPECT_GT(count.accepted, 80);
}

TEST(AllStages, RandomAutomata) {
  for (std::uint64_t seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) {
    const PushdownAutomaton automaton =
        PackedStates(WithTrap(RestrictedForm(RandomAutomaton(seed, {.max_languages = 3}), 1000)));
    if (Pairs(automaton) > 100) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + TransitionsText(automaton));
    Comparison comparison(automaton, 8);
    FollowRuns({&automaton}, 8, 300, [&](const std::vector<int>& string, const AllRuns& runs) {
      if (!testing::Test::HasFailure()) comparison.Compare(string, runs[0]);
      return false;
    });
  }
}

}  // namespace
}  // namespace pushdown
