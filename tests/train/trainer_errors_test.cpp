// What a training refuses, and what it says where it cannot go on.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "tests/train/carrying_objective.h"
#include "tests/train/training_problem.h"

namespace pushdown {
namespace {

using testing_oracle::AdvanceEpoch;
using testing_oracle::MakeTrainer;
using testing_oracle::Strings;
using testing_oracle::Train;
using testing_oracle::TrainingProblem;

// NaN is not equal to itself, hence bytes.
std::string Bytes(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// The message has `place` in it, the error the norms of all parameters, and nothing has changed.
void ExpectDivergence(Trainer& trainer, const std::string& place) {
  const TrainingState before = trainer.state();
  try {
    trainer.Advance();
    FAIL() << "no Error";
  } catch (const DivergedError& error) {
    EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
    for (const ParameterTensor& tensor : trainer.layout().tensors) {
      EXPECT_NE(error.parameter_norms().find(tensor.name + " "), std::string::npos)
          << tensor.name << " in " << error.parameter_norms();
    }
  }
  const TrainingState& after = trainer.state();
  EXPECT_EQ(Bytes(after.parameters), Bytes(before.parameters));
  EXPECT_EQ(Bytes(after.best_parameters), Bytes(before.best_parameters));
  EXPECT_EQ(Bytes(after.optimizer.mean), Bytes(before.optimizer.mean));
  EXPECT_EQ(Bytes(after.optimizer.square), Bytes(before.optimizer.square));
  EXPECT_EQ(after.optimizer.steps, before.optimizer.steps);
  EXPECT_EQ(after.learning_rate, before.learning_rate);
  EXPECT_EQ(after.batches, before.batches);
  EXPECT_EQ(after.loss, before.loss);
  EXPECT_EQ(after.largest_gradient_norm, before.largest_gradient_norm);
  EXPECT_EQ(after.epochs.size(), before.epochs.size());
  EXPECT_EQ(after.plateau.bad_epochs, before.plateau.bad_epochs);
  EXPECT_EQ(after.early_stopping.bad_epochs, before.early_stopping.bad_epochs);
}

TEST(TrainerErrors, DivergenceIsAnErrorThatNamesThePlace) {
  for (const char* name : {"lstm", "sup-h", "rns-2-2", "vrns-1-2-2"}) {
    SCOPED_TRACE(name);
    const TrainingProblem problem(name);
    Trainer trainer = problem.Make(2);
    trainer.Start(problem.parameters);
    AdvanceEpoch(trainer);
    for (int j = 0; j < 4; ++j) trainer.Advance();
    // What training might have come to by itself, in one parameter that every string depends on.
    TrainingState state = trainer.state();
    state.parameters[trainer.layout().output.bias] = std::numeric_limits<float>::quiet_NaN();
    trainer.Restore(state);
    ExpectDivergence(trainer, "epoch 2, batch 5");
  }
}

// Sums of such parameters are beyond the range of float.
TEST(TrainerErrors, OverflowIsAnError) {
  for (const char* name : {"lstm", "rns-2-2"}) {
    SCOPED_TRACE(name);
    const TrainingProblem problem(name);
    Trainer trainer = problem.Make(1);
    trainer.Start(std::vector<float>(problem.parameters.size(), 3e38f));
    ExpectDivergence(trainer, "epoch 1, batch 1");
  }
}

// Training strings do not have the symbol whose weights are not finite, validation strings do.
TEST(TrainerErrors, DivergenceInValidationIsAnErrorToo) {
  TrainingProblem problem("lstm");
  problem.spec.symbols = 3;
  problem.validation = {{0, 2, 1}};
  Trainer trainer = problem.Make(1);
  // Only the validation set has symbol 2, which is improbable beyond what a perplexity can say.
  std::vector<float> parameters(trainer.layout().size, 0.1f);
  parameters[trainer.layout().output.bias + 2] = -1e4F;
  trainer.Start(parameters);
  while (trainer.state().batches < trainer.batches()) trainer.Advance();
  ExpectDivergence(trainer, "epoch 1");
}

// The norms are those of the parameters: 0.5 * sqrt(20) of 20 times 0.5.
TEST(TrainerErrors, DivergenceTellsTheNormsOfTheParameters) {
  const TrainingProblem problem("lstm");
  Trainer trainer = problem.Make(1);
  std::vector<float> parameters(problem.parameters.size());
  const AffineLayer& layer = trainer.layout().controller;
  std::fill_n(parameters.begin() + static_cast<std::ptrdiff_t>(layer.bias), 20, 0.5f);
  parameters[trainer.layout().output.bias] = std::numeric_limits<float>::infinity();
  trainer.Start(parameters);
  try {
    trainer.Advance();
    FAIL() << "no Error";
  } catch (const DivergedError& error) {
    EXPECT_NE(error.parameter_norms().find("controller.bias 2.23"), std::string::npos)
        << error.parameter_norms();
    EXPECT_NE(error.parameter_norms().find("controller.weights 0"), std::string::npos)
        << error.parameter_norms();
  }
}

// An objective that always fails with one kind of error.
class FailingObjective : public testing_oracle::CarryingObjective {
 public:
  FailingObjective(ErrorKind kind, bool in_validation)
      : CarryingObjective(1), kind_(kind), in_validation_(in_validation) {}
  double Gradient(int epoch, int batch, std::span<const float> parameters,
                  std::span<float> gradient) override {
    if (!in_validation_) throw Error(kind_, "F", "what happened");
    return CarryingObjective::Gradient(epoch, batch, parameters, gradient);
  }
  double Validate(std::span<const float> /*parameters*/,
                  const std::function<void()>& /*check*/) override {
    throw Error(kind_, "F", "what happened");
  }

 private:
  ErrorKind kind_;
  bool in_validation_;
};

TEST(TrainerErrors, OnlyNumericErrorsAreADivergence) {
  for (const bool in_validation : {false, true}) {
    for (const ErrorKind kind :
         {ErrorKind::kInput, ErrorKind::kLimit, ErrorKind::kNumeric, ErrorKind::kSystem}) {
      auto objective = std::make_unique<FailingObjective>(kind, in_validation);
      const std::size_t size = objective->layout().size;
      Trainer trainer(std::move(objective), TrainingOptions());
      trainer.Start(std::vector<float>(size, 0.5F));
      try {
        while (true) trainer.Advance();
      } catch (const DivergedError& error) {
        EXPECT_EQ(kind, ErrorKind::kNumeric);
        EXPECT_EQ(error.kind(), ErrorKind::kNumeric);
        EXPECT_EQ(error.function(), "pushdown::Trainer");
        EXPECT_TRUE(error.message().ends_with(": what happened")) << error.message();
      } catch (const Error& error) {
        EXPECT_NE(kind, ErrorKind::kNumeric);
        EXPECT_EQ(error.kind(), kind);
        EXPECT_EQ(error.function(), "F");
        EXPECT_EQ(error.message(), "what happened");
        EXPECT_STREQ(error.what(), "[F] what happened");
      }
    }
  }
}

TEST(TrainerErrors, AHugeRateEndsInAnErrorOrAFiniteLoss) {
  TrainingProblem problem;
  problem.options.learning_rate = 1e3;
  problem.options.clipping = 1e6;
  Trainer trainer = problem.Make(1);
  trainer.Start(problem.parameters);
  try {
    for (const EpochMetrics& metrics : Train(trainer)) {
      EXPECT_TRUE(std::isfinite(metrics.training_cross_entropy));
      EXPECT_TRUE(std::isfinite(metrics.validation_cross_entropy));
    }
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("epoch"), std::string::npos) << error.what();
  }
  for (float parameter : trainer.state().parameters) ASSERT_TRUE(std::isfinite(parameter));
}

TEST(TrainerErrors, RefusesNothingToTrainOnOrToValidateWith) {
  const TrainingProblem problem;
  const Strings none;
  EXPECT_THROW(StringsObjective(problem.spec, none, problem.validation, {}, 1), Error);
  EXPECT_THROW(StringsObjective(problem.spec, problem.training, none, {}, 1), Error);
}

// Whether in the training set or in the validation set, and whenever that is noticed. It is no
// divergence: other parameters would not help.
TEST(TrainerErrors, RefusesSymbolsThatTheModelDoesNotHave) {
  for (int in_training : {0, 1}) {
    TrainingProblem problem("lstm");
    (in_training != 0 ? problem.training : problem.validation)[5] = {0, 7};
    try {
      Trainer trainer = problem.Make(2);
      trainer.Start(problem.parameters);
      Train(trainer);
      ADD_FAILURE() << "no Error";
    } catch (const DivergedError& error) {
      ADD_FAILURE() << "taken for a divergence: " << error.what();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find('7'), std::string::npos) << error.what();
    }
  }
}

TEST(TrainerErrors, RefusesBatchSizesOutOfRange) {
  const TrainingProblem problem;
  for (int size : {-1, 0, (1 << 20) + 1}) {
    EXPECT_THROW(StringsObjective(problem.spec, problem.training, problem.validation,
                                  {.batch_size = size}, 1),
                 Error)
        << size;
  }
}

TEST(TrainingOptions, HasThePapersDefaults) {
  const TrainingOptions options;
  EXPECT_EQ(options.optimizer, Optimizer::kAdam);
  EXPECT_EQ(StringsBatching().batch_size, 10);
  EXPECT_EQ(options.clipping, 5);
  EXPECT_EQ(options.patience, 10);
  EXPECT_NO_THROW(Validate(options));
}

TEST(TrainingOptions, RefusesNumbersOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct Damage {
    const char* what;
    std::function<void(TrainingOptions&)> apply;
  };
  const std::vector<Damage> damages = {
      {"no rate", [](TrainingOptions& options) { options.learning_rate = 0; }},
      {"rate", [](TrainingOptions& options) { options.learning_rate = -1; }},
      {"rate", [nan](TrainingOptions& options) { options.learning_rate = nan; }},
      {"clipping", [](TrainingOptions& options) { options.clipping = 0; }},
      {"clipping", [nan](TrainingOptions& options) { options.clipping = nan; }},
      {"beta1", [](TrainingOptions& options) { options.adam.beta1 = 1; }},
      {"beta2", [](TrainingOptions& options) { options.adam.beta2 = -0.1; }},
      {"epsilon", [](TrainingOptions& options) { options.adam.epsilon = -1; }},
      {"factor", [](TrainingOptions& options) { options.plateau.factor = 1.5; }},
      {"factor", [](TrainingOptions& options) { options.plateau.factor = 0; }},
      {"plateau patience", [](TrainingOptions& options) { options.plateau.patience = -1; }},
      {"patience", [](TrainingOptions& options) { options.patience = 0; }},
      {"epochs", [](TrainingOptions& options) { options.max_epochs = 0; }},
  };
  const TrainingProblem problem;
  for (const Damage& damage : damages) {
    TrainingOptions options;
    damage.apply(options);
    EXPECT_THROW(Validate(options), Error) << damage.what;
    EXPECT_THROW(MakeTrainer(problem.spec, options, problem.training, problem.validation, {}, 1),
                 Error)
        << damage.what;
  }
}

}  // namespace
}  // namespace pushdown
