#include "pushdown/analysis/automaton_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "tests/analysis/run_list.h"
#include "tests/formal/chi_squared.h"
#include "tests/kernels/random_stack.h"

namespace pushdown {
namespace {

using testing_oracle::ListedRun;
using testing_oracle::RandomLogits;
using testing_oracle::RunList;

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// Tells runs apart.
std::vector<int> Key(const std::vector<RunTransition>& transitions) {
  std::vector<int> numbers;
  for (const RunTransition& each : transitions) {
    numbers.insert(numbers.end(), {static_cast<int>(each.operation), each.state, each.symbol});
  }
  return numbers;
}

struct Case {
  std::string name;
  NondeterministicStackSpec spec;
  int steps;
  double zero_share = 0;
  bool ties = false;  // logits are whole numbers, so that many runs have the same weight
};

std::ostream& operator<<(std::ostream& out, const Case& test_case) { return out << test_case.name; }

std::vector<Case> Cases() {
  return {
      {"NoSteps", {.states = 2, .symbols = 3}, 0},
      {"OneStep", {.states = 2, .symbols = 3}, 1},
      {"OneStateOneSymbol", {.states = 1, .symbols = 1}, 8},
      {"OneState", {.states = 1, .symbols = 2}, 7},
      {"OneSymbol", {.states = 2, .symbols = 1}, 6},
      {"TwoByTwo", {.states = 2, .symbols = 2}, 4},
      {"ThreeByTwo", {.states = 3, .symbols = 2}, 4},
      {"Vectors", {.states = 2, .symbols = 2, .vector_size = 3}, 4},
      {"PaperCode",
       {.states = 2, .symbols = 2, .vector_size = 3, .initial_vector = InitialVector::kPaperCode},
       4},
      {"OldBottom", {.states = 2, .symbols = 2, .bottom = Bottom::kOld}, 5},
      {"Zeros", {.states = 2, .symbols = 2}, 5, 0.6},
      {"Sparse", {.states = 2, .symbols = 3}, 8, 0.97},
      {"Ties", {.states = 2, .symbols = 2}, 5, 0.3, true},
      {"Window", {.states = 1, .symbols = 2, .window = 3}, 8},
      {"WindowOfTwo", {.states = 2, .symbols = 2, .window = 2}, 5},
      {"WindowOfOne", {.states = 2, .symbols = 2, .window = 1}, 4},
      {"WindowAndZeros", {.states = 2, .symbols = 2, .window = 3}, 5, 0.6},
      {"WindowAndTies", {.states = 1, .symbols = 2, .window = 3}, 7, 0.2, true},
      {"WindowAndOldBottom", {.states = 1, .symbols = 2, .window = 3, .bottom = Bottom::kOld}, 7}};
}

class AutomatonRunsTest : public testing::TestWithParam<Case> {
 protected:
  AutomatonRunsTest() : logits_(RandomLogits(7, spec(), steps(), -2, 2, GetParam().zero_share)) {
    if (GetParam().ties) {
      for (double& logit : logits_) logit = std::round(logit);
    }
    // Sparse steps have few pushes, too.
    if (GetParam().zero_share > 0.9) {
      Random random(8);
      for (double& logit : logits_) {
        if (random.Uniform() < 0.7) logit = kImpossible;
      }
    }
  }

  const NondeterministicStackSpec& spec() const { return GetParam().spec; }
  int steps() const { return GetParam().steps; }

  // The runs of the enumeration, best first.
  static std::vector<ListedRun> Sorted(const RunList& list) {
    std::vector<ListedRun> runs = list.runs();
    std::stable_sort(runs.begin(), runs.end(), [](const ListedRun& a, const ListedRun& b) {
      return a.log_weight > b.log_weight;
    });
    return runs;
  }

