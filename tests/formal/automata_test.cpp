#include "pushdown/formal/automata.h"
#include "pushdown/formal/automaton_grammar.h"
#include "pushdown/formal/restricted_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/greibach_form.h"
#include "tests/formal/automaton_acceptance.h"
#include "tests/formal/automaton_runs.h"
#include "tests/formal/awkward_grammar.h"
#include "tests/formal/earley.h"
#include "tests/formal/follow_runs.h"
#include "tests/formal/random_automaton.h"
#include "tests/formal/random_grammar.h"
#include "tests/formal/special_grammars.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::AllRuns;
using testing_oracle::AnyAwkwardGrammar;
using testing_oracle::AutomatonAcceptance;
using testing_oracle::AutomatonRuns;
using testing_oracle::Earley;
using testing_oracle::FollowRuns;
using testing_oracle::ForEachString;
using testing_oracle::RandomAutomaton;
using testing_oracle::RulesText;
using testing_oracle::SpecialGrammars;
using testing_oracle::TransitionsText;

constexpr int kMaxSymbols = 1000;

// Strings are compared up to this length, and only as far as they have about this many
// configurations.
constexpr int kMaxLength = 15;
constexpr std::size_t kMaxWork = 4000;

std::string StringText(const std::vector<int>& string) { return testing::PrintToString(string); }

// What all results have in common.
void ExpectValid(const PushdownAutomaton& before, const PushdownAutomaton& after,
                 const std::string& message) {
  EXPECT_NO_THROW(Validate(after)) << message;
  EXPECT_EQ(after.inputs.names(), before.inputs.names()) << message;
  EXPECT_EQ(std::set<std::string>(after.states.begin(), after.states.end()).size(),
            after.states.size())
      << message;
  EXPECT_EQ(std::set<std::string>(after.stack_symbols.begin(), after.stack_symbols.end()).size(),
            after.stack_symbols.size())
      << message;
}

// Each string has as many runs in both, and as many accepting ones by language.
void ExpectSameRuns(const PushdownAutomaton& before, const PushdownAutomaton& after,
                    const std::string& message) {
  const AutomatonRuns before_runs(before);
  const AutomatonRuns after_runs(after);
  FollowRuns({&before, &after}, kMaxLength, kMaxWork,
             [&](const std::vector<int>& string, const AllRuns& runs) {
               if (testing::Test::HasFailure()) return false;  // one is enough to print
               EXPECT_EQ(AutomatonRuns::Number(runs[1]), AutomatonRuns::Number(runs[0]))
                   << message << ", " << StringText(string) << "\n"
                   << TransitionsText(before) << "became\n"
                   << TransitionsText(after);
               EXPECT_EQ(after_runs.Accepting(runs[1]), before_runs.Accepting(runs[0]))
                   << message << ", " << StringText(string) << "\n"
                   << TransitionsText(before) << "became\n"
                   << TransitionsText(after);
               return false;
             });
}

// Lemma 3.
void ExpectRestricted(const PushdownAutomaton& before, const PushdownAutomaton& after,
                      const std::string& message) {
  ExpectValid(before, after, message);
  EXPECT_TRUE(IsRestricted(after)) << message;
  for (const AutomatonTransition& transition : after.transitions) {
    EXPECT_LE(transition.pushed.size(), 2u) << message;
    EXPECT_TRUE(transition.pushed.size() < 2 || transition.pushed[0] == transition.from.top)
        << message;
  }
  ExpectSameRuns(before, after, message + " restricted");
}

void ExpectPacked(const PushdownAutomaton& before, const std::string& message) {
  const PushdownAutomaton packed = PackedStates(before);
  ExpectValid(before, packed, message);
  EXPECT_TRUE(IsRestricted(packed)) << message;
  EXPECT_LE(packed.states.size(), before.states.size()) << message;
  EXPECT_LE(packed.stack_symbols.size(), before.stack_symbols.size()) << message;
  ExpectSameRuns(before, packed, message + " packed");
}

