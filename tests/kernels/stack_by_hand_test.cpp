// Small cases calculated by hand, and what is refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/nondeterministic_stack.h"
#include "tests/kernels/stack_oracle.h"

namespace pushdown {
namespace {

using testing_oracle::As;
using testing_oracle::LargestDifference;
using testing_oracle::RunStack;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// |Q| = 1, Gamma = {bottom, a}, one transition a step. Per source x: [push bottom, push a |
// replace by bottom, by a | pop].
constexpr int kBottomSymbol = 0;
constexpr int kA = 1;
std::vector<double> NoTransitions() { return std::vector<double>(10, kMinusInfinity); }

TEST(NondeterministicStackByHand, PushReplacePushPop) {
  // t=1: push a on bottom (weight 1) or replace bottom by bottom (weight 3): r = (3/4, 1/4).
  // t=2: on a: replace a by bottom (weight 2); on bottom: push a (weight 1).
  //      Runs: [bot, bot'] with 1 * 2 = 2; [bot, a] with 3 * 1 = 3: r = (2/5, 3/5).
  // t=3: on bottom: push a (weight 5); on a: pop (weight 1).
  //      Runs: [bot, bot', a] with 2 * 5 = 10; [bot] with 3 * 1 = 3: r = (3/13, 10/13).
  // t=4: on a: pop (weight 1); on bottom: replace by a (weight 7).
  //      Runs: [bot, bot'] with 10; [a] with 21: r = (10/31, 21/31).
  std::vector<double> logits;
  const auto add_step = [&logits](std::vector<std::pair<int, double>> weights) {
    std::vector<double> step = NoTransitions();
    for (auto [index, weight] : weights) step[index] = std::log(weight);
    logits.insert(logits.end(), step.begin(), step.end());
  };
  const auto push = [](int x, int y) { return 5 * x + y; };
  const auto replace = [](int x, int y) { return 5 * x + 2 + y; };
  const auto pop = [](int x) { return 5 * x + 4; };
  add_step({{push(kBottomSymbol, kA), 1.0}, {replace(kBottomSymbol, kBottomSymbol), 3.0}});
  add_step({{replace(kA, kBottomSymbol), 2.0}, {push(kBottomSymbol, kA), 1.0}});
  add_step({{push(kBottomSymbol, kA), 5.0}, {pop(kA), 1.0}});
  add_step({{pop(kA), 1.0}, {replace(kBottomSymbol, kA), 7.0}});
  const NondeterministicStackSpec spec{1, 2};
  const auto readings = RunStack<double>(spec, 4, {logits, {}, {}}, {}).readings;
  const std::vector<double> expected = {1,       0,        3.0 / 4,   1.0 / 4,   2.0 / 5,
                                        3.0 / 5, 3.0 / 13, 10.0 / 13, 10.0 / 31, 21.0 / 31};
  EXPECT_LT(LargestDifference(readings, expected), 1e-15);

  // With vectors v_0 = 1, v_t = 10^t: each run reads the vector of its top element. A replacement
  // keeps it. t=1: (3/4 * 1, 1/4 * 10). t=2: bot' has 10, a has 100: (2/5 * 10, 3/5 * 100).
  // t=3: [bot] has 1, the new a has 1000. t=4: bot' has 10, a, once bot, has 1.
  const NondeterministicStackSpec vector_spec{1, 2, 1};
  const auto vector_readings =
      RunStack<double>(vector_spec, 4, {logits, {10, 100, 1000, 10000}, {1}}, {}).readings;
  const std::vector<double> vector_expected = {
      1, 0, 3.0 / 4, 10.0 / 4, 20.0 / 5, 300.0 / 5, 3.0 / 13, 10000.0 / 13, 100.0 / 31, 21.0 / 31};
  EXPECT_LT(LargestDifference(vector_readings, vector_expected), 1e-12);
}

TEST(NondeterministicStackByHand, GradientOfOneStep) {
  // r_1(a) = w / (w + 1) for push a with weight w against replace by bottom with weight 1: the
  // derivative by log w is r(1 - r), that of r_1(bottom) the opposite.
  std::vector<double> logits = NoTransitions();
  logits[1] = std::log(3.0);  // push a
  logits[2] = 0;              // replace by bottom
  const auto gradients =
      RunStack<double>({1, 2}, 1, {logits, {}, {}}, {0, 0, 0, 1}).gradients.logits;
  EXPECT_DOUBLE_EQ(gradients[1], 3.0 / 4 * 1 / 4);
  EXPECT_DOUBLE_EQ(gradients[2], -3.0 / 4 * 1 / 4);
  for (std::size_t j : {0, 3, 4, 5, 6, 7, 8, 9}) EXPECT_EQ(gradients[j], 0) << j;
}

template <typename T>
std::string ErrorOf(const NondeterministicStackSpec& spec, int steps,
                    const std::vector<double>& logits) {
  try {
    RunStack<T>(spec, steps, {As<T>(logits), {}, {}}, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(NondeterministicStack, SaysAtWhichStepNoRunSurvives) {
  // Two pushes, three pops: the third would pop the bottom symbol.
  std::vector<double> logits;
  for (int t = 1; t <= 5; ++t) {
    const double push = t <= 2 ? 0 : kMinusInfinity;
    const double pop = t <= 2 ? kMinusInfinity : 0;
    logits.insert(logits.end(), {push, kMinusInfinity, pop});
  }
  for (const std::string& message :
       {ErrorOf<float>({1, 1}, 5, logits), ErrorOf<double>({1, 1}, 5, logits)}) {
    EXPECT_NE(message.find("no run"), std::string::npos) << message;
    EXPECT_NE(message.find("step 5"), std::string::npos) << message;
  }
  // With the old bottom, what lies directly above it cannot be popped either.
  const std::string old_message = ErrorOf<double>({1, 1, 0, 0, Bottom::kOld}, 5, logits);
  EXPECT_NE(old_message.find("step 4"), std::string::npos) << old_message;
  // Steps count from the beginning of the input, not of the chunk.
  NondeterministicStack<double> stack({1, 1, 0, /*window=*/6}, 1);
  double reading = 0;
  stack.Start(nullptr, &reading);
  try {
    for (int t = 0; t < 5; ++t) {
      stack.Step(logits.data() + 3 * t, nullptr, &reading);
      stack.Carry();
    }
    FAIL() << "a run survived";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("step 5"), std::string::npos) << error.what();
  }
}

// Push b, then c, then many times {push another c | keep c}; pop c; then only b can go on. The run
// that kept c throughout has a share of 2^-keeps among those with c on top, and is all that is left
// in the end.
template <typename T>
std::vector<T> LastReadingAfterKeeping(int keeps) {
  const NondeterministicStackSpec spec{1, 5};
  constexpr int kB = 1;
  constexpr int kC = 2;
  std::vector<double> logits;
  const auto add_step = [&](std::vector<std::pair<int, int>> transitions) {
    const std::size_t first = logits.size();
    logits.resize(first + static_cast<std::size_t>(spec.logits_size()), kMinusInfinity);
    for (auto [source, target] : transitions) {
      logits[first + static_cast<std::size_t>(source * spec.logits_per_pair() + target)] = 0;
    }
  };
  const int replace = spec.pairs();
  const int pop = 2 * spec.pairs();
  add_step({{0, kB}});
  add_step({{kB, kC}});
  for (int t = 0; t < keeps; ++t) add_step({{kC, kC}, {kC, replace + kC}});
  add_step({{kC, pop}});
  add_step({{kB, replace + kB}});
  const auto readings = RunStack<T>(spec, keeps + 4, {As<T>(logits), {}, {}}, {}).readings;
  return {readings.end() - spec.pairs(), readings.end()};
}

TEST(NondeterministicStack, RunsThatBecomeImprobableAreNotLost) {
  EXPECT_EQ(LastReadingAfterKeeping<float>(140), (std::vector<float>{0, 1, 0, 0, 0}));
  EXPECT_EQ(LastReadingAfterKeeping<float>(900), (std::vector<float>{0, 1, 0, 0, 0}));
  EXPECT_EQ(LastReadingAfterKeeping<double>(900), (std::vector<double>{0, 1, 0, 0, 0}));
}

TEST(NondeterministicStack, WhatIsBeyondTheRangeOfDoubleIsAnErrorThatSaysSo) {
  try {
    LastReadingAfterKeeping<double>(1100);
    FAIL() << "2^-1100 is not a double";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("range of double"), std::string::npos) << error.what();
  }
}

TEST(NondeterministicStack, NotANumberIsRefused) {
  for (double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (std::size_t where : {0, 4, 9}) {
      std::vector<double> logits(20, 0.0);
      logits[10 + where] = bad;
      const std::string message = ErrorOf<double>({1, 2}, 2, logits);
      EXPECT_NE(message.find("step 2"), std::string::npos) << message;
    }
  }
}

TEST(NondeterministicStack, MisuseIsRefused) {
  NondeterministicStack<double> stack({1, 2}, 1);
  std::vector<double> logits(10, 0.0);
  std::vector<double> reading(2);
  EXPECT_THROW(stack.Step(logits.data(), nullptr, reading.data()), Error) << "not started";
  stack.Start(nullptr, reading.data());
  EXPECT_THROW(stack.BackwardStep(reading.data(), logits.data(), nullptr), Error) << "no step yet";
  stack.Step(logits.data(), nullptr, reading.data());
  EXPECT_THROW(stack.Step(logits.data(), nullptr, reading.data()), Error) << "made for one step";
  EXPECT_THROW(stack.BackwardStart(reading.data(), nullptr), Error) << "a step is not undone";
  NondeterministicStack<double> forward_only({1, 2}, 1, /*gradients=*/false);
  forward_only.Start(nullptr, reading.data());
  forward_only.Step(logits.data(), nullptr, reading.data());
  EXPECT_THROW(forward_only.BackwardStep(reading.data(), logits.data(), nullptr), Error);
  NondeterministicStack<double> with_vectors({1, 2, 3}, 1);
  EXPECT_THROW(with_vectors.Start(nullptr, reading.data()), Error) << "no bottom vector";
  EXPECT_THROW(NondeterministicStack<float>({4096, 1}, 1000000), Error) << "too large";
}

TEST(NondeterministicStack, OnlyDifferencesOfLogitsMatter) {
  // Push a with weight 3 against replace by bottom with weight 1, at any scale that has the digits.
  for (double shift : {-1e12, -700.0, 0.0, 700.0, 1e12}) {
    std::vector<double> logits = NoTransitions();
    logits[1] = shift + std::log(3.0);
    logits[2] = shift;
    const auto readings = RunStack<double>({1, 2}, 1, {logits, {}, {}}, {}).readings;
    EXPECT_NEAR(readings[3], 0.75, 1e-15 * std::max(1.0, std::abs(shift))) << shift;
  }
}

TEST(NondeterministicStack, PaperCodeTakesLogitsOfAnySize) {
  const NondeterministicStackSpec spec{1, 2, 1, 0, Bottom::kFixed, InitialVector::kPaperCode};
  // All weights alike: the totals of both simulations underflow, their ratio does not. At t = 1
  // each of the two starts has one replacement to each symbol against 2 * (2 + 2) / 2 = 4 runs from
  // the bottom, so v_0 has weight 2/4 at both.
  const std::vector<double> small(10, -1e308);
  EXPECT_LT(LargestDifference(RunStack<double>(spec, 1, {small, {0}, {1}}, {}).readings,
                              std::vector<double>{1, 1, 0.5, 0.5}),
            1e-15);
  // Only pushes, e^800 apart: v_0 is not in the reading at all.
  std::vector<double> pushes(10, kMinusInfinity);
  pushes[1] = 0;
  pushes[6] = 800;
  EXPECT_EQ(RunStack<double>(spec, 1, {pushes, {3}, {1}}, {}).readings,
            (std::vector<double>{1, 1, 0, 3}));
}

TEST(NondeterministicStack, PaperCodeOverflowIsAnErrorNotInfinity) {
  // Runs from (q_0, a), which the paper's code lets start too, weigh e^800 times those from bottom.
  std::vector<double> logits(10, -400.0);
  for (std::size_t j = 5; j < 10; ++j) logits[j] = 400;
  const NondeterministicStackSpec spec{1, 2, 1, 0, Bottom::kFixed, InitialVector::kPaperCode};
  try {
    RunStack<double>(spec, 1, {logits, {0.5}, {0.5}}, {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("step 1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pushdown
