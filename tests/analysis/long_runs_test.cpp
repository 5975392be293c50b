// Runs of sequences that are too long for an enumeration.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <set>
#include <stdexcept>
#include <vector>

#include "pushdown/analysis/automaton_runs.h"
#include "pushdown/error.h"
#include "tests/kernels/random_stack.h"

namespace pushdown {
namespace {

using testing_oracle::RandomLogits;

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// The recurrences of the paper as they are written there, with maxima in place of sums.
class MaxPlusReference {
 public:
  MaxPlusReference(const NondeterministicStackSpec& spec, int steps,
                   const std::vector<double>& logits)
      : spec_(spec), pairs_(spec.pairs()), steps_(steps), logits_(logits) {
    const auto size = static_cast<std::size_t>(steps + 2);
    gamma_.assign(size * size * pairs_ * pairs_, kImpossible);
    alpha_.assign(size * pairs_, kImpossible);
    const bool fixed = spec.bottom == Bottom::kFixed;
    if (fixed) Gamma(-1, 0, 0, 0) = 0;
    Alpha(fixed ? -1 : 0, 0) = 0;
    if (fixed) Alpha(0, 0) = 0;
    for (int t = 1; t <= steps; ++t) {
      const int oldest = fixed ? -1 : 0;
      const int first = spec.window > 0 ? std::max(oldest, t - spec.window) : oldest;
      for (int i = first; i < t; ++i) Column(first, i, t);
      for (int ry = 0; ry < pairs_; ++ry) {
        for (int i = first; i < t; ++i) {
          for (int qx = 0; qx < pairs_; ++qx) {
            Alpha(t, ry) = std::max(Alpha(t, ry), Alpha(i, qx) + Gamma(i, t, qx, ry));
          }
        }
      }
    }
  }

  double Best(int ry) { return Alpha(steps_, ry); }

 private:
  void Column(int first, int i, int t) {
    for (int qx = 0; qx < pairs_; ++qx) {
      for (int ry = 0; ry < pairs_; ++ry) {
        double& best = Gamma(i, t, qx, ry);
        if (i == t - 1) {
          best = Logit(t, qx, ry);
          continue;
        }
        for (int sz = 0; sz < pairs_; ++sz) {
          best = std::max(best, Gamma(i, t - 1, qx, sz) + Logit(t, sz, pairs_ + ry));
        }
        for (int k = std::max(i, first) + 1; k <= t - 2; ++k) {
          for (int u = 0; u < spec_.states; ++u) {
            const int uy = u * spec_.symbols + ry % spec_.symbols;
            for (int sz = 0; sz < pairs_; ++sz) {
              best = std::max(best, Gamma(i, k, qx, uy) + Gamma(k, t - 1, uy, sz) +
                                        Logit(t, sz, 2 * pairs_ + ry / spec_.symbols));
            }
          }
        }
      }
    }
  }
  double Logit(int t, int from, int place) const {
    return logits_[(static_cast<std::size_t>(t - 1) * pairs_ + from) * spec_.logits_per_pair() +
                   place];
  }
  double& Gamma(int i, int t, int qx, int ry) {
    const auto size = static_cast<std::size_t>(steps_ + 2);
    return gamma_[(((i + 1) * size + t) * pairs_ + qx) * pairs_ + ry];
  }
  double& Alpha(int t, int ry) { return alpha_[static_cast<std::size_t>(t + 1) * pairs_ + ry]; }