void ExpectTrapped(const PushdownAutomaton& before, const std::string& message) {
  const PushdownAutomaton trapped = WithTrap(before);
  ExpectValid(before, trapped, message);
  EXPECT_TRUE(IsRestricted(trapped)) << message;
  const AutomatonRuns before_runs(before);
  const AutomatonRuns after_runs(trapped);
  const PushdownAutomaton packed = PackedStates(trapped);
  const AutomatonRuns packed_runs(packed);
  const bool before_returns = ReturnsToStart(before);
  EXPECT_FALSE(ReturnsToStart(trapped)) << message;
  EXPECT_FALSE(ReturnsToStart(packed)) << message;
  SCOPED_TRACE(message + ", trapped\n" + TransitionsText(before));
  FollowRuns({&before, &trapped, &packed}, kMaxLength, kMaxWork,
             [&](const std::vector<int>& string, const AllRuns& runs) {
               if (testing::Test::HasFailure()) return false;  // one is enough to print
               SCOPED_TRACE(StringText(string));
               const double number = AutomatonRuns::Number(runs[1]);
               // The empty run is no trapped one.
               EXPECT_EQ(number, AutomatonRuns::Number(runs[0]) + (string.empty() ? 0 : 1));
               EXPECT_EQ(AutomatonRuns::Number(runs[2]), number);
               EXPECT_EQ(after_runs.Accepting(runs[1]), before_runs.Accepting(runs[0]));
               EXPECT_EQ(packed_runs.Accepting(runs[2]), before_runs.Accepting(runs[0]));
               // Whoever comes back is known to come back, and here nobody does.
               EXPECT_TRUE(before_returns || string.empty() || before_runs.ByHead(runs[0])[0] == 0);
               const double at_start = string.empty() ? 1 : 0;
               EXPECT_EQ(after_runs.ByHead(runs[1])[0], at_start);
               EXPECT_EQ(packed_runs.ByHead(runs[2])[0], at_start);
               return false;
             });
}

// All that follows restricted form.
void ExpectAllOfRestricted(const PushdownAutomaton& restricted, const std::string& message) {
  ExpectPacked(restricted, message);
  ExpectTrapped(restricted, message);
}

void ExpectAllOfGrammar(const Grammar& grammar, const PushdownAutomaton& automaton,
                        const std::string& message) {
  EXPECT_EQ(automaton.inputs.names(), grammar.terminals.names()) << message;
  EXPECT_NO_THROW(Validate(automaton)) << message;
  EXPECT_TRUE(IsNearlyRestricted(automaton)) << message;
  EXPECT_EQ(automaton.languages(), 1) << message;
  for (const AutomatonTransition& transition : automaton.transitions) {
    EXPECT_TRUE(transition.is_pop() || transition.is_replace() || transition.is_push()) << message;
  }
  Earley earley(grammar);
  const AutomatonRuns runs_of(automaton);
  FollowRuns({&automaton}, kMaxLength, kMaxWork,
             [&](const std::vector<int>& string, const AllRuns& runs) {
               if (testing::Test::HasFailure()) return false;  // one is enough to print
               for (int terminal : string) earley.Push(terminal);
               EXPECT_EQ(runs_of.Accepts(runs[0]), earley.accepted())
                   << message << ", " << StringText(string) << "\n"
                   << RulesText(grammar) << TransitionsText(automaton);
               const bool alive = earley.alive();
               for (std::size_t n = 0; n < string.size(); ++n) earley.Pop();
               return alive;
             });
  if (testing::Test::HasFailure()) return;
  std::optional<PushdownAutomaton> restricted;
  try {
    restricted = RestrictedForm(automaton, 100);
  } catch (const Error&) {
    return;
  }
  ExpectRestricted(automaton, *restricted, message);
  ExpectAllOfRestricted(*restricted, message);
}

PushdownAutomaton AutomatonOf(const Grammar& grammar, std::size_t max_size = 100'000) {
  return AutomatonOfGrammar(TwoGreibachForm(GreibachForm(grammar, max_size), max_size));
}

TEST(Automata, OfSpecialGrammars) {
  for (const auto& [name, grammar] : SpecialGrammars()) {
    ExpectAllOfGrammar(grammar, AutomatonOf(grammar), name);
  }
}

