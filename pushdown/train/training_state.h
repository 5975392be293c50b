#pragma once

#include <string>
#include <vector>

#include "pushdown/model/parameters.h"
#include "pushdown/train/adam.h"
#include "pushdown/train/schedule.h"

namespace pushdown {

struct EpochMetrics {
  int epoch = 0;                      // from 1
  double training_cross_entropy = 0;  // in nats a symbol, ends included, while parameters changed
  double validation_cross_entropy = 0;
  double learning_rate = 0;
  double largest_gradient_norm = 0;  // of all batches, before clipping
  bool best = false;                 // whether it is the best epoch so far
};

// Everything that continuing a training takes, except for what its objective carries from batch to
// batch (see Objective::Carried). The rest follows from the data and the options.
struct TrainingState {
  std::vector<float> parameters;
  std::vector<float> best_parameters;  // of the best epoch; empty before the first one has ended
  OptimizerState optimizer;
  double learning_rate = 0;
  PlateauState plateau;
  EarlyStoppingState early_stopping;
  std::vector<EpochMetrics> epochs;  // the complete epochs
  int batches = 0;                   // how many batches of the next epoch are done
  double loss = 0;                   // in nats, summed over these batches
  double largest_gradient_norm = 0;  // of these batches
};

// In files and messages, the tensors of the arrays of a state have the names of the model's tensors
// with these prefixes.
inline constexpr const char* kModelPrefix = "model.";
inline constexpr const char* kBestPrefix = "best.";
inline constexpr const char* kMeanPrefix = "adam.mean.";
inline constexpr const char* kSquarePrefix = "adam.square.";

// The checks of a state, all in one place. All functions throw Error, naming the field.

// Checks the numbers, which files keep apart from the arrays.
void CheckNumbers(const TrainingState& state);
// Checks the arrays: their sizes, that all values are finite, and that the best parameters are
// there if there is a best epoch.
void CheckArrays(const TrainingState& state, const ParameterLayout& layout);
// Checks that a state can be one of a training with so many batches in an epoch, with or without
// Adam.
void CheckBelongs(const TrainingState& state, const ParameterLayout& layout, int batches,
                  bool adam);

// Checks that all values of an array of parameters are finite. A training never continues from
// other values, since they would only spread. `prefix` is in front of the names of tensors in
// messages.
void CheckFinite(const std::vector<float>& values, const ParameterLayout& layout,
                 const std::string& prefix);

}  // namespace pushdown
