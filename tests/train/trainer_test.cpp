// Training: its first steps from the equations, and its schedule.

#include "pushdown/train/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tests/model/stack_rnn_reference.h"
#include "tests/train/reference_adam.h"
#include "tests/train/training_problem.h"

namespace pushdown {
namespace {

using testing_oracle::AdvanceEpoch;
using testing_oracle::ExpectSame;
using testing_oracle::MakeTrainer;
using testing_oracle::ParametersAs;
using testing_oracle::RandomParameters;
using testing_oracle::ReferenceAdam;
using testing_oracle::ReferenceClip;
using testing_oracle::ReferenceGradient;
using testing_oracle::ReferenceLoss;
using testing_oracle::ReferenceNorm;
using testing_oracle::Strings;
using testing_oracle::Train;
using testing_oracle::TrainingProblem;

double Symbols(const Strings& strings) {  // ends included
  double count = 0;
  for (const auto& string : strings) count += static_cast<double>(string.size()) + 1;
  return count;
}

double OracleLoss(const ModelSpec& spec, const std::vector<double>& parameters,
                  const Strings& strings) {
  double loss = 0;
  for (const auto& string : strings) loss += ReferenceLoss(spec, parameters, string);
  return loss;
}

std::vector<double> OracleGradient(const ModelSpec& spec, const std::vector<double>& parameters,
                                   const Strings& strings) {
  std::vector<double> mean(parameters.size());
  for (const auto& string : strings) {
    const auto gradient = ReferenceGradient(spec, parameters, string);
    for (std::size_t j = 0; j < mean.size(); ++j) {
      mean[j] += gradient[j] / static_cast<double>(strings.size());
    }
  }
  return mean;
}

// One batch an epoch, so that every number of an epoch can be computed from the equations. Adam's
// epsilon is as large as gradients are, so that its steps depend on their sizes and not only on
// their signs: the default would hide clipping, and make noise of gradients near zero.
TEST(Trainer, FirstEpochsAreThoseOfTheEquations) {
  for (const char* name : {"lstm", "rns-2-2", "sup-2"}) {
    const ModelSpec spec = ParseModelSpec(name, 3, 2);
    const Strings training = {{0, 1, 1, 0}, {1, 1, 1, 0}, {0, 0, 1, 1}};
    const Strings validation = {{1, 0, 1}, {}, {0, 1, 1, 0, 0}};
    TrainingOptions options;
    options.learning_rate = 0.05;
    options.adam.epsilon = 0.1;
    const auto initial = RandomParameters(spec, 3, 1);
    // Some epochs with clipping, some without.
    options.clipping = 0.8 * ReferenceNorm(OracleGradient(spec, initial, training));
    Trainer trainer = MakeTrainer(spec, options, training, validation, {}, 2);
    ASSERT_EQ(trainer.batches(), 1);
    trainer.Start(ParametersAs<float>(initial));
    ReferenceAdam adam(options.adam, initial);
    int clipped = 0;
    for (int epoch = 1; epoch <= 6; ++epoch) {
      SCOPED_TRACE(std::string(name) + " epoch " + std::to_string(epoch));
      const double loss = OracleLoss(spec, adam.parameters(), training);
      auto gradient = OracleGradient(spec, adam.parameters(), training);
      const double norm = ReferenceNorm(gradient);
      clipped += norm > options.clipping ? 1 : 0;
      ReferenceClip(options.clipping, gradient);
      adam.Step(options.learning_rate, gradient);

      const EpochMetrics metrics = AdvanceEpoch(trainer);
      const auto& parameters = trainer.state().parameters;
      ASSERT_EQ(parameters.size(), initial.size());
      for (std::size_t j = 0; j < parameters.size(); ++j) {
        ASSERT_NEAR(parameters[j], adam.parameters()[j], 1e-6) << "parameter " << j;
      }
      EXPECT_EQ(metrics.epoch, epoch);
      EXPECT_NEAR(metrics.training_cross_entropy, loss / Symbols(training), 2e-6)
          << "before the update";
      EXPECT_NEAR(metrics.validation_cross_entropy,
                  OracleLoss(spec, adam.parameters(), validation) / Symbols(validation), 2e-6)
          << "after it";
      EXPECT_NEAR(metrics.largest_gradient_norm, norm, 1e-5 * norm) << "before clipping";
      EXPECT_EQ(metrics.learning_rate, options.learning_rate);
      EXPECT_EQ(trainer.state().optimizer.steps, epoch);
    }
    EXPECT_GT(clipped, 0) << name;
    EXPECT_LT(clipped, 6) << name;
  }
}

// The same with the options as they are by default, for one step.
TEST(Trainer, FirstUpdateWithTheDefaultsIsThatOfAdam) {
  const ModelSpec spec = ParseModelSpec("rns-1-2", 3, 2);
  const Strings training = {{0, 1, 1, 0}, {1, 1, 1, 0}};
  const auto initial = RandomParameters(spec, 9, 1);
  Trainer trainer = MakeTrainer(spec, {}, training, training, {}, 1);
  trainer.Start(ParametersAs<float>(initial));
  trainer.Advance();
  const auto gradient = OracleGradient(spec, initial, training);
  ASSERT_EQ(trainer.state().optimizer.steps, 1);
  int compared = 0;
  for (std::size_t j = 0; j < initial.size(); ++j) {
    if (std::abs(gradient[j]) < 1e-4) continue;  // beyond the precision of float
    ++compared;
    const double expected = initial[j] - 1e-3 * gradient[j] / (std::abs(gradient[j]) + 1e-8);
    ASSERT_NEAR(trainer.state().parameters[j], expected, 2e-7) << "parameter " << j;
  }
  EXPECT_GT(compared, static_cast<int>(initial.size()) / 2);
}

TEST(Trainer, AnEpochTakesTheBatchesInTheirOrder) {
  TrainingProblem problem("lstm");
  Trainer trainer = problem.Make(1);
  trainer.Start(problem.parameters);
  const auto batches = MakeBatches(problem.training, problem.reading.batch_size);
  ASSERT_EQ(static_cast<std::size_t>(trainer.batches()), batches.size());
  std::vector<double> parameters(problem.parameters.begin(), problem.parameters.end());
  for (int epoch = 1; epoch <= 2; ++epoch) {
    double loss = 0;
    double largest_norm = 0;
    const auto order = BatchOrder(trainer.batches(), problem.reading.shuffle_seed, epoch);
    for (int batch : order) {
      Strings strings;
      for (int string : batches[static_cast<std::size_t>(batch)]) {
        strings.push_back(problem.training[static_cast<std::size_t>(string)]);
      }
      loss += OracleLoss(problem.spec, parameters, strings);
      largest_norm =
          std::max(largest_norm, ReferenceNorm(OracleGradient(problem.spec, parameters, strings)));
      EXPECT_FALSE(trainer.Advance() && batch != order.back());
      // Adam is checked elsewhere; here each batch starts from what the trainer has.
      const auto& updated = trainer.state().parameters;
      parameters.assign(updated.begin(), updated.end());
    }
    while (trainer.state().epochs.size() < static_cast<std::size_t>(epoch)) trainer.Advance();
    const EpochMetrics& metrics = trainer.state().epochs.back();
    EXPECT_NEAR(metrics.training_cross_entropy, loss / Symbols(problem.training), 1e-6);
    EXPECT_NEAR(metrics.largest_gradient_norm, largest_norm, 1e-5 * largest_norm);
    EXPECT_NEAR(
        metrics.validation_cross_entropy,
        OracleLoss(problem.spec, parameters, problem.validation) / Symbols(problem.validation),
        2e-6);
    EXPECT_EQ(trainer.state().batches, 0);
    EXPECT_EQ(trainer.state().loss, 0);
    EXPECT_EQ(trainer.state().largest_gradient_norm, 0);
  }
}

// Trained on one symbol and validated on the other, a model only gets worse.
TrainingProblem GettingWorse() {
  TrainingProblem problem("lstm");
  problem.training = Strings(8, {0, 0, 0});
  problem.validation = Strings(3, {1, 1});
  problem.options.max_epochs = 50;
  problem.options.patience = 7;
  problem.options.plateau.patience = 1;
  return problem;
}

TEST(Trainer, StopsWithoutImprovement) {
  const TrainingProblem problem = GettingWorse();
  Trainer trainer = problem.Make(1);
  trainer.Start(problem.parameters);
  EXPECT_EQ(trainer.stop_reason(), StopReason::kNone);
  AdvanceEpoch(trainer);
  const std::vector<float> after_first = trainer.state().parameters;
  const auto others = Train(trainer);
  EXPECT_EQ(others.size(), 7u) << "bad epochs in a row, after the first one";
  EXPECT_EQ(trainer.stop_reason(), StopReason::kNoImprovement);
  const TrainingState& state = trainer.state();
  EXPECT_EQ(state.early_stopping.best_epoch, 1);
  EXPECT_EQ(state.early_stopping.best, state.epochs[0].validation_cross_entropy);
  EXPECT_EQ(state.best_parameters, after_first);
  EXPECT_NE(state.parameters, after_first);
  EXPECT_TRUE(state.epochs[0].best);
  for (const EpochMetrics& metrics : others) {
    EXPECT_FALSE(metrics.best);
    EXPECT_GT(metrics.validation_cross_entropy, state.early_stopping.best);
  }
}

// The plateau's patience is 1: after two bad epochs (the third epoch), and every two from then on.
// An epoch's metrics have the rate that it was trained with.
TEST(Trainer, RateFallsOnAPlateau) {
  const TrainingProblem problem = GettingWorse();
  Trainer trainer = problem.Make(1);
  trainer.Start(problem.parameters);
  const auto epochs = Train(trainer);
  ASSERT_EQ(epochs.size(), 8u);
  const int falls[] = {0, 0, 0, 1, 1, 2, 2, 3};
  for (std::size_t j = 0; j < epochs.size(); ++j) {
    EXPECT_NEAR(epochs[j].learning_rate, 0.01 * std::pow(0.9, falls[j]), 1e-15) << j + 1;
  }
}

// The plateau's threshold is relative to the perplexity. A cross-entropy of 0.02 that falls by a
// thousandth is an improvement of the cross-entropy, but of the perplexity by two
// hundred-thousandths only, which is none.
TEST(Trainer, PlateauIsOneOfThePerplexity) {
  TrainingProblem problem("lstm");
  problem.training = Strings(4, {0});
  problem.validation = problem.training;
  problem.options.learning_rate = 3e-4;
  problem.options.max_epochs = 6;
  problem.options.plateau.patience = 0;
  // The symbol with a probability of about 1 / (1 + 2 exp(-4)), and then the end.
  const ParameterLayout layout(problem.spec);
  std::vector<float> parameters(layout.size);
  const auto units = static_cast<std::size_t>(problem.spec.hidden_units);
  for (std::size_t j = 0; j < units; ++j) {
    for (std::size_t gate : {0u, 2u, 3u}) parameters[layout.controller.bias + gate * units + j] = 9;
    parameters[layout.output.weights + j * 3 + 2] = 5;
  }
  parameters[layout.output.bias] = 4;
  Trainer trainer = problem.Make(1);
  trainer.Start(parameters);
  const auto epochs = Train(trainer);
  ASSERT_EQ(epochs.size(), 6u);
  const double first = epochs[0].validation_cross_entropy;
  for (std::size_t j = 1; j < epochs.size(); ++j) {
    const double before = epochs[j - 1].validation_cross_entropy;
    const double after = epochs[j].validation_cross_entropy;
    ASSERT_LT(after, before * (1 - 2e-4)) << "an improvement of the cross-entropy";
    ASSERT_GT(std::exp(after), std::exp(first) * (1 - 0.9e-4)) << "none of the perplexity";
  }
  EXPECT_NEAR(trainer.state().learning_rate, 3e-4 * std::pow(0.9, 5), 1e-16);
}

TEST(Trainer, StopsAfterTheLastEpoch) {
  TrainingProblem problem("lstm");
  problem.validation = problem.training;
  problem.options.learning_rate = 1e-3;
  problem.options.max_epochs = 3;
  Trainer trainer = problem.Make(1);
  trainer.Start(problem.parameters);
  EXPECT_FALSE(trainer.finished());
  const auto epochs = Train(trainer);
  ASSERT_EQ(epochs.size(), 3u);
  EXPECT_EQ(trainer.stop_reason(), StopReason::kMaxEpochs);
  for (int j = 0; j < 3; ++j) {
    EXPECT_EQ(epochs[static_cast<std::size_t>(j)].epoch, j + 1);
    EXPECT_TRUE(epochs[static_cast<std::size_t>(j)].best) << "it is learning what it is tested on";
    ExpectSame(epochs[static_cast<std::size_t>(j)],
               trainer.state().epochs[static_cast<std::size_t>(j)]);
  }
  EXPECT_EQ(trainer.state().best_parameters, trainer.state().parameters);
  EXPECT_EQ(trainer.state().early_stopping.best_epoch, 3);
}

// Rates so high that epochs are better and worse in turn.
TEST(Trainer, BestParametersAreThoseOfTheBestEpoch) {
  TrainingProblem problem("lstm");
  problem.options.learning_rate = 0.2;
  problem.options.max_epochs = 15;
  problem.options.patience = 15;
  Trainer trainer = problem.Make(1);
  trainer.Start(problem.parameters);
  EXPECT_TRUE(trainer.state().best_parameters.empty()) << "before the first epoch";
  double best = std::numeric_limits<double>::infinity();
  std::vector<float> best_parameters;
  int improvements = 0;
  while (!trainer.finished()) {
    const EpochMetrics metrics = AdvanceEpoch(trainer);
    EXPECT_EQ(metrics.best, metrics.validation_cross_entropy < best);
    if (metrics.validation_cross_entropy < best) {
      best = metrics.validation_cross_entropy;
      best_parameters = trainer.state().parameters;
      ++improvements;
    }
    ASSERT_EQ(trainer.state().best_parameters, best_parameters);
  }
  EXPECT_GT(improvements, 1);
  EXPECT_LT(improvements, 15);
}

}  // namespace
}  // namespace pushdown
