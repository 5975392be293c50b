#pragma once

// A small training for tests, and what they all do with one.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pushdown/train/strings_objective.h"
#include "pushdown/train/trainer.h"
#include "tests/model/model_problem.h"

namespace pushdown::testing_oracle {

using Strings = std::vector<std::vector<int>>;

inline Strings RandomStrings(int count, int max_length, std::uint64_t seed) {
  Strings strings;
  for (int j = 0; j < count; ++j) {
    strings.push_back(
        RandomString(2, 1 + j % max_length, seed * 1000 + static_cast<std::uint64_t>(j)));
  }
  return strings;
}

// A training on strings.
inline Trainer MakeTrainer(const ModelSpec& spec, const TrainingOptions& options,
                           const Strings& training, const Strings& validation,
                           const StringsBatching& reading, int threads) {
  return {std::make_unique<StringsObjective>(spec, training, validation, reading, threads),
          options};
}

inline EpochMetrics AdvanceEpoch(Trainer& trainer) {
  for (;;) {
    if (const auto metrics = trainer.Advance()) return *metrics;
  }
}

// The metrics of every epoch until it is finished.
inline std::vector<EpochMetrics> Train(Trainer& trainer) {
  std::vector<EpochMetrics> epochs;
  while (!trainer.finished()) {
    if (const auto metrics = trainer.Advance()) epochs.push_back(*metrics);
  }
  return epochs;
}

struct TrainingProblem {
  explicit TrainingProblem(const std::string& name = "rns-2-2")
      : spec(ParseModelSpec(name, 5, 2)),
        training(RandomStrings(61, 6, 1)),
        validation(RandomStrings(13, 7, 2)),
        parameters(ParametersAs<float>(RandomParameters(spec, 2, 0.3))) {
    reading.batch_size = 4;
    options.learning_rate = 0.01;
    options.clipping = 1;
    options.max_epochs = 4;
    options.plateau.patience = 0;
  }

  Trainer Make(int threads) const {
    return MakeTrainer(spec, options, training, validation, reading, threads);
  }

  ModelSpec spec;
  Strings training;
  Strings validation;
  std::vector<float> parameters;
  StringsBatching reading;
  TrainingOptions options;
};

inline void ExpectSame(const EpochMetrics& actual, const EpochMetrics& expected) {
  EXPECT_EQ(actual.epoch, expected.epoch);
  EXPECT_EQ(actual.training_cross_entropy, expected.training_cross_entropy);
  EXPECT_EQ(actual.validation_cross_entropy, expected.validation_cross_entropy);
  EXPECT_EQ(actual.learning_rate, expected.learning_rate);
  EXPECT_EQ(actual.largest_gradient_norm, expected.largest_gradient_norm);
  EXPECT_EQ(actual.best, expected.best);
}

// Bit by bit.
inline void ExpectSame(const TrainingState& actual, const TrainingState& expected) {
  EXPECT_EQ(actual.parameters, expected.parameters);
  EXPECT_EQ(actual.best_parameters, expected.best_parameters);
  EXPECT_EQ(actual.optimizer.mean, expected.optimizer.mean);
  EXPECT_EQ(actual.optimizer.square, expected.optimizer.square);
  EXPECT_EQ(actual.optimizer.steps, expected.optimizer.steps);
  EXPECT_EQ(actual.learning_rate, expected.learning_rate);
  EXPECT_EQ(actual.plateau.any, expected.plateau.any);
  EXPECT_EQ(actual.plateau.best, expected.plateau.best);
  EXPECT_EQ(actual.plateau.bad_epochs, expected.plateau.bad_epochs);
  EXPECT_EQ(actual.early_stopping.any, expected.early_stopping.any);
  EXPECT_EQ(actual.early_stopping.best, expected.early_stopping.best);
  EXPECT_EQ(actual.early_stopping.best_epoch, expected.early_stopping.best_epoch);
  EXPECT_EQ(actual.early_stopping.bad_epochs, expected.early_stopping.bad_epochs);
  ASSERT_EQ(actual.epochs.size(), expected.epochs.size());
  for (std::size_t j = 0; j < actual.epochs.size(); ++j) {
    ExpectSame(actual.epochs[j], expected.epochs[j]);
  }
  EXPECT_EQ(actual.batches, expected.batches);
  EXPECT_EQ(actual.loss, expected.loss);
  EXPECT_EQ(actual.largest_gradient_norm, expected.largest_gradient_norm);
}

}  // namespace pushdown::testing_oracle
