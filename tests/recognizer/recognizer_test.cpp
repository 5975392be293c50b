#include "pushdown/recognizer/recognizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/automata.h"
#include "pushdown/formal/compiled_grammar.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/restricted_form.h"
#include "pushdown/random.h"
#include "pushdown/recognizer/compile.h"
#include "tests/formal/automaton_runs.h"
#include "tests/formal/earley.h"
#include "tests/formal/make_grammar.h"
#include "tests/formal/strings.h"
#include "tests/recognizer/stages.h"
#include "tests/sanitized.h"

namespace pushdown {
namespace {

using testing_oracle::Accepted;
using testing_oracle::AutomatonRuns;
using testing_oracle::Earley;
using testing_oracle::ExpectAllStagesAgree;
using testing_oracle::ForEachString;
using testing_oracle::MakeGrammar;
using testing_oracle::Stages;
using testing_oracle::StringText;
using testing_oracle::Terminals;
using testing_oracle::Together;

// The recognizer of some grammars, of which only the decisions are compared.
class Membership {
 public:
  Membership(const std::vector<Grammar>& grammars, int max_length)
      : compiled_(Compile(grammars)),
        recognizer_(compiled_.automaton, compiled_.network, max_length) {}

  const PushdownAutomaton& automaton() const { return compiled_.automaton; }
  Recognition operator()(std::span<const int> string) { return recognizer_.Recognize(string); }
  void Expect(const std::string& names, bool accepted) {
    EXPECT_EQ((*this)(Terminals(automaton().inputs, names)).accepted, accepted) << names;
  }

 private:
  static CompiledRecognizer Compile(const std::vector<Grammar>& grammars) {
    std::vector<LanguageSource> sources;
    for (const Grammar& grammar : grammars) sources.push_back({"grammar", grammar});
    return CompileRecognizer(sources);
  }

