// The semantics of PyTorch's ReduceLROnPlateau, and early stopping, by hand.

#include "pushdown/train/schedule.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace pushdown {
namespace {

// The rates after each of these epochs.
std::vector<double> Rates(const PlateauOptions& options, double rate,
                          const std::vector<double>& perplexities) {
  PlateauState state;
  std::vector<double> rates;
  for (double perplexity : perplexities) {
    rate = NextLearningRate(options, perplexity, rate, state);
    rates.push_back(rate);
  }
  return rates;
}

TEST(Plateau, HasThePapersDefaults) {
  const PlateauOptions options;
  EXPECT_EQ(options.factor, 0.9);
  EXPECT_EQ(options.patience, 5);
  EXPECT_EQ(options.threshold, 1e-4);
}

TEST(Plateau, RateFallsAfterTheSixthBadEpochInARow) {
  // The first epoch is the best; the second is the first bad one.
  EXPECT_EQ(Rates({}, 1, std::vector<double>(7, 10)), (std::vector<double>{1, 1, 1, 1, 1, 1, 0.9}));
}

TEST(Plateau, RateFallsAgainAfterSixMore) {
  const auto rates = Rates({}, 1, std::vector<double>(19, 10));
  for (int epoch = 1; epoch <= 19; ++epoch) {
    const double expected = epoch < 7 ? 1 : epoch < 13 ? 0.9 : epoch < 19 ? 0.81 : 0.729;
    EXPECT_NEAR(rates[static_cast<std::size_t>(epoch - 1)], expected, 1e-15) << epoch;
  }
}

TEST(Plateau, ImprovementStartsTheCountAgain) {
  // Five bad epochs, a good one, five bad ones: nothing. The sixth is too much.
  EXPECT_EQ(Rates({}, 1, {10, 10, 11, 12, 13, 14, 9, 9, 9, 9, 9, 9, 9}),
            (std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.9}));
}

TEST(Plateau, ImprovementIsOnTheBestNotOnTheLast) {
  // Each is better than the one before, but none better than the first.
  EXPECT_EQ(Rates({.patience = 1}, 1, {10, 30, 20, 15}), (std::vector<double>{1, 1, 0.9, 0.9}));
}

TEST(Plateau, ImprovementsBelowTheThresholdDoNotCount) {
  // To be an improvement on 10, it must be less than 9.999.
  EXPECT_EQ(Rates({.patience = 0}, 1, {10, 9.9995}), (std::vector<double>{1, 0.9}));
  EXPECT_EQ(Rates({.patience = 0}, 1, {10, 9.9985}), (std::vector<double>{1, 1}));
  // The threshold is relative ...
  EXPECT_EQ(Rates({.patience = 0}, 1, {1e-3, 0.9995e-3}), (std::vector<double>{1, 1}));
  EXPECT_EQ(Rates({.patience = 0}, 1, {1e6, 1e6 - 50}), (std::vector<double>{1, 0.9}));
  // ... and the best stays what it was, so that small improvements add up to one.
  EXPECT_EQ(Rates({.patience = 0}, 1, {10, 9.9995, 9.9989, 9.9985}),
            (std::vector<double>{1, 0.9, 0.9, 0.9 * 0.9}));
}

TEST(Plateau, StateIsThatOfPyTorch) {
  PlateauState state;
  double rate = NextLearningRate({.patience = 2}, 10, 1, state);
  EXPECT_TRUE(state.any);
  EXPECT_EQ(state.best, 10);
  EXPECT_EQ(state.bad_epochs, 0);
  rate = NextLearningRate({.patience = 2}, 12, rate, state);
  rate = NextLearningRate({.patience = 2}, 12, rate, state);
  EXPECT_EQ(state.best, 10);
  EXPECT_EQ(state.bad_epochs, 2);
  EXPECT_EQ(rate, 1);
  rate = NextLearningRate({.patience = 2}, 12, rate, state);
  EXPECT_EQ(state.bad_epochs, 0) << "starts again after the rate has fallen";
  EXPECT_EQ(rate, 0.9);
}

// PyTorch's eps: the change is not made, but the count starts again all the same.
TEST(Plateau, TinyChangesAreNotMade) {
  PlateauState state{.any = true, .best = 1, .bad_epochs = 5};
  EXPECT_EQ(NextLearningRate({}, 2, 9e-8, state), 9e-8) << "9e-9 less";
  EXPECT_EQ(state.bad_epochs, 0);
  state.bad_epochs = 5;
  EXPECT_DOUBLE_EQ(NextLearningRate({}, 2, 1.2e-7, state), 1.08e-7) << "1.2e-8 less";
}

TEST(Plateau, NanIsNoImprovement) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Rates({.patience = 0}, 1, {10, nan, 9}), (std::vector<double>{1, 0.9, 0.9}));
}

TEST(EarlyStopping, FirstEpochIsTheBest) {
  EarlyStoppingState state;
  EXPECT_TRUE(Improves(3.5, 1, state));
  EXPECT_TRUE(state.any);
  EXPECT_EQ(state.best, 3.5);
  EXPECT_EQ(state.best_epoch, 1);
  EXPECT_EQ(state.bad_epochs, 0);
}

TEST(EarlyStopping, AnyImprovementCounts) {
  EarlyStoppingState state;
  Improves(1, 1, state);
  EXPECT_TRUE(Improves(1 - 1e-12, 2, state));
  EXPECT_EQ(state.best_epoch, 2);
  EXPECT_FALSE(Improves(1 - 1e-12, 3, state)) << "no less than the best";
  EXPECT_EQ(state.best_epoch, 2);
  EXPECT_EQ(state.bad_epochs, 1);
}

TEST(EarlyStopping, CountsBadEpochsInARow) {
  EarlyStoppingState state;
  Improves(1, 1, state);
  EXPECT_FALSE(Improves(2, 2, state));
  EXPECT_FALSE(Improves(1.5, 3, state)) << "better than the last, not than the best";
  EXPECT_EQ(state.bad_epochs, 2);
  EXPECT_EQ(state.best, 1);
  EXPECT_TRUE(Improves(0.5, 4, state));
  EXPECT_EQ(state.bad_epochs, 0);
  EXPECT_EQ(state.best, 0.5);
  EXPECT_EQ(state.best_epoch, 4);
  EXPECT_FALSE(Improves(std::numeric_limits<double>::quiet_NaN(), 5, state));
  EXPECT_EQ(state.bad_epochs, 1);
  EXPECT_EQ(state.best, 0.5);
}

}  // namespace
}  // namespace pushdown
