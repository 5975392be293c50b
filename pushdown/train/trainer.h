#pragma once

#include <functional>
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
#include "pushdown/train/training_state.h"

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

enum class StopReason { kNone, kNoImprovement, kMaxEpochs };

// The numeric error of a training: the loss, the gradient or the next parameters are not finite, or
// the stack refuses its actions for that reason.
class DivergedError : public Error {
 public:
  DivergedError(const std::string& message, std::string parameter_norms)
      : Error(ErrorKind::kNumeric, "pushdown::Trainer", message),
        parameter_norms_(std::move(parameter_norms)) {}
  // The norms of all tensors, as "controller.weights 12.5, controller.bias 0.8, ..."
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

  // Begins a training with these parameters.
  void Start(std::vector<float> parameters);
  // Continues a training from its state() and Carried(). The model, the data and the options must
  // be the same. Throws Error if the state cannot be one of this training.
  void Restore(TrainingState state, std::string_view carried = {});
  const TrainingState& state() const { return state_; }
  // What the next batch takes over from the batches before it (see Objective::Carried). A
  // checkpoint must keep it with the state. It may be large.
  std::string Carried() const;

  StopReason stop_reason() const;
  bool finished() const { return stop_reason() != StopReason::kNone; }

  // Trains on the next batch of the epoch. After the last batch, validates, and returns the metrics
  // of the epoch. The training must not be finished. Throws DivergedError, which names the epoch
  // and the batch; state() is then what it was before the call. So it is if `stop` is true before
  // the validation has ended.
  std::optional<EpochMetrics> Advance(const std::function<bool()>& stop = {});

 private:
  // Whether the next batch is not the first one of its epoch.
  bool WithinEpoch(const TrainingState& state) const;
  void TrainBatch();
  // Both take a step down the gradient, and return its norm before clipping.
  double UpdateByAdam();
  double UpdateBySgd();
  std::optional<EpochMetrics> EndEpoch(const std::function<bool()>& stop);
  [[noreturn]] void Diverge(const std::string& what) const;

  TrainingOptions options_;
  std::unique_ptr<Objective> objective_;
  std::vector<float> gradient_;
  // For Adam: what a step is undone with.
  std::vector<float> earlier_parameters_;
  OptimizerState earlier_optimizer_;
  TrainingState state_;
};

}  // namespace pushdown