TEST(Automata, OfRandomGrammars) {
  int too_large = 0;
  for (std::uint64_t seed = 1; seed <= 400 && !testing::Test::HasFailure(); ++seed) {
    const Grammar grammar = AnyAwkwardGrammar(seed);
    std::optional<PushdownAutomaton> automaton;
    try {
      automaton = AutomatonOf(grammar, 3000);
    } catch (const Error&) {
      ++too_large;
      continue;
    }
    ExpectAllOfGrammar(grammar, *automaton, "seed " + std::to_string(seed));
  }
  EXPECT_LT(too_large, 60);
}

TEST(Automata, RandomOnes) {
  double runs = 0;
  double accepting = 0;
  for (std::uint64_t seed = 1; seed <= 500 && !testing::Test::HasFailure(); ++seed) {
    const std::string message = "random automaton, seed " + std::to_string(seed);
    const PushdownAutomaton automaton = RandomAutomaton(seed);
    EXPECT_TRUE(IsNearlyRestricted(automaton)) << message;
    const PushdownAutomaton restricted = RestrictedForm(automaton, kMaxSymbols);
    ExpectRestricted(automaton, restricted, message);
    ExpectAllOfRestricted(restricted, message);
    const AutomatonRuns oracle(automaton);
    ForEachString(automaton.inputs.size(), 5, [&](const std::vector<int>& string) {
      const AutomatonRuns::Runs found = oracle.After(string);
      runs += AutomatonRuns::Number(found);
      for (double number : oracle.Accepting(found)) accepting += number;
    });
  }
  // So that the above compares more than nothing with nothing.
  EXPECT_GT(runs, 30'000);
  EXPECT_GT(accepting, 10'000);
}

TEST(Automata, RandomRestrictedOnes) {
  for (std::uint64_t seed = 1; seed <= 500 && !testing::Test::HasFailure(); ++seed) {
    const std::string message = "random restricted automaton, seed " + std::to_string(seed);
    const PushdownAutomaton automaton = RandomAutomaton(seed, {.max_inputs = 3, .max_pushed = 1});
    EXPECT_TRUE(IsRestricted(automaton)) << message;
    ExpectRestricted(automaton, RestrictedForm(automaton, kMaxSymbols), message);
    ExpectAllOfRestricted(automaton, message);
  }
}

// Transitions by hand, over inputs a and b.
PushdownAutomaton ByHand(int states, int symbols, std::vector<AutomatonTransition> transitions,
                         std::vector<AutomatonHead> accepting) {
  PushdownAutomaton automaton;
  automaton.inputs.Add("a");
  automaton.inputs.Add("b");
  for (int n = 0; n < states; ++n) automaton.states.push_back("q" + std::to_string(n));
  for (int n = 0; n < symbols; ++n)
    automaton.stack_symbols.push_back(std::string(1, char('A' + n)));
  automaton.transitions = std::move(transitions);
  automaton.accepting = {std::move(accepting)};
  return automaton;
}

TEST(Automata, TheBottomSymbolIsOneLikeOthers) {
  const std::vector<PushdownAutomaton> automata = {
      // Pushed on itself, and popped down to an empty stack.
      ByHand(1, 1, {{{0, 0}, 0, 0, {0, 0}}, {{0, 0}, 1, 0, {}}}, {{0, 0}}),
      // Pushed between others, several at once.
      ByHand(1, 2,
             {{{0, 0}, 0, 0, {0, 1, 0, 1}},
              {{0, 1}, 0, 0, {1, 0, 0}},
              {{0, 0}, 1, 0, {}},
              {{0, 1}, 1, 0, {}}},
             {{0, 0}}),
      // Replaced for good: nothing accepts after that.
      ByHand(2, 2, {{{0, 0}, 0, 1, {1}}, {{1, 1}, 0, 1, {1, 1}}, {{1, 1}, 1, 1, {}}},
             {{0, 0}, {1, 0}}),
      // Replaced, and replaced back.
      ByHand(2, 2,
             {{{0, 0}, 0, 1, {1}}, {{1, 1}, 1, 0, {0}}, {{1, 1}, 0, 1, {1, 0}}, {{0, 0}, 1, 1, {}}},
             {{0, 0}}),
      // Popped at once: no string has a run.
      ByHand(1, 1, {{{0, 0}, 0, 0, {}}}, {{0, 0}}),
      // No transitions, and no accepting heads.
      ByHand(1, 1, {}, {{0, 0}}),
      ByHand(1, 1, {}, {}),
      ByHand(2, 3, {{{1, 2}, 0, 1, {2, 2}}}, {{1, 2}}),
      // Accepts with others on top.
      ByHand(2, 3,
             {{{0, 0}, 0, 0, {0, 1, 2, 1}},
              {{0, 1}, 1, 1, {}},
              {{1, 2}, 1, 0, {1}},
              {{1, 2}, 0, 1, {}}},
             {{0, 1}, {1, 2}, {1, 0}}),
      // Replaces the end of what was pushed at once, several times.
      ByHand(1, 4,
             {{{0, 0}, 0, 0, {0, 1, 2, 3}},
              {{0, 3}, 0, 0, {2}},
              {{0, 3}, 1, 0, {}},
              {{0, 2}, 0, 0, {3}},
              {{0, 2}, 1, 0, {}},
              {{0, 1}, 0, 0, {0}},
              {{0, 1}, 1, 0, {}},
              {{0, 0}, 1, 0, {}}},
             {{0, 0}}),
  };
  for (std::size_t n = 0; n < automata.size(); ++n) {
    const std::string message = "automaton " + std::to_string(n);
    const PushdownAutomaton restricted = RestrictedForm(automata[n], kMaxSymbols);
    ExpectRestricted(automata[n], restricted, message);
    ExpectAllOfRestricted(restricted, message);
  }
}

TEST(Automata, RestrictedFormHasLimits) {
  const PushdownAutomaton automaton = AutomatonOf(SpecialGrammars()[3].grammar);
  const std::size_t symbols = RestrictedForm(automaton, kMaxSymbols).stack_symbols.size();
  EXPECT_NO_THROW(RestrictedForm(automaton, static_cast<int>(symbols)));
  try {
    RestrictedForm(automaton, static_cast<int>(symbols) - 1);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(symbols - 1)), std::string::npos)
        << error.what();
  }
  // What replaces the top and pushes on it.
  const PushdownAutomaton both = ByHand(1, 2, {{{0, 0}, 0, 0, {1, 0}}}, {{0, 0}});
  EXPECT_FALSE(IsNearlyRestricted(both));
  EXPECT_THROW(RestrictedForm(both, kMaxSymbols), Error);
  const PushdownAutomaton reads_nothing = ByHand(1, 2, {{{0, 0}, kNoInput, 0, {0, 1}}}, {{0, 0}});
  EXPECT_FALSE(IsNearlyRestricted(reads_nothing));
  EXPECT_THROW(RestrictedForm(reads_nothing, kMaxSymbols), Error);
}

