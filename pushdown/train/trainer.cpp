#include "pushdown/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <sstream>
#include <utility>

#include "pushdown/train/clipping.h"
#include "pushdown/train/sgd.h"

namespace pushdown {
namespace {

// Of a step without Adam, whose steps are as long as its rate. Training would not recover from a
// hundredth of it; sums of so many steps as can ever be taken are still finite.
constexpr double kLongestStep = 1e30;

void CheckOption(bool good, const char* name, double value, const char* must) {
  if (good) return;
  throw Error("pushdown::Trainer",
              std::string("the ") + name + " is " + std::to_string(value) + ", must be " + must);
}

bool AllFinite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

}  // namespace

void Validate(const TrainingOptions& options) {
  constexpr double kMax = std::numeric_limits<double>::max();
  const auto positive = [](double value) { return value > 0 && value <= kMax; };
  CheckOption(positive(options.learning_rate), "learning rate", options.learning_rate, "positive");
  CheckOption(positive(options.clipping), "clipping threshold", options.clipping, "positive");
  const auto is_beta = [](double beta) { return beta >= 0 && beta < 1; };
  CheckOption(is_beta(options.adam.beta1), "beta1 of Adam", options.adam.beta1, "in [0, 1)");
  CheckOption(is_beta(options.adam.beta2), "beta2 of Adam", options.adam.beta2, "in [0, 1)");
  CheckOption(positive(options.adam.epsilon), "epsilon of Adam", options.adam.epsilon, "positive");
  const PlateauOptions& plateau = options.plateau;
  CheckOption(plateau.factor > 0 && plateau.factor <= 1, "factor of the learning rate",
              plateau.factor, "in (0, 1]");
  CheckOption(plateau.patience >= 0, "patience of the learning rate", plateau.patience,
              "0 or more");
  CheckOption(plateau.threshold >= 0 && plateau.threshold < 1, "threshold of an improvement",
              plateau.threshold, "in [0, 1)");
  CheckOption(plateau.min_decrease >= 0 && plateau.min_decrease <= kMax,
              "smallest change of the learning rate", plateau.min_decrease, "0 or more");
  CheckOption(options.patience >= 1, "patience", options.patience, "1 or more");
  CheckOption(options.max_epochs >= 1, "number of epochs", options.max_epochs, "1 or more");
}

Trainer::Trainer(std::unique_ptr<Objective> objective, const TrainingOptions& options)
    : options_((Validate(options), options)),
      objective_(std::move(objective)),
      gradient_(layout().size) {}

void Trainer::Start(std::vector<float> parameters) {
  TrainingState state;
  state.parameters = std::move(parameters);
  if (options_.optimizer == Optimizer::kAdam) {
    state.optimizer.mean.resize(layout().size);
    state.optimizer.square.resize(layout().size);
  }
  state.learning_rate = options_.learning_rate;
  Restore(std::move(state));
}

void Trainer::Restore(TrainingState state, std::string_view carried) {
  CheckBelongs(state, layout(), batches(), options_.optimizer == Optimizer::kAdam);
  CheckNumbers(state);
  if (WithinEpoch(state)) {
    objective_->RestoreCarried(state.parameters, carried);
  } else {
    if (!carried.empty()) {
      throw Error("pushdown::Trainer", "at the end of an epoch there is nothing to be carried on");
    }
  }
  state_ = std::move(state);
}

bool Trainer::WithinEpoch(const TrainingState& state) const {
  return state.batches > 0 && state.batches < batches();
}

std::string Trainer::Carried() const {
  return WithinEpoch(state_) ? objective_->Carried() : std::string();
}

StopReason Trainer::stop_reason() const {
  if (state_.epochs.empty()) return StopReason::kNone;
  if (state_.early_stopping.bad_epochs >= options_.patience) return StopReason::kNoImprovement;
  if (state_.epochs.size() >= static_cast<std::size_t>(options_.max_epochs)) {
    return StopReason::kMaxEpochs;
  }
  return StopReason::kNone;
}

std::optional<EpochMetrics> Trainer::Advance(const std::function<bool()>& stop) {
  if (finished()) throw Error("pushdown::Trainer", "the training is finished");
  if (state_.batches == batches()) return EndEpoch(stop);
  TrainBatch();
  return std::nullopt;
}

void Trainer::TrainBatch() {
  const int epoch = static_cast<int>(state_.epochs.size()) + 1;
  const bool adam = options_.optimizer == Optimizer::kAdam;
  // Adam moves all parameters, also those without a gradient.
  if (adam) std::fill(gradient_.begin(), gradient_.end(), 0.0F);
  double loss = 0;
  try {
    loss = objective_->Gradient(epoch, state_.batches, state_.parameters, gradient_);
  } catch (const Error& error) {
    // Anything else is no matter of the learning rate: a broken contract, say, or a full disk.
    if (error.kind() != ErrorKind::kNumeric) throw;
    Diverge(error.message());
  }
  if (!std::isfinite(loss)) Diverge("the loss is not finite");
  const double norm = adam ? UpdateByAdam() : UpdateBySgd();
  state_.loss += loss;
  state_.largest_gradient_norm = std::max(state_.largest_gradient_norm, norm);
  ++state_.batches;
}

double Trainer::UpdateByAdam() {
  const double norm = ClipGradient(options_.clipping, gradient_);
  if (!std::isfinite(norm)) Diverge("the gradient is not finite");
  earlier_parameters_ = state_.parameters;
  earlier_optimizer_ = state_.optimizer;
  AdamStep(options_.adam, state_.learning_rate, gradient_, state_.optimizer, state_.parameters);
  if (!AllFinite(state_.parameters) || !AllFinite(state_.optimizer.square)) {
    state_.parameters.swap(earlier_parameters_);
    std::swap(state_.optimizer, earlier_optimizer_);
    Diverge("the parameters would not be finite any more");
  }
  return norm;
}

double Trainer::UpdateBySgd() {
  const std::span<const ParameterRange> ranges = objective_->gradient_ranges();
  const double norm = Norm(gradient_, ranges, objective_->pool());
  if (!std::isfinite(norm)) Diverge("the gradient is not finite");
  const double scale = state_.learning_rate * ClippingFactor(options_.clipping, norm);
  // Asked before, so that nothing has to be undone.
  if (scale * std::max(norm, 1.0) > kLongestStep) Diverge("the step would be too large");
  SgdStep(scale, gradient_, ranges, state_.parameters, objective_->pool());
  ++state_.optimizer.steps;
  return norm;
}

std::optional<EpochMetrics> Trainer::EndEpoch(const std::function<bool()>& stop) {
  struct Stopped {};
  std::function<void()> check;
  if (stop) {
    check = [&stop] {
      if (stop()) throw Stopped();
    };
  }
  double validation_cross_entropy = 0;
  try {
    validation_cross_entropy = objective_->Validate(state_.parameters, check);
  } catch (const Stopped&) {
    return std::nullopt;
  } catch (const Error& error) {
    // Anything else is no matter of the learning rate: a broken contract, say, or a full disk.
    if (error.kind() != ErrorKind::kNumeric) throw;
    Diverge(error.message());
  }
  EpochMetrics metrics;
  metrics.epoch = static_cast<int>(state_.epochs.size()) + 1;
  metrics.training_cross_entropy =
      state_.loss / static_cast<double>(objective_->training_symbols());
  metrics.validation_cross_entropy = validation_cross_entropy;
  metrics.learning_rate = state_.learning_rate;
  metrics.largest_gradient_norm = state_.largest_gradient_norm;
  const double perplexity = std::exp(metrics.validation_cross_entropy);
  if (!std::isfinite(perplexity)) Diverge("the perplexity of the validation set is not finite");
  metrics.best = Improves(metrics.validation_cross_entropy, metrics.epoch, state_.early_stopping);
  if (metrics.best) state_.best_parameters = state_.parameters;
  state_.learning_rate =
      NextLearningRate(options_.plateau, perplexity, state_.learning_rate, state_.plateau);
  state_.epochs.push_back(metrics);
  state_.batches = 0;
  state_.loss = 0;
  state_.largest_gradient_norm = 0;
  return metrics;
}

void Trainer::Diverge(const std::string& what) const {
  const std::string place =
      state_.batches == batches()
          ? "validation"
          : "batch " + std::to_string(state_.batches + 1) + " of " + std::to_string(batches());
  std::ostringstream norms;
  for (const ParameterTensor& tensor : layout().tensors) {
    const auto values =
        std::span<const float>(state_.parameters).subspan(tensor.offset, tensor.size());
    norms << (tensor.offset > 0 ? ", " : "") << tensor.name << ' ' << Norm(values);
  }
  throw DivergedError(
      "epoch " + std::to_string(state_.epochs.size() + 1) + ", " + place + ": " + what,
      norms.str());
}

}  // namespace pushdown