  CompiledRecognizer compiled_;
  Recognizer recognizer_;
};

TEST(Recognizer, Expressions) {
  const Grammar grammar = MakeGrammar({{"E", "E + T", 1},
                                       {"E", "T", 1},
                                       {"T", "T * F", 1},
                                       {"T", "F", 1},
                                       {"F", "( E )", 1},
                                       {"F", "x", 1}});
  Membership membership({grammar}, 20);
  for (const char* expression :
       {"x", "( x )", "x + x * x", "( x + x ) * x", "( ( x ) ) * ( x + x * x )",
        "x * ( x + ( x * x + x ) ) + x", "( ( ( ( ( ( x ) ) ) ) ) )"}) {
    membership.Expect(expression, true);
  }
  for (const char* other : {"", "x +", "( x", "x )", "x x", "x + * x", "( )", "( x + x * x",
                            "( ( x ) ) * ( x + x * x ) )", "( ( ( ( ( ( x ) ) ) ) )"}) {
    membership.Expect(other, false);
  }
  // All short strings, and expressions with one symbol changed, by the oracle.
  Earley earley(grammar);
  for (int length = 0; length <= 4; ++length) {
    ForEachString(5, length, [&](const std::vector<int>& string) {
      EXPECT_EQ(membership(string).accepted, earley.Accepts(string)) << StringText(string);
    });
  }
  Random random(7);
  const std::vector<int> expression =
      Terminals(grammar.terminals, "x * ( x + ( x * x + x ) ) + ( x )");
  int accepted = 0;
  for (int n = 0; n < 60; ++n) {
    std::vector<int> string = expression;
    string[random.Below(string.size())] = static_cast<int>(random.Below(5));
    accepted += earley.Accepts(string);
    EXPECT_EQ(membership(string).accepted, earley.Accepts(string)) << StringText(string);
  }
  EXPECT_GT(accepted, 0);
}

const Grammar& Palindromes() {
  static const Grammar grammar = MakeGrammar(
      {{"S", "a S a", 1}, {"S", "b S b", 1}, {"S", "a", 1}, {"S", "b", 1}, {"S", "", 1}});
  return grammar;
}

TEST(Recognizer, LongPalindromes) {
  Membership membership({Palindromes()}, 80);
  const AutomatonRuns oracle(membership.automaton());
  Random random(3);
  for (int n = 0; n < 20; ++n) {
    std::vector<int> string;
    const std::size_t length = 60 + random.Below(20);
    for (std::size_t t = 0; t < length; ++t) {
      // Few b's, so that many places might be the middle.
      const bool repeats = t >= (length + 1) / 2;
      string.push_back(repeats ? string[length - 1 - t] : random.Below(6) == 0);
    }
    const auto check = [&](bool expected) {
      SCOPED_TRACE(StringText(string));
      const Recognition result = membership(string);
      const AutomatonRuns::Runs runs = oracle.After(string);
      EXPECT_EQ(result.accepted, expected);
      EXPECT_EQ(result.decision, Decision::kOutput);
      EXPECT_NEAR(result.log_runs, std::log(AutomatonRuns::Number(runs)), 1e-9);
      EXPECT_NEAR(result.acceptance[0], oracle.Accepting(runs)[0] / AutomatonRuns::Number(runs),
                  1e-9);
    };
    check(true);
    const std::size_t changed = random.Below(length / 2);
    string[changed] = 1 - string[changed];
    check(false);
  }
}

std::vector<int> Repeated(const std::vector<int>& counts) {
  std::vector<int> string;
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) {
    string.insert(string.end(), static_cast<std::size_t>(counts[symbol]), static_cast<int>(symbol));
  }
  return string;
}

// a^n b^n c^n, which is not the language of a single automaton.
std::vector<Grammar> CountingThree() {
  return {MakeGrammar(
              {{"S", "A C", 1}, {"A", "a A b", 1}, {"A", "", 1}, {"C", "c C", 1}, {"C", "", 1}}),
          MakeGrammar(
              {{"S", "A B", 1}, {"A", "a A", 1}, {"A", "", 1}, {"B", "b B c", 1}, {"B", "", 1}})};
}

TEST(Recognizer, CountingThree) {
  const std::vector<Grammar> grammars = CountingThree();
  std::vector<Stages> stages;
  for (const Grammar& grammar : grammars) stages.emplace_back(grammar, 10'000, 1000);
  const Accepted count = ExpectAllStagesAgree(stages, Together(stages), 6000, "a^n b^n c^n");
  // The empty string, abc, and aabbcc, if it comes so far.
  EXPECT_GE(count.accepted, 2);
  Membership membership(grammars, 30);
  for (int a = 0; a <= 7; ++a) {
    for (int b = 0; b <= 7; ++b) {
      for (int c = 0; c <= 7; ++c) {
        const Recognition result = membership(Repeated({a, b, c}));
        EXPECT_EQ(result.accepted, a == b && b == c) << a << " " << b << " " << c;
        EXPECT_EQ(result.acceptance[0] > 0, a == b) << a << " " << b << " " << c;
        EXPECT_EQ(result.acceptance[1] > 0, b == c) << a << " " << b << " " << c;
      }
    }
  }
}

TEST(Recognizer, BeyondTheLongestExactLength) {
  const std::vector<Grammar> grammars = CountingThree();
  Membership membership(grammars, 400);
  const int exact = LongestExactLength(membership.automaton());
  ASSERT_LT(exact, 390);
  int with_output = 0;
  int with_reading = 0;
  for (int third : {(exact - 4) / 3, exact / 3, exact / 3 + 1, exact / 3 + 2, 130}) {
    for (const std::vector<int>& change : std::vector<std::vector<int>>{
             {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, 1}, {-1, 0, 0}}) {
      const std::vector<int> string =
          Repeated({third + change[0], third + change[1], third + change[2]});
      const Recognition result = membership(string);
      const bool expected = change == std::vector<int>{0, 0, 0};
      SCOPED_TRACE(StringText(string));
      EXPECT_EQ(result.accepted, expected);
      if (static_cast<int>(string.size()) <= exact) {
        EXPECT_EQ(result.decision, Decision::kOutput);
        EXPECT_EQ(result.y > 0.5, expected);
        ++with_output;
      } else {
        EXPECT_EQ(result.decision, Decision::kReading);
        ++with_reading;
      }
    }
  }
  EXPECT_GT(with_output, 5);
  EXPECT_GT(with_reading, 5);
}

TEST(Recognizer, EmptyLanguagesAndEmptyStrings) {
  const Grammar nothing = MakeGrammar({{"S", "a S", 1}, {"S", "b S", 1}});
  const Grammar epsilon =
      MakeGrammar({{"S", "", 1}, {"S", "a N", 1}, {"S", "b N", 1}, {"N", "N", 1}});
  const Grammar all = MakeGrammar({{"S", "a S", 1}, {"S", "b S", 1}, {"S", "", 1}});
  const auto strings = {"", "a", "b", "a b", "b b b"};
  for (const std::vector<Grammar>& grammars : std::vector<std::vector<Grammar>>{
           {nothing}, {nothing, all}, {all, nothing}, {epsilon, nothing, all}}) {
    Membership membership(grammars, 5);
    for (const char* string : strings) membership.Expect(string, false);
  }
  for (const std::vector<Grammar>& grammars : std::vector<std::vector<Grammar>>{
           {epsilon}, {epsilon, all}, {all, all, epsilon}, {epsilon, epsilon}}) {
    Membership membership(grammars, 5);
    membership.Expect("", true);
    membership.Expect("a", false);
    membership.Expect("b a", false);
  }
  for (const std::vector<Grammar>& grammars :
       std::vector<std::vector<Grammar>>{{all}, {all, all}}) {
    Membership membership(grammars, 5);
    for (const char* string : strings) membership.Expect(string, true);
  }
}

// In S -> S S | a, a^n has as many derivations as there are binary trees with n leaves.
TEST(Recognizer, VeryAmbiguousGrammars) {
  const Grammar grammar = MakeGrammar({{"S", "S S", 1}, {"S", "a", 1}, {"B", "b", 1}});
  Membership one({grammar}, 240);
  Membership two({grammar, MakeGrammar({{"T", "a T", 1}, {"T", "b T", 1}, {"T", "a", 1}})}, 240);
  double most = 0;
  for (int length : {1, 2, 3, 10, 30, 60, 120, 240}) {
    std::vector<int> string(static_cast<std::size_t>(length), 0);
    for (Membership* membership : {&one, &two}) {
      for (int last : {0, 1}) {
        string.back() = last;
        const Recognition result = (*membership)(string);
        most = std::max(most, result.log_runs);
        EXPECT_TRUE(result.accepted == (last == 0) || result.decision == Decision::kOutOfRange)
            << length << " " << last;
        // 2^60 runs are too many for the output, and not for the reading.
        if (result.log_runs < 500) {
          EXPECT_NE(result.decision, Decision::kOutOfRange) << length << " " << last;
        }
      }
    }
  }
  EXPECT_GT(most, 60 * std::log(2));
}

// For a^n, there are 16^n runs that replace 8 symbols by each other and push them on each other,
// and a single run besides. After b, only this one goes on, and accepts.
PushdownAutomaton OneAmongMany(int languages) {
  PushdownAutomaton automaton;
  for (const char* name : {"a", "b", "c"}) automaton.inputs.Add(name);
  automaton.states = {"start", "loop"};
  automaton.stack_symbols = {"$", "one", "end", "X", "Y", "Z", "U", "V", "W", "R", "S"};
  const auto replace = [&](const AutomatonHead& from, int input, int symbol) {
    automaton.transitions.push_back({from, input, 1, {symbol}});
  };
  replace({0, 0}, 0, 1);
  replace({1, 1}, 0, 1);
  replace({1, 1}, 1, 2);
  for (int to = 3; to < 11; ++to) {
    replace({0, 0}, 0, to);
    for (int from = 3; from < 11; ++from) {
      replace({1, from}, 0, to);
      automaton.transitions.push_back({{1, from}, 0, 1, {from, to}});
    }
  }
  automaton.accepting.assign(static_cast<std::size_t>(languages), {{1, 1}, {1, 2}});
  return PackedStates(WithTrap(automaton));
}

TEST(Recognizer, OneAmongManyRuns) {
  if (kSanitized) GTEST_SKIP() << "takes a minute with sanitizers";
  constexpr double kLogRuns = 2.772588722239781;  // log 16, for each symbol
  for (int languages : {1, 2}) {
    const PushdownAutomaton automaton = OneAmongMany(languages);
    const RecognizerNetwork network = MakeRecognizer(automaton);
    Recognizer recognizer(automaton, network, 300);
    int out_of_range = 0;
    for (int length : {1, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 40, 100, 240, 275}) {
      for (int last : {0, 1, 2}) {
        if (last != 0 && (length == 240 || (length == 275 && languages == 2))) continue;  // slow
        SCOPED_TRACE(std::to_string(languages) + " languages, " + std::to_string(length) +
                     " symbols and " + std::to_string(last));
        std::vector<int> string(static_cast<std::size_t>(length), 0);
        string.push_back(last);
        const Recognition result = recognizer.Recognize(string);
        if (result.decision == Decision::kOutOfRange) {
          ++out_of_range;
          EXPECT_EQ(length, 275);
          continue;
        }
        EXPECT_EQ(result.accepted, last != 2);
        if (result.decision == Decision::kOutput) {
          EXPECT_EQ(result.y > 0.5, last != 2);
        }
        // After b there are the accepting run and the trapped one, after c only that.
        if (last > 0) {
          EXPECT_NEAR(result.log_runs, last == 1 ? std::log(2) : 0, 1e-9);
          EXPECT_NEAR(result.acceptance[0], last == 1 ? 0.5 : 0, 1e-9);
        } else if (length < 275) {
          EXPECT_NEAR(std::log(result.acceptance[0]), -result.log_runs, 1e-9);
          EXPECT_NEAR(result.log_runs,
                      length * kLogRuns + std::log(8 + 2 * std::exp(-length * kLogRuns)), 1e-9);
        }
      }
    }
    // At least a^276, with a part of about 10^-331, which is no number of double precision.
    EXPECT_GT(out_of_range, 0);
  }
}

// Two states have all transitions that are possible between them, so that there are as many runs as
// possible. One of the languages has a single run besides. Its share must differ from the offset.
TEST(Recognizer, TheOffsetIsSmallerThanOneRun) {
  PushdownAutomaton automaton;
  automaton.inputs.Add("a");
  automaton.inputs.Add("b");
  automaton.states = {"start", "crowd", "one"};
  automaton.stack_symbols = {"$", "X"};
  for (int from : {0, 1}) {
    for (int top : {0, 1}) {
      if (from == 0 && top == 1) continue;
      for (int input : {0, 1}) {
        for (int symbol : {0, 1}) {
          automaton.transitions.push_back({{from, top}, input, 1, {symbol}});
          automaton.transitions.push_back({{from, top}, input, 1, {top, symbol}});
        }
        automaton.transitions.push_back({{from, top}, input, 1, {}});
      }
    }
  }
  // The single run: a*, in a state of its own.
  for (int from : {0, 2}) automaton.transitions.push_back({{from, 0}, 0, 2, {0}});
  automaton.accepting = {{{2, 0}}, {{0, 0}, {1, 0}, {1, 1}}};
  const PushdownAutomaton trapped = WithTrap(automaton);
  const RecognizerNetwork network = MakeRecognizer(trapped);
  const int longest = LongestExactLength(trapped);
  Recognizer recognizer(trapped, network, longest);
  for (int length = 1; length <= longest; length += length < 30 ? 1 : 7) {
    std::vector<int> string(static_cast<std::size_t>(length), 0);
    const Recognition in = recognizer.Recognize(string);
    EXPECT_EQ(in.decision, Decision::kOutput) << length;
    EXPECT_GT(in.y, 0.5) << length;
    EXPECT_GT(in.acceptance[0], 0) << length;
    string[static_cast<std::size_t>(length / 2)] = 1;
    const Recognition out = recognizer.Recognize(string);
    EXPECT_EQ(out.decision, Decision::kOutput) << length;
    EXPECT_LT(out.y, 0.5) << length;
    EXPECT_EQ(out.acceptance[0], 0) << length;
  }
}

TEST(Recognizer, Sizes) {
  for (int languages : {1, 2, 3}) {
    std::vector<Stages> stages;
    for (int n = 0; n < languages; ++n) stages.emplace_back(Palindromes(), 1000, 100);
    const PushdownAutomaton automaton = Together(stages);
    const RecognizerNetwork network = MakeRecognizer(automaton);
    const ModelSpec spec = RecognizerSpec(automaton);
    EXPECT_EQ(network.spec.hidden_units, spec.hidden_units);
    EXPECT_EQ(network.spec.nondeterministic()->states, static_cast<int>(automaton.states.size()));
    EXPECT_EQ(network.spec.nondeterministic()->symbols,
              static_cast<int>(automaton.stack_symbols.size()));
    EXPECT_EQ(RecognizerParameters(automaton),
              static_cast<double>(network.parameters.size() + network.hidden_weights.size() +
                                  network.hidden_bias.size() + network.output_weights.size() + 1));
    EXPECT_EQ(network.spec.symbols, 3);
    EXPECT_EQ(network.hidden_bias.size(), static_cast<std::size_t>(languages));
    EXPECT_EQ(network.hidden_weights.size(),
              static_cast<std::size_t>(languages * network.spec.hidden_units));
  }
}

// What MakeRecognizer refuses.
TEST(Recognizer, OtherAutomata) {
  PushdownAutomaton automaton;
  automaton.inputs.Add("a");
  automaton.states = {"start", "q"};
  automaton.stack_symbols = {"$", "X"};
  automaton.transitions = {{{0, 0}, 0, 1, {0}}, {{1, 0}, 0, 1, {0, 1}}};
  automaton.accepting = {{{1, 0}}};
  EXPECT_THROW(MakeRecognizer(automaton), Error);  // aaa has no run
  EXPECT_NO_THROW(MakeRecognizer(WithTrap(automaton)));

  PushdownAutomaton pushes_two = WithTrap(automaton);
  pushes_two.transitions.push_back({{1, 0}, 0, 1, {0, 1, 1}});
  EXPECT_THROW(MakeRecognizer(pushes_two), Error);

  PushdownAutomaton back_to_start = WithTrap(automaton);
  back_to_start.transitions.push_back({{1, 0}, 0, 0, {0}});
  EXPECT_THROW(MakeRecognizer(back_to_start), Error);

  PushdownAutomaton reads_nothing = WithTrap(automaton);
  reads_nothing.transitions.push_back({{1, 0}, kNoInput, 1, {0}});
  EXPECT_THROW(MakeRecognizer(reads_nothing), Error);

  PushdownAutomaton out_of_range = WithTrap(automaton);
  out_of_range.accepting[0].push_back({7, 0});
  EXPECT_THROW(MakeRecognizer(out_of_range), Error);
}

// A head is accepting or not, however often it is written.
TEST(Recognizer, EqualHeadsAndTransitions) {
  PushdownAutomaton automaton;
  automaton.inputs.Add("a");
  automaton.states = {"start", "q"};
  automaton.stack_symbols = {"$"};
  automaton.transitions = {{{0, 0}, 0, 1, {0}}, {{1, 0}, 0, 1, {0}}};
  automaton.accepting = {{{1, 0}, {1, 0}, {0, 0}}};
  const PushdownAutomaton trapped = WithTrap(automaton);
  const RecognizerNetwork network = MakeRecognizer(trapped);
  Recognizer recognizer(trapped, network, 4);
  EXPECT_NEAR(recognizer.Recognize(std::vector<int>{0, 0}).acceptance[0], 0.5, 1e-9);
  EXPECT_NEAR(recognizer.Recognize(std::vector<int>{}).acceptance[0], 1, 1e-9);
}

TEST(Recognizer, ANetworkOfAnotherAutomatonIsNoticed) {
  const PushdownAutomaton automaton =
      PackedStates(WithTrap(CompileGrammar(ParseGrammar("S -> a S b | eps").grammar).restricted));
  RecognizerNetwork network = MakeRecognizer(automaton);
  network.output_bias = 5;
  Recognizer recognizer(automaton, network, 4);
  EXPECT_TRUE(recognizer.Recognize(std::vector<int>{0, 1}).accepted);
  EXPECT_THROW(recognizer.Recognize(std::vector<int>{0, 0}), Error);
}

TEST(Recognizer, StringsThatItCannotTake) {
  const std::vector<Stages> stages = {Stages(Palindromes(), 1000, 100)};
  const PushdownAutomaton automaton = Together(stages);
  const RecognizerNetwork network = MakeRecognizer(automaton);
  Recognizer recognizer(automaton, network, 3);
  EXPECT_THROW(recognizer.Recognize(std::vector<int>{0, 0, 0, 0}), Error);
  EXPECT_THROW(recognizer.Recognize(std::vector<int>{2}), Error);
  EXPECT_THROW(recognizer.Recognize(std::vector<int>{-1}), Error);
  // After these errors, the recognizer works as before.
  EXPECT_TRUE(recognizer.Recognize(std::vector<int>{0, 1, 0}).accepted);
  EXPECT_FALSE(recognizer.Recognize(std::vector<int>{0, 1, 1}).accepted);
}

}  // namespace
}  // namespace pushdown
