#include "pushdown/formal/compiled_grammar.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/automata.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/greibach_form.h"
#include "pushdown/formal/restricted_form.h"
#include "tests/formal/automaton_runs.h"
#include "tests/formal/awkward_grammar.h"
#include "tests/formal/earley.h"
#include "tests/formal/follow_runs.h"
#include "tests/formal/random_grammar.h"
#include "tests/formal/special_grammars.h"

namespace pushdown {
namespace {

using testing_oracle::AllRuns;
using testing_oracle::AnyAwkwardGrammar;
using testing_oracle::AutomatonRuns;
using testing_oracle::Earley;
using testing_oracle::FollowRuns;
using testing_oracle::RulesText;
using testing_oracle::SpecialGrammars;

std::size_t Pairs(const PushdownAutomaton& restricted) {
  const PushdownAutomaton packed = PackedStates(WithTrap(restricted));
  return packed.states.size() * packed.stack_symbols.size();
}

// All stages have the grammar's language, and the last one is no larger than that of the grammar as
// it is written.
void ExpectCompiled(const Grammar& grammar, const CompilationLimits& limits,
                    const std::string& message) {
  SCOPED_TRACE(message + "\n" + RulesText(grammar));
  const CompiledGrammar compiled = CompileGrammar(grammar, limits);
  EXPECT_EQ(compiled.restricted.inputs.names(), grammar.terminals.names());
  EXPECT_TRUE(IsRestricted(compiled.restricted));
  Earley earley(grammar);
  Earley greibach(compiled.greibach);
  Earley two_greibach(compiled.two_greibach);
  const AutomatonRuns automaton(compiled.automaton);
  const AutomatonRuns restricted(compiled.restricted);
  FollowRuns({&compiled.automaton, &compiled.restricted}, 12, 500,
             [&](const std::vector<int>& string, const AllRuns& runs) {
               for (int terminal : string) earley.Push(terminal);
               const bool expected = earley.accepted();
               const bool alive = earley.alive();
               for (std::size_t n = 0; n < string.size(); ++n) earley.Pop();
               SCOPED_TRACE(testing::PrintToString(string));
               EXPECT_EQ(greibach.Accepts(string), expected);
               EXPECT_EQ(two_greibach.Accepts(string), expected);
               EXPECT_EQ(automaton.Accepts(runs[0]), expected);
               EXPECT_EQ(restricted.Accepts(runs[1]), expected);
               return alive && !testing::Test::HasFailure();
             });
  try {
    const Grammar as_written =
        TwoGreibachForm(GreibachForm(grammar, limits.max_size), limits.max_size);
    EXPECT_LE(Pairs(compiled.restricted),
              Pairs(RestrictedForm(AutomatonOfGrammar(as_written), limits.max_stack_symbols)));
  } catch (const Error&) {
    // Only another way is short enough.
  }
}

TEST(CompileGrammar, SpecialGrammars) {
  for (const auto& [name, grammar] : SpecialGrammars()) {
    ExpectCompiled(grammar, {.max_size = 20'000, .max_stack_symbols = 150}, name);
  }
}

TEST(CompileGrammar, RandomGrammars) {
  int too_large = 0;
  for (std::uint64_t seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
    try {
      ExpectCompiled(AnyAwkwardGrammar(seed), {.max_size = 2000, .max_stack_symbols = 60},
                     "seed " + std::to_string(seed));
    } catch (const Error&) {
      ++too_large;
    }
  }
  EXPECT_LT(too_large, 60);
}

TEST(CompileGrammar, HasLimits) {
  const Grammar grammar = SpecialGrammars()[3].grammar;
  EXPECT_THROW(CompileGrammar(grammar, {.max_size = 50}), Error);
  EXPECT_THROW(CompileGrammar(grammar, {.max_stack_symbols = 5}), Error);
}

// As they are written, these have thousands of strings on their stacks, each on nearly every other.
TEST(CompiledGrammar, ManyStringsOnTheStack) {
  const auto pairs = [](const std::string& text) {
    const Grammar grammar = ParseGrammar(text, "grammar", GrammarUse::kLanguage).grammar;
    return Pairs(CompileGrammar(grammar).restricted);
  };
  EXPECT_LT(pairs("S -> eps | S B a a\nA -> b B B b | a b B A b | S\nB -> eps | A A\n"), 3000U);
  std::string rule = "S -> c | a b";
  for (int n = 0; n < 1000; ++n) rule += " S";
  EXPECT_LT(pairs(rule + "\n"), 4000U);
}

}  // namespace
}  // namespace pushdown
