#pragma once

namespace pushdown {

// The learning rate is reduced when the validation perplexity stops falling, as by PyTorch's
// ReduceLROnPlateau.
struct PlateauOptions {
  double factor = 0.9;
  int patience = 5;            // so many epochs in a row without improvement do not matter
  double threshold = 1e-4;     // an improvement must be below best * (1 - threshold)
  double min_decrease = 1e-8;  // the rate stays as it is if it would decrease by less
};

struct PlateauState {
  bool any = false;  // whether an epoch has ended
  double best = 0;
  int bad_epochs = 0;
};

// To be called after each epoch. Returns the learning rate of the next epoch.
double NextLearningRate(const PlateauOptions& options, double perplexity, double learning_rate,
                        PlateauState& state);

// Training stops after some epochs in a row without any improvement; see TrainingOptions::patience.
struct EarlyStoppingState {
  bool any = false;
  double best = 0;  // cross-entropy
  int best_epoch = 0;
  int bad_epochs = 0;
};

// To be called after each epoch. Returns whether it is the best so far.
bool Improves(double cross_entropy, int epoch, EarlyStoppingState& state);

}  // namespace pushdown
