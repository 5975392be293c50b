// Training of something that is carried from batch to batch.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/train/checkpoint.h"
#include "tests/train/carrying_objective.h"
#include "tests/train/training_problem.h"

namespace pushdown {
namespace {

using testing_oracle::ExpectSame;
using testing_oracle::MakeCarryingTrainer;
using testing_oracle::Train;

std::vector<float> Start(const Trainer& trainer) {
  std::vector<float> parameters(trainer.layout().size);
  for (std::size_t n = 0; n < parameters.size(); ++n) {
    parameters[n] = 0.01F * static_cast<float>(n);
  }
  return parameters;
}

// Through a file, from every moment, with another object each time.
TEST(TrainerCarried, GoesOnFromAnyBatch) {
  for (const Optimizer optimizer : {Optimizer::kAdam, Optimizer::kSgd}) {
    Trainer whole = MakeCarryingTrainer(optimizer);
    whole.Start(Start(whole));
    std::vector<std::string> files;
    while (!whole.finished()) {
      files.push_back(SerializeCheckpoint(whole.layout(), {whole.state(), "{}", whole.Carried()}));
      whole.Advance();
    }
    ASSERT_EQ(files.size(), 4u * (7 + 1));
    for (std::size_t moment = 0; moment < files.size(); ++moment) {
      SCOPED_TRACE("after " + std::to_string(moment) + " advances");
      Trainer resumed = MakeCarryingTrainer(optimizer, 2);
      Checkpoint checkpoint = ParseCheckpoint(files[moment], resumed.layout());
      resumed.Restore(checkpoint.state, checkpoint.carried);
      Train(resumed);
      ExpectSame(resumed.state(), whole.state());
    }
  }
}

TEST(TrainerCarried, NothingBetweenEpochs) {
  Trainer trainer = MakeCarryingTrainer(Optimizer::kSgd);
  trainer.Start(Start(trainer));
  for (int advance = 0; advance < 2 * (7 + 1); ++advance) {
    const int batches = trainer.state().batches;
    EXPECT_EQ(trainer.Carried().empty(), batches == 0 || batches == 7) << batches;
    trainer.Advance();
  }
}

TEST(TrainerCarried, MustBeThereWhereItIsNeeded) {
  Trainer trainer = MakeCarryingTrainer(Optimizer::kSgd);
  trainer.Start(Start(trainer));
  const TrainingState first = trainer.state();
  trainer.Advance();
  const TrainingState good = trainer.state();
  const std::string carried = trainer.Carried();
  EXPECT_NO_THROW(trainer.Restore(good, carried));
  EXPECT_THROW(trainer.Restore(good), Error);
  EXPECT_THROW(trainer.Restore(good, carried + "x"), Error);
  EXPECT_THROW(trainer.Restore(first, carried), Error) << "an epoch begins with nothing";
  ExpectSame(trainer.state(), good);
}

TEST(TrainerCarried, OptimisersAreNotMixedUp) {
  Trainer adam = MakeCarryingTrainer(Optimizer::kAdam);
  Trainer sgd = MakeCarryingTrainer(Optimizer::kSgd);
  adam.Start(Start(adam));
  sgd.Start(Start(sgd));
  const TrainingState with = adam.state();
  const TrainingState without = sgd.state();
  EXPECT_THROW(adam.Restore(without), Error);
  EXPECT_THROW(sgd.Restore(with), Error);
}

// Adam moves a parameter on even while it has no gradient, which must then be zero and not an
// earlier one: with betas of 0, the step is by the gradient alone.
TEST(TrainerCarried, AdamTakesNoGradientForZero) {
  TrainingOptions options;
  options.adam.beta1 = 0;
  options.adam.beta2 = 0;
  Trainer trainer(std::make_unique<testing_oracle::CarryingObjective>(1), options);
  trainer.Start(Start(trainer));
  trainer.Advance();
  const float before = trainer.state().parameters[0];
  trainer.Advance();  // its gradients are those of parameters 1, 4, ..
  EXPECT_EQ(trainer.state().parameters[0], before);
  EXPECT_EQ(trainer.state().optimizer.mean[0], 0);
}

// What strings are trained with carries nothing.
TEST(TrainerCarried, StringsCarryNothing) {
  const testing_oracle::TrainingProblem problem("lstm");
  Trainer trainer = problem.Make(1);
  trainer.Start(problem.parameters);
  trainer.Advance();
  EXPECT_EQ(trainer.Carried(), "");
  EXPECT_THROW(trainer.Restore(trainer.state(), "x"), Error);
}

}  // namespace
}  // namespace pushdown
