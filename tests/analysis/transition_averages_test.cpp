#include "pushdown/analysis/transition_averages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "pushdown/analysis/model_vectors.h"
#include "pushdown/error.h"
#include "tests/analysis/small_models.h"

namespace pushdown {
namespace {

using testing_analysis::RandomModel;
using testing_analysis::RandomTextModel;
using testing_analysis::ZeroModel;

using Strings = std::vector<std::vector<int>>;

NondeterministicStackSpec& StackOf(TrainedModel& model) {
  return std::get<NondeterministicStackSpec>(*model.spec.stack);
}

// All logits are 0. On the first a, the stack is the initial bottom symbol, which cannot be popped:
// two pushes and two replacements, 1/4 each. Then two of four runs have ⊥ on top, two 0, and one of
// each has pushed it. On the second a, each of 8 pushes and replacements has 2 of the weights
// 8 * 2 + 2 * 1 = 18, each of two pops has 1.
TEST(TransitionAverages, OfZeroLogitsAreThoseComputedByHand) {
  for (const char* name : {"rns-1-2", "vrns-1-2-2"}) {
    const TrainedModel model = ZeroModel(name);
    const Strings strings = {model.Encode("a a b")};
    const TransitionAverages found = AverageTransitions(model, strings);
    ASSERT_EQ(found.symbols.size(), 1u);  // nothing happens after the last symbol
    EXPECT_EQ(found.symbols[0].symbol, 0);
    EXPECT_EQ(found.symbols[0].count, 2);
    const double first = (1.0 / 4 + 1.0 / 9) / 2;
    const double later = (1.0 / 9) / 2;
    const double pop = (1.0 / 18) / 2;
    const std::vector<double> expected = {first, first, first, first, pop,
                                          later, later, later, later, pop};
    ASSERT_EQ(found.symbols[0].average.size(), expected.size());
    for (std::size_t n = 0; n < expected.size(); ++n) {
      EXPECT_NEAR(found.symbols[0].average[n], expected[n], 1e-6) << n;
    }
    const OperationShares operations =
        OperationsOf(*model.spec.nondeterministic(), found.symbols[0]);
    EXPECT_NEAR(operations.push, (1.0 / 2 + 4.0 / 9) / 2, 1e-6);
    EXPECT_NEAR(operations.replace, (1.0 / 2 + 4.0 / 9) / 2, 1e-6);
    EXPECT_NEAR(operations.pop, 1.0 / 18, 1e-6);
    EXPECT_EQ(LargestTransitions(found.symbols[0], 0.1), (std::vector<std::size_t>{0, 1, 2, 3}));
  }
}

TEST(TransitionAverages, OfSuperpositionStacksAreThoseOfTheirActions) {
  const TrainedModel model = ZeroModel("sup-2-1");
  const Strings strings = {model.Encode("a b a"), model.Encode("b b")};
  const TransitionAverages found = AverageTransitions(model, strings);
  ASSERT_EQ(found.symbols.size(), 2u);
  EXPECT_EQ(found.symbols[0].count, 1);
  EXPECT_EQ(found.symbols[1].count, 2);
  for (const auto& symbol : found.symbols) {
    ASSERT_EQ(symbol.average.size(), 6u);
    for (const double x : symbol.average) EXPECT_NEAR(x, 1.0 / 3, 1e-6);
  }
}

// A run of the automaton, with all that its next step depends on.
struct EnumeratedRun {
  double weight = 1;
  int state = 0;
  std::vector<int> stack = {0};      // the bottom first
  std::vector<int> pushed_in = {0};  // the step of each element
};

// The probability of each transition among all runs of the first steps, one step after the other.
// With a window D, an element that was pushed in step i + 1 may be on top until step i + D. A run
// that breaks this ends, but its last transition still counts.
std::vector<std::vector<double>> EnumeratedShares(const NondeterministicStackSpec& spec,
                                                  const std::vector<std::vector<float>>& actions) {
  const int pairs = spec.pairs();
  const bool old = spec.bottom == Bottom::kOld;
  std::vector<EnumeratedRun> runs = {{}};
  std::vector<std::vector<double>> shares;
  int step = 0;
  for (const std::vector<float>& logits : actions) {
    ++step;
    std::vector<EnumeratedRun> next;
    std::vector<double> weights(static_cast<std::size_t>(spec.logits_size()));
    double total = 0;
    for (const EnumeratedRun& run : runs) {
      const int from = run.state * spec.symbols + run.stack.back();
      for (int operation = 0; operation < spec.logits_per_pair(); ++operation) {
        EnumeratedRun after = run;
        const std::size_t height = run.stack.size();
        if (operation < 2 * pairs) {
          const int target = operation % pairs;
          const bool replaces = operation >= pairs;
          if (replaces && old && height == 1) continue;
          if (replaces) {
            after.stack.back() = target % spec.symbols;
          } else {
            after.stack.push_back(target % spec.symbols);
            after.pushed_in.push_back(step);
          }
          after.state = target / spec.symbols;
        } else {
          if (height == 1 || (old && height == 2)) continue;
          after.stack.pop_back();
          after.pushed_in.pop_back();
          after.state = operation - 2 * pairs;
        }
        const auto place = static_cast<std::size_t>(from * spec.logits_per_pair() + operation);
        after.weight *= std::exp(static_cast<double>(logits[place]));
        weights[place] += after.weight;
        total += after.weight;
        const int age = step - (after.pushed_in.back() - 1);
        if (spec.window == 0 || age <= spec.window) next.push_back(after);
      }
    }
    for (double& weight : weights) weight /= total;
    shares.push_back(weights);
    runs = next;
  }
  return shares;
}

// The actions of all steps of the stack, the first of which is that of the end of a sentence if the
// model is one of text.
std::vector<std::vector<float>> ActionsOf(const TrainedModel& model,
                                          const std::vector<int>& string) {
  std::vector<std::vector<float>> actions;
  const auto predictor = model.MakePredictor(static_cast<int>(string.size()));
  predictor->Start();
  for (const int symbol : string) {
    predictor->Read(symbol);
    const std::span<const float> newest = predictor->actions();
    if (!newest.empty()) actions.emplace_back(newest.begin(), newest.end());
  }
  return actions;
}

void ExpectAveragesOfAllRuns(const TrainedModel& model, const Strings& strings) {
  std::map<int, std::vector<std::vector<double>>> by_symbol;
  for (const std::vector<int>& string : strings) {
    const auto shares = EnumeratedShares(*model.spec.nondeterministic(), ActionsOf(model, string));
    const std::size_t before = shares.size() - (string.size() - 1);  // the first symbol
    for (std::size_t t = before; t < shares.size(); ++t) {
      by_symbol[string[t - before]].push_back(shares[t]);
    }
  }
  const TransitionAverages found = AverageTransitions(model, strings);
  ASSERT_EQ(found.symbols.size(), by_symbol.size());
  for (const TransitionAverages::Symbol& symbol : found.symbols) {
    const auto& all = by_symbol[symbol.symbol];
    ASSERT_EQ(symbol.count, static_cast<long long>(all.size()));
    for (std::size_t n = 0; n < symbol.average.size(); ++n) {
      double mean = 0;
      for (const std::vector<double>& each : all) {
        mean += each[n] / static_cast<double>(all.size());
      }
      EXPECT_NEAR(symbol.average[n], mean, 1e-5) << n;
    }
  }
}

TEST(TransitionAverages, AreThoseOfAllRuns) {
  for (const char* name : {"rns-1-3", "rns-2-2", "vrns-2-1-2"}) {
    for (const Bottom bottom : {Bottom::kFixed, Bottom::kOld}) {
      for (const int window : {0, 1, 2, 3}) {
        SCOPED_TRACE(std::string(name) + (bottom == Bottom::kOld ? " old" : "") + " window " +
                     std::to_string(window));
        TrainedModel model = RandomModel(name);
        StackOf(model).bottom = bottom;
        StackOf(model).window = window;
        ExpectAveragesOfAllRuns(model, {model.Encode("a b # b a"), model.Encode("b b a a #")});
      }
    }
  }
}

TEST(TransitionAverages, OfTextAreThoseOfAllRunsSinceItsBeginning) {
  for (const char* name : {"rns-1-3", "vrns-2-1-2"}) {
    SCOPED_TRACE(name);
    const TrainedModel model = RandomTextModel(name, /*window=*/2);
    ExpectAveragesOfAllRuns(model, {model.Encode("a b\nb\n")});  // a b <eos> b <eos>
  }
}

// One state and one stack symbol, all weights 1, and a window of 1: an element may be on top in the
// step that pushed it only. Step 1 pushes or replaces the bottom, 1/2 each; the replacement leaves
// the bottom on top for too long, and its run ends, but it was made. In step 2 the other run
// pushes, replaces or pops, 1/3 each, although only the push is not forgotten at once.
TEST(TransitionAverages, CountWhatAWindowForgetsInTheSameStep) {
  TrainedModel model = ZeroModel("rns-1-1");
  StackOf(model).window = 1;
  const TransitionAverages found = AverageTransitions(model, Strings{model.Encode("a b #")});
  ASSERT_EQ(found.symbols.size(), 2u);
  const std::vector<std::vector<double>> expected = {{1.0 / 2, 1.0 / 2, 0},
                                                     {1.0 / 3, 1.0 / 3, 1.0 / 3}};
  for (std::size_t symbol = 0; symbol < 2; ++symbol) {
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_NEAR(found.symbols[symbol].average[n], expected[symbol][n], 1e-6) << symbol << n;
    }
  }
}

TEST(TransitionAverages, CountTheSymbolsOfThePositionsOnly) {
  const TrainedModel model = RandomModel("rns-1-2");
  const Strings strings = {model.Encode("a b # b a"), model.Encode("a # a")};
  const auto counts = [&](const char* rule) {
    std::string text;
    const TransitionAverages found =
        AverageTransitions(model, strings, ParsePositionRule(rule, model.vocabulary));
    for (const auto& symbol : found.symbols) {
      text += model.vocabulary.name(symbol.symbol) + std::to_string(symbol.count) + " ";
    }
    return text;
  };
  EXPECT_EQ(counts("all"), "a2 b2 #2 ");
  EXPECT_EQ(counts("first-half"), "a2 b1 #2 ");
  EXPECT_EQ(counts("second-half"), "b1 ");
  EXPECT_EQ(counts("after:#"), "b1 ");
  EXPECT_EQ(counts("until:a"), "a2 ");
}

TEST(TransitionAverages, NeedAStack) {
  EXPECT_THROW(AverageTransitions(ZeroModel("lstm"), Strings{{0, 1}}), Error);
}

TEST(Transitions, HaveWords) {
  const NondeterministicStackSpec spec = {.states = 2, .symbols = 3};
  // From q0 with ⊥ on top: push, replace, pop; 14 transitions of each of 6 pairs.
  const auto text = [&](std::size_t place) { return TransitionText(TransitionAt(spec, place)); };
  EXPECT_EQ(text(0), "push ⊥ on ⊥, staying in q0");
  EXPECT_EQ(text(4), "push 0 on ⊥, going from q0 to q1");
  EXPECT_EQ(text(6), "keep ⊥, staying in q0");
  EXPECT_EQ(text(8), "replace ⊥ by 1, staying in q0");
  EXPECT_EQ(text(13), "pop ⊥, going from q0 to q1");
  EXPECT_EQ(text(4 * 14 + 13), "pop 0, staying in q1");
}

}  // namespace
}  // namespace pushdown