  const NondeterministicStackSpec spec_;
  const int pairs_;
  const int steps_;
  const std::vector<double>& logits_;
  std::vector<double> gamma_;
  std::vector<double> alpha_;
};

// The sum of the logits of a run, and whether it is one.
double Replayed(const NondeterministicStackSpec& spec, const std::vector<double>& logits,
                const std::vector<RunTransition>& transitions) {
  double sum = 0;
  int state = 0;
  std::vector<int> stack = {0};
  std::size_t row = 0;
  for (const RunTransition& transition : transitions) {
    const std::size_t from = (row + static_cast<std::size_t>(state * spec.symbols + stack.back())) *
                             spec.logits_per_pair();
    const int to = transition.state * spec.symbols + transition.symbol;
    state = transition.state;
    switch (transition.operation) {
      case StackOperation::kPush:
        sum += logits[from + to];
        stack.push_back(transition.symbol);
        break;
      case StackOperation::kReplace:
        sum += logits[from + spec.pairs() + to];
        stack.back() = transition.symbol;
        break;
      case StackOperation::kPop:
        if (stack.size() == 1) return kImpossible;
        sum += logits[from + 2 * spec.pairs() + state];
        stack.pop_back();
        break;
    }
    row += spec.pairs();
  }
  return sum;
}

struct LongCase {
  const char* name;
  NondeterministicStackSpec spec;
  int steps;
  double range;
  double zero_share;
};

std::ostream& operator<<(std::ostream& out, const LongCase& test_case) {
  return out << test_case.name;
}

class LongRunsTest : public testing::TestWithParam<LongCase> {
 protected:
  LongRunsTest()
      : logits_(RandomLogits(11, spec(), GetParam().steps, -GetParam().range, GetParam().range,
                             GetParam().zero_share)) {}

  const NondeterministicStackSpec& spec() const { return GetParam().spec; }