  // Runs with equal weights may come in any order, and the last of them may be others: each run
  // must be in the list, once, with its weight, and the weights must be the list's best.
  static void ExpectBest(const std::vector<AutomatonRun>& actual,
                         const std::vector<ListedRun>& expected, double log_weight) {
    std::map<std::vector<int>, const ListedRun*> known;
    for (const ListedRun& run : expected) known[Key(run.transitions)] = &run;
    for (std::size_t n = 0; n < actual.size(); ++n) {
      SCOPED_TRACE(n);
      ASSERT_LT(n, expected.size());
      EXPECT_NEAR(actual[n].log_weight, expected[n].log_weight, 1e-10);
      EXPECT_NEAR(actual[n].probability, std::exp(expected[n].log_weight - log_weight), 1e-10);
      const auto found = known.find(Key(actual[n].transitions));
      ASSERT_NE(found, known.end()) << "no such run, or the same one again";
      EXPECT_NEAR(found->second->log_weight, actual[n].log_weight, 1e-10);
      EXPECT_EQ(actual[n].Stack(), found->second->stack);
      EXPECT_EQ(actual[n].state(), found->second->pairs.back() / GetParam().spec.symbols);
      known.erase(found);
    }
  }

  std::vector<double> logits_;
};

TEST_P(AutomatonRunsTest, BestRunsAreThoseOfTheEnumeration) {
  const RunList list(spec(), steps(), logits_);
  ASSERT_FALSE(list.runs().empty());
  const AutomatonRuns runs(spec(), logits_);
  EXPECT_NEAR(runs.log_weight(), list.LogWeight(), 1e-10);
  const std::vector<ListedRun> expected = Sorted(list);
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{10}, std::size_t{500}}) {
    SCOPED_TRACE(count);
    const std::vector<AutomatonRun> best = runs.Best(static_cast<int>(count));
    EXPECT_EQ(best.size(), std::min(count, expected.size()));
    ExpectBest(best, expected, list.LogWeight());
  }
}

TEST_P(AutomatonRunsTest, AllRunsAreFoundOnce) {
  const RunList list(spec(), steps(), logits_);
  const std::vector<AutomatonRun> all = AutomatonRuns(spec(), logits_).Best(1 << 20);
  EXPECT_EQ(all.size(), list.runs().size());
  ExpectBest(all, Sorted(list), list.LogWeight());
}

TEST_P(AutomatonRunsTest, BestRunsThatEndInAPair) {
  const RunList list(spec(), steps(), logits_);
  const AutomatonRuns runs(spec(), logits_);
  for (int state = 0; state < spec().states; ++state) {
    for (int symbol = 0; symbol < spec().symbols; ++symbol) {
      SCOPED_TRACE(testing::Message() << "state " << state << ", symbol " << symbol);
      std::vector<ListedRun> expected = Sorted(list);
      std::erase_if(expected, [&](const ListedRun& run) {
        return run.pairs.back() != state * spec().symbols + symbol;
      });
      const std::vector<AutomatonRun> best = runs.BestEndingIn(state, symbol, 20);
      EXPECT_EQ(best.size(), std::min<std::size_t>(20, expected.size()));
      ExpectBest(best, expected, list.LogWeight());
    }
  }
}

TEST_P(AutomatonRunsTest, BestStacksAreThoseOfTheEnumeration) {
  const RunList list(spec(), steps(), logits_);
  const AutomatonRuns runs(spec(), logits_);
  std::map<std::vector<int>, double> best;
  std::map<std::vector<int>, double> total;
  for (const ListedRun& run : list.runs()) {
    const auto place = best.try_emplace(run.stack, run.log_weight).first;
    place->second = std::max(place->second, run.log_weight);
    total[run.stack] += list.Probability(run);
  }
  std::vector<double> expected;
  for (const auto& [stack, log_weight] : best) expected.push_back(log_weight);
  std::sort(expected.begin(), expected.end(), std::greater<>());
  const std::vector<StackOutcome> actual = runs.BestStacks(40);
  ASSERT_EQ(actual.size(), std::min<std::size_t>(40, expected.size()));
  for (std::size_t n = 0; n < actual.size(); ++n) {
    SCOPED_TRACE(n);
    const std::vector<int> stack = actual[n].best.Stack();
    EXPECT_NEAR(actual[n].best.log_weight, expected[n], 1e-10);
    ASSERT_TRUE(best.contains(stack)) << "no such stack, or the same one again";
    EXPECT_NEAR(best[stack], expected[n], 1e-10);
    EXPECT_NEAR(actual[n].probability, total[stack], 1e-10);
    best.erase(stack);
  }
}

