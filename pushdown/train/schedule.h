#pragma once

namespace pushdown {

// The learning rate falls where the validation perplexity no longer does: PyTorch's
// ReduceLROnPlateau.
struct PlateauOptions {
  double factor = 0.9;
  int patience = 5;            // epochs in a row without improvement that are tolerated
  double threshold = 1e-4;     // an improvement is to less than best * (1 - threshold)
  double min_decrease = 1e-8;  // a smaller change of the rate is not made
};

struct PlateauState {
  bool any = false;  // whether there has been an epoch
  double best = 0;
  int bad_epochs = 0;
};

// To be called after each epoch. Returns the rate of the next one.
double NextLearningRate(const PlateauOptions& options, double perplexity, double learning_rate,
                        PlateauState& state);

// Training stops after `patience` epochs in a row without any improvement on the best.
struct EarlyStoppingState {
  bool any = false;
  double best = 0;  // cross-entropy
  int best_epoch = 0;
  int bad_epochs = 0;
};

// To be called after each epoch. Returns whether it is the best so far.
bool Improves(double cross_entropy, int epoch, EarlyStoppingState& state);

}  // namespace pushdown
