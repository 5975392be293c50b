#include "pushdown/formal/pushdown_automaton.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "pushdown/error.h"

namespace pushdown {
namespace {

// Brackets: q ( $ -> q $ X, q ( X -> q X X, q ) X -> q eps.
PushdownAutomaton Brackets() {
  PushdownAutomaton automaton;
  automaton.inputs.Add("(");
  automaton.inputs.Add(")");
  automaton.states = {"q"};
  automaton.stack_symbols = {"$", "X"};
  automaton.transitions = {{{0, 0}, 0, 0, {0, 1}}, {{0, 1}, 0, 0, {1, 1}}, {{0, 1}, 1, 0, {}}};
  automaton.accepting = {{{0, 0}}};
  return automaton;
}

TEST(Transition, PopsReplacesOrPushes) {
  const auto kind = [](std::vector<int> pushed) {
    const AutomatonTransition transition = {{0, 1}, 0, 0, std::move(pushed)};
    return std::string(transition.is_pop() ? "pop " : "") +
           (transition.is_replace() ? "replace " : "") + (transition.is_push() ? "push " : "");
  };
  EXPECT_EQ(kind({}), "pop ");
  EXPECT_EQ(kind({0}), "replace ");
  EXPECT_EQ(kind({1}), "replace ");
  EXPECT_EQ(kind({1, 2}), "push ");
  EXPECT_EQ(kind({1, 2, 3}), "push ");
  EXPECT_EQ(kind({2, 1}), "");
  EXPECT_EQ(kind({0, 2, 1}), "");
}

TEST(Automaton, IsRestrictedIfOneSymbolIsReadAndNoMoreThanOnePushed) {
  EXPECT_TRUE(IsRestricted(Brackets()));
  EXPECT_TRUE(IsRestricted(PushdownAutomaton()));
  const auto with = [](std::vector<int> pushed) {
    PushdownAutomaton automaton = Brackets();
    automaton.transitions.push_back({{0, 1}, 1, 0, std::move(pushed)});
    return automaton;
  };
  EXPECT_TRUE(IsRestricted(with({})));
  EXPECT_TRUE(IsRestricted(with({0})));
  EXPECT_TRUE(IsRestricted(with({1, 0})));
  EXPECT_FALSE(IsRestricted(with({0, 1})));
  EXPECT_FALSE(IsRestricted(with({1, 0, 0})));
  PushdownAutomaton automaton = Brackets();
  automaton.transitions[0].input = kNoInput;
  EXPECT_FALSE(IsRestricted(automaton)) << "reads nothing";
}

TEST(Automaton, IsEqualToAnotherWithTheSameNamesAndNumbers) {
  EXPECT_EQ(Brackets(), Brackets());
  PushdownAutomaton other = Brackets();
  other.inputs.Add("a");
  EXPECT_FALSE(other == Brackets());
  other = Brackets();
  other.transitions[2].pushed = {1};
  EXPECT_FALSE(other == Brackets());
}

TEST(Automaton, IsValidAsItIsMeantToBe) {
  EXPECT_NO_THROW(Validate(Brackets()));
  PushdownAutomaton automaton;
  automaton.states = {"q"};
  automaton.stack_symbols = {"$"};
  EXPECT_NO_THROW(Validate(automaton)) << "no inputs, no transitions";
  automaton.transitions = {{{0, 0}, kNoInput, 0, {0}}};
  EXPECT_NO_THROW(Validate(automaton)) << "reads nothing";
  automaton.accepting = {{}, {{0, 0}, {0, 0}}};
  EXPECT_NO_THROW(Validate(automaton)) << "two languages";
}

TEST(Automaton, MistakesAreFound) {
  struct {
    std::function<void(PushdownAutomaton&)> make;
    std::string message;
  } mistakes[] = {
      {[](auto& a) { a.states.clear(); }, "has no state"},
      {[](auto& a) { a.stack_symbols.clear(); }, "has no stack symbol"},
      {[](auto& a) { a.accepting.clear(); }, "has no language"},
      {[](auto& a) {
         a.states = {"q", "r", "q"};
       },
       "more than one state is called \"q\""},
      {[](auto& a) {
         a.stack_symbols = {"X", "X"};
       },
       "more than one stack symbol is called"},
      {[](auto& a) { a.transitions[1].from.state = 1; }, "transition 1 has state 1, but there are"},
      {[](auto& a) { a.transitions[1].from.state = -1; }, "transition 1 has state -1"},
      {[](auto& a) { a.transitions[2].to = 1; }, "transition 2 has state 1"},
      {[](auto& a) { a.transitions[2].to = -7; }, "transition 2 has state -7"},
      {[](auto& a) { a.transitions[0].from.top = 2; }, "transition 0 has stack symbol 2"},
      {[](auto& a) { a.transitions[0].from.top = -1; }, "transition 0 has stack symbol -1"},
      {[](auto& a) { a.transitions[0].pushed[1] = 2; }, "transition 0 has stack symbol 2"},
      {[](auto& a) { a.transitions[0].pushed[0] = -2; }, "transition 0 has stack symbol -2"},
      {[](auto& a) { a.transitions[0].input = 2; }, "transition 0 has input symbol 2"},
      {[](auto& a) { a.transitions[0].input = -2; }, "transition 0 has input symbol -2"},
      {[](auto& a) {
         a.accepting.push_back({{0, 0}, {1, 0}});
       },
       "language 1 has state 1"},
      {[](auto& a) { a.accepting[0][0].state = -1; }, "language 0 has state -1"},
      {[](auto& a) { a.accepting[0][0].top = 2; }, "language 0 has stack symbol 2"},
      {[](auto& a) { a.accepting[0][0].top = -1; }, "language 0 has stack symbol -1"},
  };
  for (const auto& [make, message] : mistakes) {
    PushdownAutomaton automaton = Brackets();
    make(automaton);
    try {
      Validate(automaton);
      ADD_FAILURE() << "no error, expected " << message;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("[pushdown::Validate] "), 0u) << error.what();
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos)
          << error.what() << " should say " << message;
    }
  }
}

}  // namespace
}  // namespace pushdown