TEST_P(AutomatonRunsTest, MarginalsAreThoseOfTheEnumeration) {
  const AutomatonRuns runs(spec(), logits_);
  const RunMarginals marginals = runs.Marginals();
  const auto size = static_cast<std::size_t>(spec().logits_size());
  const auto rows = static_cast<std::size_t>(steps()) + 1;
  ASSERT_EQ(marginals.transitions.size(), logits_.size());
  ASSERT_EQ(marginals.heights.size(), rows);
  ASSERT_EQ(marginals.pushed_in.size(), rows);
  ASSERT_EQ(marginals.expected_heights.size(), rows);
  ASSERT_EQ(marginals.expected_heights_given_all.size(), rows);

  const RunList list(spec(), steps(), logits_);
  std::vector<double> transitions(logits_.size());
  std::vector<double> heights_given_all(rows);
  for (const ListedRun& run : list.runs()) {
    const double probability = list.Probability(run);
    for (std::size_t t = 0; t < run.places.size(); ++t) {
      transitions[t * size + static_cast<std::size_t>(run.places[t])] += probability;
    }
    for (std::size_t t = 0; t < rows; ++t) heights_given_all[t] += probability * run.heights[t];
  }
  for (std::size_t n = 0; n < transitions.size(); ++n) {
    ASSERT_NEAR(marginals.transitions[n], transitions[n], 1e-10) << n;
  }
  for (std::size_t t = 0; t < rows; ++t) {
    SCOPED_TRACE(t);
    EXPECT_NEAR(marginals.expected_heights_given_all[t], heights_given_all[t], 1e-10);
    // Up to t, all runs of t steps count.
    const RunList prefix(spec(), static_cast<int>(t), logits_);
    std::vector<double> heights(t + 1);
    std::vector<double> pushed_in(t + 1);
    std::vector<double> alpha(static_cast<std::size_t>(spec().pairs()));
    double mean = 0;
    for (const ListedRun& run : prefix.runs()) {
      const double probability = prefix.Probability(run);
      heights[static_cast<std::size_t>(run.heights[t])] += probability;
      pushed_in[static_cast<std::size_t>(run.pushed_in[t])] += probability;
      alpha[static_cast<std::size_t>(run.pairs[t])] += probability;
      mean += probability * run.heights[t];
    }
    ASSERT_EQ(marginals.heights[t].size(), t + 1);
    ASSERT_EQ(marginals.pushed_in[t].size(), t + 1);
    for (std::size_t n = 0; n <= t; ++n) {
      EXPECT_NEAR(marginals.heights[t][n], heights[n], 1e-10);
      EXPECT_NEAR(marginals.pushed_in[t][n], pushed_in[n], 1e-10);
    }
    EXPECT_NEAR(marginals.expected_heights[t], mean, 1e-10);
    for (std::size_t pair = 0; pair < alpha.size(); ++pair) {
      EXPECT_NEAR(runs.alpha(static_cast<int>(t))[pair], alpha[pair], 1e-10);
    }
  }
}

TEST_P(AutomatonRunsTest, SamplesFollowTheDistribution) {
  const RunList list(spec(), steps(), logits_);
  std::map<std::vector<int>, double> probabilities;
  for (const ListedRun& run : list.runs()) {
    probabilities[Key(run.transitions)] = list.Probability(run);
  }
  std::vector<std::vector<int>> outcomes;
  for (const AutomatonRun& run : AutomatonRuns(spec(), logits_).Sample(20000, 3)) {
    outcomes.push_back(Key(run.transitions));
    ASSERT_TRUE(probabilities.contains(outcomes.back())) << "not a run, or one of weight zero";
    ASSERT_NEAR(run.probability, probabilities[outcomes.back()], 1e-10);
  }
  if (probabilities.size() > 1) {
    EXPECT_TRUE(testing_oracle::HasProbabilities(outcomes, probabilities));
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, AutomatonRunsTest, testing::ValuesIn(Cases()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace pushdown
