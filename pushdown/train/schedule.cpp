#include "pushdown/train/schedule.h"

namespace pushdown {

double NextLearningRate(const PlateauOptions& options, double perplexity, double learning_rate,
                        PlateauState& state) {
  if (!state.any || perplexity < state.best * (1 - options.threshold)) {
    state = {.any = true, .best = perplexity, .bad_epochs = 0};
    return learning_rate;
  }
  ++state.bad_epochs;
  if (state.bad_epochs <= options.patience) return learning_rate;
  state.bad_epochs = 0;
  const double next = learning_rate * options.factor;
  return learning_rate - next > options.min_decrease ? next : learning_rate;
}

bool Improves(double cross_entropy, int epoch, EarlyStoppingState& state) {
  if (!state.any || cross_entropy < state.best) {
    state = {.any = true, .best = cross_entropy, .best_epoch = epoch, .bad_epochs = 0};
    return true;
  }
  ++state.bad_epochs;
  return false;
}

}  // namespace pushdown
