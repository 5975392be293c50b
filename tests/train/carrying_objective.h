#pragma once

// An objective that takes something over from batch to batch, and whose gradients are sparse, as
// those of models of text do and are.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/train/trainer.h"

namespace pushdown::testing_oracle {

class CarryingObjective : public Objective {
 public:
  explicit CarryingObjective(int threads) : layout_(ParseModelSpec("lstm", 2, 2)), pool_(threads) {}

  const ParameterLayout& layout() const override { return layout_; }
  WorkerPool& pool() override { return pool_; }
  int batches() const override { return 7; }
  long long training_symbols() const override { return 70; }

  // Pulls every third parameter towards what is carried, which depends on all batches before.
  double Gradient(int epoch, int batch, std::span<const float> parameters,
                  std::span<float> gradient) override {
    if (batch == 0) carried_ = 0.5;
    ranges_.clear();
    double loss = 0;
    for (std::size_t n = static_cast<std::size_t>(batch) % 3; n < parameters.size(); n += 3) {
      const double distance = static_cast<double>(parameters[n]) - carried_;
      gradient[n] = static_cast<float>(distance);
      loss += distance * distance / 2;
      ranges_.push_back({n, n + 1});
    }
    carried_ = std::sin(10 * carried_ + epoch + loss);
    return loss;
  }
  std::span<const ParameterRange> gradient_ranges() const override { return ranges_; }

  double Validate(std::span<const float> parameters, const std::function<void()>& check) override {
    carried_ = 1e9;  // it may forget
    if (check) check();
    double sum = 1;
    for (const float value : parameters) sum += std::abs(static_cast<double>(value));
    return std::log(sum);
  }

  std::string Carried() const override {
    return {reinterpret_cast<const char*>(&carried_), sizeof(carried_)};
  }
  void RestoreCarried(std::span<const float> /*parameters*/, std::string_view carried) override {
    if (carried.size() != sizeof(carried_)) throw Error("CarryingObjective", "a wrong size");
    std::memcpy(&carried_, carried.data(), sizeof(carried_));
  }

 private:
  ParameterLayout layout_;
  WorkerPool pool_;
  std::vector<ParameterRange> ranges_;
  double carried_ = 0;
};

inline Trainer MakeCarryingTrainer(Optimizer optimizer, int threads = 1) {
  TrainingOptions options;
  options.optimizer = optimizer;
  options.learning_rate = 0.1;
  options.clipping = 0.7;
  options.max_epochs = 4;
  return {std::make_unique<CarryingObjective>(threads), options};
}

}  // namespace pushdown::testing_oracle