void ExpectUnion(const std::vector<PushdownAutomaton>& automata, const std::string& message) {
  const PushdownAutomaton all = Union(automata);
  ExpectValid(automata[0], all, message);
  EXPECT_TRUE(IsRestricted(all)) << message;
  std::vector<const PushdownAutomaton*> side_by_side = {&all};
  for (const PushdownAutomaton& automaton : automata) side_by_side.push_back(&automaton);
  std::vector<AutomatonRuns> oracles;
  for (const PushdownAutomaton* automaton : side_by_side) oracles.emplace_back(*automaton);
  std::string trace = message + ", union of\n";
  for (const PushdownAutomaton& automaton : automata) trace += TransitionsText(automaton);
  SCOPED_TRACE(trace);
  FollowRuns(side_by_side, kMaxLength, kMaxWork,
             [&](const std::vector<int>& string, const AllRuns& runs) {
               if (testing::Test::HasFailure()) return false;  // one is enough to print
               std::vector<double> accepting;
               double number = 0;
               for (std::size_t n = 1; n < runs.size(); ++n) {
                 const std::vector<double> some = oracles[n].Accepting(runs[n]);
                 accepting.insert(accepting.end(), some.begin(), some.end());
                 number += AutomatonRuns::Number(runs[n]);
               }
               if (string.empty()) number = 1;
               SCOPED_TRACE(StringText(string));
               EXPECT_EQ(oracles[0].Accepting(runs[0]), accepting);
               EXPECT_EQ(AutomatonRuns::Number(runs[0]), number);
               return false;
             });
  ExpectAllOfRestricted(all, message + " union");
}