  std::vector<double> logits_;
};

TEST_P(LongRunsTest, BestRunsHaveTheWeightsOfTheReference) {
  MaxPlusReference reference(spec(), GetParam().steps, logits_);
  const AutomatonRuns runs(spec(), logits_);
  double best = kImpossible;
  for (int state = 0; state < spec().states; ++state) {
    for (int symbol = 0; symbol < spec().symbols; ++symbol) {
      const double expected = reference.Best(state * spec().symbols + symbol);
      best = std::max(best, expected);
      const std::vector<AutomatonRun> ending = runs.BestEndingIn(state, symbol, 1);
      ASSERT_EQ(ending.empty(), expected == kImpossible);
      if (ending.empty()) continue;
      EXPECT_NEAR(ending[0].log_weight, expected, 1e-9);
      EXPECT_NEAR(Replayed(spec(), logits_, ending[0].transitions), expected, 1e-9);
      EXPECT_EQ(ending[0].state(), state);
      EXPECT_EQ(ending[0].Stack().back(), symbol);
    }
  }
  EXPECT_NEAR(runs.Best(1).at(0).log_weight, best, 1e-9);
}

TEST_P(LongRunsTest, RunsComeInOrderAndOnlyOnce) {
  const AutomatonRuns runs(spec(), logits_);
  std::set<std::vector<int>> seen;
  double before = std::numeric_limits<double>::infinity();
  const std::vector<AutomatonRun> best = runs.Best(300);
  EXPECT_EQ(best.size(), 300u);
  for (const AutomatonRun& run : best) {
    EXPECT_LE(run.log_weight, before);
    before = run.log_weight;
    EXPECT_NEAR(Replayed(spec(), logits_, run.transitions), run.log_weight, 1e-9);
    std::vector<int> key;
    for (const RunTransition& each : run.transitions) {
      key.insert(key.end(), {static_cast<int>(each.operation), each.state, each.symbol});
    }
    EXPECT_TRUE(seen.insert(key).second) << "the same run again";
  }
  for (const AutomatonRun& run : runs.Sample(20, 5)) {
    EXPECT_NEAR(Replayed(spec(), logits_, run.transitions), run.log_weight, 1e-9);
    EXPECT_LE(run.log_weight, best[0].log_weight + 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, LongRunsTest,
    testing::Values(LongCase{"TwoByTwo", {.states = 2, .symbols = 2}, 40, 2, 0},
                    LongCase{"ThreeByThree", {.states = 3, .symbols = 3}, 24, 2, 0},
                    LongCase{"FarApart", {.states = 2, .symbols = 2}, 40, 200, 0},
                    LongCase{"Zeros", {.states = 2, .symbols = 3}, 30, 2, 0.7},
                    LongCase{
                        "OldBottom", {.states = 2, .symbols = 2, .bottom = Bottom::kOld}, 30, 2, 0},
                    LongCase{"Window", {.states = 2, .symbols = 2, .window = 7}, 60, 2, 0}),
    [](const auto& instance) { return instance.param.name; });

// With steps that can only push, and then only pop, there is one run.
TEST(AutomatonRuns, ASequenceOfAThousandSteps) {
  const NondeterministicStackSpec spec = {.states = 1, .symbols = 2};
  const int steps = 1000;
  std::vector<double> logits(static_cast<std::size_t>(steps * spec.logits_size()), kImpossible);
  for (int t = 0; t < steps; ++t) {
    for (int x = 0; x < 2; ++x) {
      double* row = logits.data() + (t * 2 + x) * spec.logits_per_pair();
      row[t < steps / 2 ? t % 2 : 4] = -1;
    }
  }
  const AutomatonRuns runs(spec, logits);
  const std::vector<AutomatonRun> best = runs.Best(2);
  ASSERT_EQ(best.size(), 1u);
  EXPECT_DOUBLE_EQ(best[0].log_weight, -steps);
  EXPECT_NEAR(best[0].probability, 1, 1e-9);
  EXPECT_EQ(best[0].Stack(), std::vector<int>{0});
  EXPECT_EQ(best[0].transitions, runs.Sample(1, 1)[0].transitions);
  const RunMarginals marginals = runs.Marginals();
  EXPECT_NEAR(marginals.expected_heights[steps / 2], steps / 2, 1e-9);
  EXPECT_NEAR(marginals.expected_heights_given_all[steps], 0, 1e-9);
  EXPECT_NEAR(marginals.pushed_in[steps / 2 + 1][steps / 2 - 1], 1, 1e-9);
}

TEST(AutomatonRuns, WeightsBeyondTheRangeOfNumbersCancel) {
  const NondeterministicStackSpec spec = {.states = 1, .symbols = 1};
  // Of push, replace and pop in two steps. The bottom cannot be popped.
  const std::vector<double> logits = {1e300, 1e300, 0, 1e300, 1e300, 1e300};
  const AutomatonRuns runs(spec, logits);
  const std::vector<AutomatonRun> best = runs.Best(10);
  ASSERT_EQ(best.size(), 5u);  // two ways, then three or two
  for (const AutomatonRun& run : best) EXPECT_NEAR(run.probability, 0.2, 1e-12);
}

TEST(AutomatonRuns, EverythingThatTakesLongCanBeStopped) {
  const NondeterministicStackSpec spec = {.states = 2, .symbols = 2};
  const std::vector<double> logits = RandomLogits(3, spec, 10, -1, 1);
  bool stop = false;
  const auto check = [&stop] {
    if (stop) throw std::runtime_error("stopped");
  };
  const AutomatonRuns runs(spec, logits, check);
  runs.Best(1);
  stop = true;
  EXPECT_THROW(AutomatonRuns(spec, logits, check), std::runtime_error);
  EXPECT_THROW(runs.Best(1), std::runtime_error);
  EXPECT_THROW(runs.BestStacks(1), std::runtime_error);
  EXPECT_THROW(runs.Sample(1, 1), std::runtime_error);
  EXPECT_THROW(runs.Marginals(), std::runtime_error);
  stop = false;
  EXPECT_EQ(runs.Best(1).size(), 1u);
  // A second time, everything is the same.
  EXPECT_EQ(runs.Marginals().transitions, runs.Marginals().transitions);
}

TEST(AutomatonRuns, MistakesAreErrors) {
  const NondeterministicStackSpec spec = {.states = 2, .symbols = 2};
  const std::vector<double> logits(static_cast<std::size_t>(spec.logits_size()), 0.0);
  EXPECT_THROW(AutomatonRuns(spec, std::span(logits).first(7)), Error);
  const AutomatonRuns runs(spec, logits);
  EXPECT_THROW(runs.Best(-1), Error);
  EXPECT_THROW(runs.BestEndingIn(2, 0, 1), Error);
  EXPECT_THROW(runs.BestEndingIn(0, -1, 1), Error);
  EXPECT_THROW(runs.Sample(-1, 1), Error);
  EXPECT_THROW(runs.alpha(2), Error);
  EXPECT_EQ(runs.StackProbability(std::vector<int>{}), 0);
  const std::vector<double> nothing(logits.size(), kImpossible);
  EXPECT_THROW(AutomatonRuns(spec, nothing), Error);
}

}  // namespace
}  // namespace pushdown
