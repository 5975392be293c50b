#include "pushdown/run/settings.h"

#include <cmath>

#include "pushdown/random.h"

namespace pushdown {

RunSettings DefaultSettings(DataKind kind) {
  RunSettings settings;
  settings.kind = kind;
  if (kind == DataKind::kStrings) return settings;
  settings.min_learning_rate = 1;
  settings.max_learning_rate = 100;
  TrainingOptions& training = settings.training;
  training.optimizer = Optimizer::kSgd;
  training.plateau = {.factor = 1 / 1.5, .patience = 0, .threshold = 0, .min_decrease = 0};
  training.patience = 2;
  training.max_epochs = 100;
  return settings;
}

RunSettings SettingsOfRestart(const RunSettings& settings, int restart) {
  enum Purpose : std::uint64_t { kData, kParameters, kShuffling, kHyperparameters, kPurposes };
  const auto derived = [&](Purpose purpose) {
    const std::uint64_t stream = static_cast<std::uint64_t>(restart) * kPurposes + purpose;
    return Random(settings.seed, stream).Next() >> 32;  // short enough to be typed
  };
  RunSettings result = settings;
  result.restarts = 1;
  Seeds& seeds = result.seeds;
  if (!seeds.data) seeds.data = derived(kData);
  if (!seeds.parameters) seeds.parameters = derived(kParameters);
  if (!seeds.shuffling) seeds.shuffling = derived(kShuffling);
  if (!seeds.hyperparameters) seeds.hyperparameters = derived(kHyperparameters);
  Random random(*seeds.hyperparameters);
  const auto log_uniform = [&random](double min, double max) {
    return std::exp(random.Uniform(std::log(min), std::log(max)));
  };
  // Drawn even if they are given, so that giving one does not change the other.
  const double rate = log_uniform(settings.min_learning_rate, settings.max_learning_rate);
  const double clipping = log_uniform(settings.min_clipping, settings.max_clipping);
  if (!result.learning_rate) result.learning_rate = rate;
  result.training.learning_rate = *result.learning_rate;
  if (settings.kind == DataKind::kText) {
    if (!result.clipping) result.clipping = clipping;
    result.training.clipping = *result.clipping;
  } else {
    result.dataset.seed = *seeds.data;
    result.dataset.batch_size = result.strings.batch_size;
    result.strings.shuffle_seed = *seeds.shuffling;
  }
  return result;
}

}  // namespace pushdown