TEST(Automata, Unions) {
  for (std::uint64_t seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) {
    // Automata of the same inputs.
    std::vector<PushdownAutomaton> automata;
    for (std::uint64_t n = 0; automata.size() < 1 + seed % 3; ++n) {
      PushdownAutomaton automaton =
          RandomAutomaton(1000 * seed + n, {.max_inputs = 2, .max_pushed = 1, .max_languages = 2});
      if (automaton.inputs.size() == 2) automata.push_back(std::move(automaton));
    }
    ExpectUnion(automata, "unions, seed " + std::to_string(seed));
  }
}

// The start state, which the automata share, must not be one that a run comes back to, whatever is
// on top then.
TEST(Automata, UnionsWhoseStartStateIsEntered) {
  const std::vector<PushdownAutomaton> automata = {
      ByHand(1, 2, {{{0, 0}, 0, 0, {1}}}, {{0, 1}}),                         // a
      ByHand(1, 2, {{{0, 0}, 1, 0, {1}}, {{0, 1}, 1, 0, {1}}}, {{0, 1}}),    // b b*
      ByHand(1, 2, {{{0, 0}, 0, 0, {0, 1}}, {{0, 1}, 1, 0, {}}}, {{0, 0}}),  // (a b)*
  };
  ExpectUnion(automata, "all");
  ExpectUnion({automata[0], automata[1]}, "a, b b*");
  ExpectUnion({automata[2], automata[1]}, "(a b)*, b b*");
}

TEST(Automata, UnionsOfGrammars) {
  std::vector<PushdownAutomaton> automata;
  for (std::uint64_t seed = 1; seed <= 400 && !testing::Test::HasFailure(); ++seed) {
    const Grammar grammar = AnyAwkwardGrammar(seed);
    if (grammar.terminals.size() != 2) continue;
    try {
      automata.push_back(RestrictedForm(AutomatonOf(grammar, 300), 30));
    } catch (const Error&) {
      continue;
    }
    if (automata.size() < 3) continue;
    ExpectUnion(automata, "unions of grammars up to seed " + std::to_string(seed));
    automata.clear();
  }
}

TEST(Automata, UnionsOfOtherInputs) {
  PushdownAutomaton first = ByHand(1, 1, {{{0, 0}, 0, 0, {0}}}, {{0, 0}});  // a*
  PushdownAutomaton other;
  // The same names in another order are the same inputs.
  other.inputs.Add("b");
  other.inputs.Add("a");
  other.states = {"q0"};
  other.stack_symbols = {"A"};
  other.transitions = {{{0, 0}, 0, 0, {0}}};  // b*
  other.accepting = {{{0, 0}}};
  const PushdownAutomaton both = Union(std::vector{first, other});
  const AutomatonRuns runs(both);
  const int a = both.inputs.Find("a").value();
  const int b = both.inputs.Find("b").value();
  EXPECT_EQ(runs.Accepting(runs.After({})), (std::vector<double>{1, 1}));
  EXPECT_EQ(runs.Accepting(runs.After({a, a})), (std::vector<double>{1, 0}));
  EXPECT_EQ(runs.Accepting(runs.After({b, b})), (std::vector<double>{0, 1}));
  EXPECT_EQ(runs.Accepting(runs.After({a, b})), (std::vector<double>{0, 0}));
  other.inputs = {};
  other.inputs.Add("b");
  EXPECT_THROW(Union(std::vector{first, other}), Error);
  EXPECT_THROW(Union(std::vector<PushdownAutomaton>()), Error);
}

