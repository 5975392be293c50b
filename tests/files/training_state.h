#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "pushdown/model/parameters.h"
#include "pushdown/random.h"
#include "pushdown/train/trainer.h"

namespace pushdown::testing_state {

// Numbers of all magnitudes, with all bits of their fractions in use.
inline double RandomDouble(Random& random) {
  return std::ldexp(random.Uniform(0.5, 1), static_cast<int>(random.Below(600)) - 300);
}

inline std::vector<float> RandomFloats(std::size_t size, Random& random) {
  std::vector<float> values(size);
  for (float& value : values) {
    value = static_cast<float>(random.Uniform(-1, 1)) *
            std::ldexp(1.0F, static_cast<int>(random.Below(280)) - 155);  // denormals too
  }
  return values;
}

// The state after some epochs, in the midst of another one, as far as a file can tell.
inline TrainingState RandomState(std::size_t parameters, int epochs, Random& random) {
  TrainingState state;
  state.parameters = RandomFloats(parameters, random);
  if (epochs > 0) state.best_parameters = RandomFloats(parameters, random);
  state.optimizer.mean = RandomFloats(parameters, random);
  state.optimizer.square = RandomFloats(parameters, random);
  for (float& value : state.optimizer.square) value = std::abs(value);
  state.optimizer.steps = static_cast<long long>(random.Next() >> 1);
  state.learning_rate = RandomDouble(random);
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    state.epochs.push_back({.epoch = epoch,
                            .training_cross_entropy = RandomDouble(random),
                            .validation_cross_entropy = RandomDouble(random),
                            .learning_rate = RandomDouble(random),
                            .largest_gradient_norm = RandomDouble(random),
                            .best = random.Below(2) == 0});
  }
  if (epochs > 0) {
    state.plateau = {.any = true, .best = RandomDouble(random), .bad_epochs = 2147483647};
    state.early_stopping = {
        .any = true,
        .best = RandomDouble(random),
        .best_epoch = 1 + static_cast<int>(random.Below(static_cast<std::uint64_t>(epochs))),
        .bad_epochs = static_cast<int>(random.Below(10))};
  }
  state.batches = static_cast<int>(random.Below(1000));
  state.loss = RandomDouble(random);
  state.largest_gradient_norm = RandomDouble(random);
  return state;
}

}  // namespace pushdown::testing_state
