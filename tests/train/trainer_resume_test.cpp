// That neither threads nor interruptions change a bit of a training.

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/random.h"
#include "tests/train/training_problem.h"

namespace pushdown {
namespace {

using testing_oracle::AdvanceEpoch;
using testing_oracle::ExpectSame;
using testing_oracle::Train;
using testing_oracle::TrainingProblem;

TEST(TrainerResume, ThreadsChangeNothing) {
  for (const char* name : {"lstm", "sup-3-1", "rns-2-2", "vrns-1-2-2"}) {
    const TrainingProblem problem(name);
    Trainer alone = problem.Make(1);
    alone.Start(problem.parameters);
    const auto expected = Train(alone);
    ASSERT_EQ(expected.size(), 4u);
    for (int threads : {2, 3}) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(threads) + " threads");
      Trainer trainer = problem.Make(threads);
      trainer.Start(problem.parameters);
      const auto epochs = Train(trainer);
      ASSERT_EQ(epochs.size(), expected.size());
      for (std::size_t j = 0; j < epochs.size(); ++j) ExpectSame(epochs[j], expected[j]);
      ExpectSame(trainer.state(), alone.state());
    }
  }
}

TEST(TrainerResume, GoesOnFromAnyState) {
  const TrainingProblem problem;
  Trainer whole = problem.Make(1);
  whole.Start(problem.parameters);
  std::vector<TrainingState> states = {whole.state()};
  while (!whole.finished()) {
    whole.Advance();
    states.push_back(whole.state());
  }
  // In the middle of epochs, at their ends, before the first batch and after the last.
  Random random(1);
  std::vector<std::size_t> moments = {0, states.size() - 1};
  for (int j = 0; j < 8; ++j) moments.push_back(random.Below(states.size()));
  for (std::size_t moment : moments) {
    SCOPED_TRACE("after " + std::to_string(moment) + " advances");
    Trainer resumed = problem.Make(2);
    resumed.Restore(states[moment]);
    ExpectSame(resumed.state(), states[moment]);
    while (!resumed.finished()) resumed.Advance();
    ExpectSame(resumed.state(), whole.state());
    EXPECT_EQ(resumed.stop_reason(), whole.stop_reason());
  }
  // An object that has gone elsewhere leaves no trace.
  Trainer elsewhere = problem.Make(1);
  elsewhere.Start(std::vector<float>(problem.parameters.size(), 0.1f));
  for (int j = 0; j < 25; ++j) elsewhere.Advance();
  elsewhere.Restore(states[3]);
  Train(elsewhere);
  ExpectSame(elsewhere.state(), whole.state());
}

TEST(TrainerResume, AValidationCanBeStopped) {
  for (int threads : {1, 2}) {
    const TrainingProblem problem;
    Trainer whole = problem.Make(threads);
    whole.Start(problem.parameters);
    Train(whole);
    Trainer stopped = problem.Make(threads);
    stopped.Start(problem.parameters);
    while (stopped.state().batches < stopped.batches()) {
      EXPECT_FALSE(stopped.Advance([] { return true; })) << "a batch is not stopped";
    }
    const TrainingState before = stopped.state();
    EXPECT_FALSE(stopped.Advance([] { return true; }));
    ExpectSame(stopped.state(), before);
    EXPECT_TRUE(stopped.Advance([] { return false; }));
    Train(stopped);
    ExpectSame(stopped.state(), whole.state());
  }
}

TEST(TrainerResume, StartsAnew) {
  const TrainingProblem problem;
  Trainer trainer = problem.Make(1);
  trainer.Start(problem.parameters);
  const TrainingState at_first = trainer.state();
  Train(trainer);
  const TrainingState expected = trainer.state();
  trainer.Start(problem.parameters);
  ExpectSame(trainer.state(), at_first);
  Train(trainer);
  ExpectSame(trainer.state(), expected);
}

TEST(TrainerResume, SeedsChangeTheOrder) {
  TrainingProblem problem;
  problem.options.max_epochs = 1;
  Trainer first = problem.Make(1);
  first.Start(problem.parameters);
  Train(first);
  problem.reading.shuffle_seed = 2;
  Trainer second = problem.Make(1);
  second.Start(problem.parameters);
  Train(second);
  EXPECT_NE(first.state().parameters, second.state().parameters);
}

TEST(TrainerResume, RefusesStatesOfSomethingElse) {
  const TrainingProblem problem;
  Trainer trainer = problem.Make(1);
  trainer.Start(problem.parameters);
  AdvanceEpoch(trainer);
  trainer.Advance();
  const TrainingState good = trainer.state();
  EXPECT_NO_THROW(trainer.Restore(good));
  struct Damage {
    const char* what;
    std::function<void(TrainingState&)> apply;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Damage> damages = {
      {"no parameters", [](TrainingState& state) { state.parameters.clear(); }},
      {"too many parameters", [](TrainingState& state) { state.parameters.push_back(0); }},
      {"too few means", [](TrainingState& state) { state.optimizer.mean.pop_back(); }},
      {"too many squares", [](TrainingState& state) { state.optimizer.square.push_back(0); }},
      {"too few best parameters", [](TrainingState& state) { state.best_parameters.pop_back(); }},
      {"no best parameters", [](TrainingState& state) { state.best_parameters.clear(); }},
      {"batches before the first", [](TrainingState& state) { state.batches = -1; }},
      {"batches after the last",
       [&](TrainingState& state) { state.batches = trainer.batches() + 1; }},
      {"negative steps", [](TrainingState& state) { state.optimizer.steps = -1; }},
      {"a rate that is no number", [nan](TrainingState& state) { state.learning_rate = nan; }},
      {"a negative rate", [](TrainingState& state) { state.learning_rate = -1; }},
      {"more epochs than there are",
       [](TrainingState& state) { state.epochs.resize(1000, state.epochs[0]); }},
      {"negative bad epochs", [](TrainingState& state) { state.plateau.bad_epochs = -1; }},
      {"a best epoch to come", [](TrainingState& state) { state.early_stopping.best_epoch = 2; }},
  };
  for (const Damage& damage : damages) {
    TrainingState bad = good;
    damage.apply(bad);
    try {
      trainer.Restore(bad);
      ADD_FAILURE() << "takes a state with " << damage.what;
      trainer.Restore(good);
    } catch (const Error&) {
      ExpectSame(trainer.state(), good);
    }
  }
}

TEST(TrainerResume, RefusesParametersOfAnotherModel) {
  const TrainingProblem problem;
  Trainer trainer = problem.Make(1);
  auto parameters = problem.parameters;
  parameters.pop_back();
  EXPECT_THROW(trainer.Start(parameters), Error);
  EXPECT_THROW(trainer.Start({}), Error);
}

}  // namespace
}  // namespace pushdown