TEST(Automata, NamesStayDifferent) {
  const std::vector<std::string> state_names = {"start",  "trap",  "a+b",     "a",      "b",
                                                "start'", "trap'", "start_2", "trap_2", "a_2"};
  const std::vector<std::string> symbol_names = {"$", "A", "A.B", "B", "A/B", "$'", "A_2", "A.B_2"};
  for (std::uint64_t seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) {
    PushdownAutomaton automaton = RandomAutomaton(seed);
    for (std::size_t n = 0; n < automaton.states.size(); ++n) {
      automaton.states[n] = state_names[(3 * seed + 7 * n) % state_names.size()];
    }
    for (std::size_t n = 0; n < automaton.stack_symbols.size(); ++n) {
      automaton.stack_symbols[n] = symbol_names[(seed + 3 * n) % symbol_names.size()];
    }
    const std::string message = "names, seed " + std::to_string(seed);
    const PushdownAutomaton restricted = RestrictedForm(automaton, kMaxSymbols);
    ExpectValid(automaton, restricted, message);
    ExpectValid(automaton, PackedStates(restricted), message);
    ExpectValid(automaton, WithTrap(restricted), message);
    ExpectValid(automaton, WithTrap(WithTrap(restricted)), message);
    PushdownAutomaton other = restricted;
    std::rotate(other.states.begin(), other.states.begin() + 1, other.states.end());
    std::rotate(other.stack_symbols.begin(), other.stack_symbols.begin() + 1,
                other.stack_symbols.end());
    ExpectValid(automaton, Union(std::vector{restricted, restricted, other, WithTrap(other)}),
                message);
  }
}

// The oracle of automata in which transitions may read nothing, against explicit stacks.
TEST(AutomatonAcceptance, IsThatOfExplicitStacks) {
  int accepted = 0;
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const PushdownAutomaton automaton = RandomAutomaton(seed, {.general = true});
    for (int length = 0; length <= 3; ++length) {
      ForEachString(automaton.inputs.size(), length, [&](const std::vector<int>& string) {
        // All configurations with up to 8 symbols on the stack.
        using Configuration = std::pair<std::pair<int, std::size_t>, std::vector<int>>;
        std::vector<Configuration> found = {{{0, 0}, {0}}};
        std::set<Configuration> seen(found.begin(), found.end());
        bool all = true;
        for (std::size_t n = 0; n < found.size(); ++n) {
          const auto [place, stack] = found[n];
          for (const AutomatonTransition& transition : automaton.transitions) {
            if (transition.from != AutomatonHead{place.first, stack.back()}) continue;
            const bool reads = transition.input != kNoInput;
            if (reads &&
                (place.second == string.size() || string[place.second] != transition.input))
              continue;
            Configuration next = {{transition.to, place.second + (reads ? 1 : 0)}, stack};
            next.second.pop_back();
            next.second.insert(next.second.end(), transition.pushed.begin(),
                               transition.pushed.end());
            if (next.second.empty()) continue;
            if (next.second.size() > 8) {
              all = false;
              continue;
            }
            if (seen.insert(next).second) found.push_back(next);
          }
        }
        const AutomatonAcceptance acceptance(automaton, string);
        for (int language = 0; language < automaton.languages(); ++language) {
          bool expected = false;
          for (const auto& [place, stack] : found) {
            const AutomatonHead head = {place.first, stack.back()};
            const std::vector<AutomatonHead>& heads = automaton.accepting[language];
            expected = expected || (place.second == string.size() &&
                                    std::find(heads.begin(), heads.end(), head) != heads.end());
          }
          accepted += expected;
          compared += all;
          // A higher stack may be the only way to accept.
          EXPECT_TRUE(acceptance(language) == expected || (!all && acceptance(language)))
              << "seed " << seed << ", " << StringText(string) << "\n"
              << TransitionsText(automaton);
        }
      });
    }
  }
  EXPECT_GT(accepted, 200);
  EXPECT_GT(compared, 1000);
}

TEST(Automata, GrammarsOfRandomOnes) {
  int accepted = 0;
  for (std::uint64_t seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
    const PushdownAutomaton automaton = RandomAutomaton(seed, {.general = seed % 3 != 0});
    for (int language = 0; language < automaton.languages(); ++language) {
      const Grammar grammar = GrammarOfAutomaton(automaton, language, 1'000'000);
      EXPECT_EQ(grammar.terminals.names(), automaton.inputs.names());
      Earley earley(grammar);
      for (int length = 0; length <= 5; ++length) {
        ForEachString(automaton.inputs.size(), length, [&](const std::vector<int>& string) {
          const bool expected = AutomatonAcceptance(automaton, string)(language);
          accepted += expected;
          EXPECT_EQ(earley.Accepts(string), expected)
              << "seed " << seed << ", language " << language << ", " << StringText(string) << "\n"
              << TransitionsText(automaton) << RulesText(grammar);
        });
      }
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace pushdown
