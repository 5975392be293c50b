#include "pushdown/train/training_state.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

#include "pushdown/error.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

[[noreturn]] void Fail(const std::string& message) {
  throw Error("pushdown::TrainingState", message);
}

std::string NumberText(double number) {
  return std::isfinite(number) ? fmt::format("{}", number) : std::to_string(number);
}

class StateChecker {
 public:
  explicit StateChecker(const TrainingState& state) : state_(state) {}

  void Check() const {
    NotNegative("adam_steps", state_.optimizer.steps);
    Positive("learning_rate", state_.learning_rate);
    Finite("plateau.best", state_.plateau.best);
    NotNegative("plateau.bad_epochs", state_.plateau.bad_epochs);
    CheckEarlyStopping();
    for (std::size_t n = 0; n < state_.epochs.size(); ++n) {
      CheckEpoch(state_.epochs[n], n);
    }
    NotNegative("batches", state_.batches);
    Finite("loss", state_.loss);
    NotNegative("largest_gradient_norm", state_.largest_gradient_norm);
  }

 private:
  void CheckEarlyStopping() const {
    const EarlyStoppingState& early_stopping = state_.early_stopping;
    Finite("early_stopping.best", early_stopping.best);
    NotNegative("early_stopping.bad_epochs", early_stopping.bad_epochs);
    const int epochs = static_cast<int>(state_.epochs.size());
    const int epoch = early_stopping.best_epoch;
    const int first = early_stopping.any ? 1 : 0;
    const int last = early_stopping.any ? epochs : 0;
    if (epoch < first || epoch > last) {
      Fail("early_stopping.best_epoch", std::to_string(epoch) + " is not from " +
                                            std::to_string(first) + " to " + std::to_string(last) +
                                            ", as after " + std::to_string(epochs) + " epochs");
    }
  }

  void CheckEpoch(const EpochMetrics& epoch, std::size_t index) const {
    const std::string path = "epochs[" + std::to_string(index) + "].";
    if (epoch.epoch < 1 || static_cast<std::size_t>(epoch.epoch) != index + 1) {
      Fail(path + "epoch",
           "expected " + std::to_string(index + 1) + ", found " + std::to_string(epoch.epoch));
    }
    Finite(path + "training_cross_entropy", epoch.training_cross_entropy);
    Finite(path + "validation_cross_entropy", epoch.validation_cross_entropy);
    Positive(path + "learning_rate", epoch.learning_rate);
    NotNegative(path + "largest_gradient_norm", epoch.largest_gradient_norm);
  }

  [[noreturn]] void Fail(const std::string& field, const std::string& message) const {
    pushdown::Fail("state." + field + ": " + message);
  }

  void Finite(const std::string& field, double value) const {
    if (!std::isfinite(value)) Fail(field, NumberText(value) + " is not a finite number");
  }
  void Positive(const std::string& field, double value) const {
    Finite(field, value);
    if (value <= 0) Fail(field, NumberText(value) + " is not positive");
  }
  template <typename T>
  void NotNegative(const std::string& field, T value) const {
    Finite(field, static_cast<double>(value));
    if (value < 0) Fail(field, NumberText(static_cast<double>(value)) + " is negative");
  }

  const TrainingState& state_;
};

void CheckValues(const ParameterLayout& layout, const std::string& prefix,
                 const std::vector<float>& values, float least) {
  if (values.size() != layout.size) {
    Fail(prefix + "*: there are " + std::to_string(values.size()) + " values, and the model has " +
         std::to_string(layout.size));
  }
  for (const ParameterTensor& tensor : layout.tensors) {
    for (std::size_t n = 0; n < tensor.size(); ++n) {
      const float value = values[tensor.offset + n];
      if (std::isfinite(value) && value >= least) continue;
      Fail("tensor " + Quoted(prefix + tensor.name) + ": value " + std::to_string(n + 1) +
           (std::isfinite(value) ? " is negative, and a mean of squares never is"
                                 : " is not a finite number"));
    }
  }
}

void Belongs(bool good, const char* what) {
  if (!good) Fail(std::string("the state is not one of this training: ") + what);
}

}  // namespace

void CheckFinite(const std::vector<float>& values, const ParameterLayout& layout,
                 const std::string& prefix) {
  CheckValues(layout, prefix, values, std::numeric_limits<float>::lowest());
}

void CheckNumbers(const TrainingState& state) { StateChecker(state).Check(); }

void CheckArrays(const TrainingState& state, const ParameterLayout& layout) {
  CheckFinite(state.parameters, layout, kModelPrefix);
  if (!state.best_parameters.empty()) CheckFinite(state.best_parameters, layout, kBestPrefix);
  const OptimizerState& optimizer = state.optimizer;
  if (!optimizer.mean.empty() || !optimizer.square.empty()) {
    CheckFinite(optimizer.mean, layout, kMeanPrefix);
    CheckValues(layout, kSquarePrefix, optimizer.square, 0);
  }
  if (state.early_stopping.any == state.best_parameters.empty()) {
    Fail(state.early_stopping.any ? "there is a best epoch, but not its parameters"
                                  : "there are best parameters, but no best epoch");
  }
}

void CheckBelongs(const TrainingState& state, const ParameterLayout& layout, int batches,
                  bool adam) {
  const std::size_t size = layout.size;
  Belongs(state.parameters.size() == size, "the number of parameters");
  const std::size_t adam_size = adam ? size : 0;
  Belongs(state.optimizer.mean.size() == adam_size && state.optimizer.square.size() == adam_size,
          "the state of its optimiser");
  Belongs(state.best_parameters.size() == (state.epochs.empty() ? 0 : size),
          "the number of parameters of the best epoch");
  Belongs(state.batches >= 0 && state.batches <= batches, "the number of batches");
  const auto epochs = static_cast<long long>(state.epochs.size());
  Belongs(state.optimizer.steps == epochs * batches + state.batches,
          "the number of optimiser steps");
  const EarlyStoppingState& early_stopping = state.early_stopping;
  Belongs(state.plateau.any == (epochs > 0) && early_stopping.any == (epochs > 0) &&
              early_stopping.best_epoch + early_stopping.bad_epochs == epochs,
          "its schedule");
}

}  // namespace pushdown
