#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/train/adam.h"
#include "pushdown/train/objective.h"
#include "pushdown/train/schedule.h"

namespace pushdown {

enum class Optimizer { kAdam, kSgd };

// By default, the procedure of the paper's appendix D.
struct TrainingOptions {
  Optimizer optimizer = Optimizer::kAdam;
  double learning_rate = 1e-3;
  double clipping = 5;
  AdamOptions adam = {};
  PlateauOptions plateau = {};
  int patience = 10;  // stop after this many epochs in a row without improvement
  int max_epochs = 200;
};

// Throws Error if a number is out of range.
void Validate(const TrainingOptions& options);

struct EpochMetrics {
  int epoch = 0;                      // from 1
  double training_cross_entropy = 0;  // in nats a symbol, ends included, as the parameters changed
  double validation_cross_entropy = 0;
  double learning_rate = 0;
  double largest_gradient_norm = 0;  // of the batches, before clipping
  bool best = false;                 // so far
};

// Everything that a training goes on from, but for what its objective carries from batch to batch;
// the rest follows from the data and the options.
struct TrainingState {
  std::vector<float> parameters;
  std::vector<float> best_parameters;  // those of the best epoch, or empty before the first one
  AdamState adam;  // its steps count those of any optimiser; its arrays are empty with kSgd
  double learning_rate = 0;
  PlateauState plateau;
  EarlyStoppingState early_stopping;
  std::vector<EpochMetrics> epochs;  // that are complete
  int batches = 0;                   // of the epoch after them that are done
  double loss = 0;                   // summed over these, in nats
  double largest_gradient_norm = 0;  // of these
};

enum class StopReason { kNone, kNoImprovement, kMaxEpochs };

// The loss, the gradient or the next parameters are not finite, or the stack refuses its actions
// for that reason.
class DivergedError : public Error {
 public:
  DivergedError(const std::string& message, std::string parameter_norms)
      : Error(message), parameter_norms_(std::move(parameter_norms)) {}
  // "controller.weights 12.5, controller.bias 0.8, ..."
  const std::string& parameter_norms() const { return parameter_norms_; }

 private:
  std::string parameter_norms_;
};

// Trains a model, batch by batch.
class Trainer {
 public:
  // Throws Error for options out of range.
  Trainer(std::unique_ptr<Objective> objective, const TrainingOptions& options);

  const ParameterLayout& layout() const { return objective_->layout(); }
  int batches() const { return objective_->batches(); }  // in an epoch

  // Begins, with these parameters.
  void Start(std::vector<float> parameters);
  // Goes on from a state of this model, data and options, and what was carried there. Throws Error
  // if it cannot be one.
  void Restore(TrainingState state, std::string_view carried = {});
  const TrainingState& state() const { return state_; }
  // What the next batch takes over from the ones before it, to be kept with the state. May be
  // large.
  std::string Carried() const;

  StopReason stop_reason() const;
  bool finished() const { return stop_reason() != StopReason::kNone; }

  // Trains on the next batch of the epoch or, after the last one, validates, and returns the
  // epoch's metrics. Must not be finished. Throws DivergedError, with epoch and batch; state() is
  // then as before.
  std::optional<EpochMetrics> Advance();

 private:
  // Whether the next batch is one that others of its epoch go before.
  bool WithinEpoch(const TrainingState& state) const;
  void TrainBatch();
  // A step down the gradient. Return its norm before clipping.
  double UpdateByAdam();
  double UpdateBySgd();
  EpochMetrics EndEpoch();
  [[noreturn]] void Diverge(const std::string& what) const;

  TrainingOptions options_;
  std::unique_ptr<Objective> objective_;
  std::vector<float> gradient_;
  // With Adam, to undo a step.
  std::vector<float> earlier_parameters_;
  AdamState earlier_adam_;
  TrainingState state_;
};

}  // namespace pushdown
