#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "pushdown/model/model_spec.h"
#include "pushdown/run/language_choice.h"
#include "pushdown/train/trainer.h"

namespace pushdown {

// What a training reports while it is running, and at its end.

struct RunStart {
  ModelSpec spec;
  std::size_t parameters = 0;
  long long training_items = 0;       // strings, or tokens of text
  int batches = 0;                    // in an epoch
  std::optional<double> lower_bound;  // of the validation set
  int epochs_done = 0;
  int batches_done = 0;
  bool finished = false;  // whether the training had already ended
};

struct RunProgress {
  int epoch = 1;        // the current epoch
  double fraction = 0;  // how much of the epoch is done
  double items_per_second = 0;
};

struct EpochReport {
  EpochMetrics metrics;
  std::optional<double> difference;  // from the lower bound
  double seconds = 0;                // of the epoch, in this session
  double items_per_second = 0;
};

struct RunResult {
  bool finished = false;  // false if it was stopped, and can be resumed
  StopReason reason = StopReason::kNone;
  std::string failure;  // how the training has diverged; empty if it has not
  int epochs = 0;
  int best_epoch = 0;                   // 0: no epoch has ended yet
  double validation_cross_entropy = 0;  // of the best epoch
  std::optional<double> difference;     // from the lower bound
  double learning_rate = 0;             // the initial one
  double seconds = 0;                   // of all sessions together

  // The score that restarts are compared by, see ValidationScore; nothing before the first epoch
  // has ended.
  std::optional<double> score() const;
};
const char* StopText(StopReason reason);

// Callbacks with which a training is watched and stopped. Restarts are numbered from 1. They may
// run side by side, each on a thread of its own, and each calls the functions on its thread.
// Functions may be empty.
struct TrainingWatch {
  std::function<void(int restart, const RunStart&)> on_start = {};
  std::function<void(int restart, const RunProgress&)> on_batch = {};
  std::function<void(int restart, const EpochReport&)> on_epoch = {};
  std::function<void(int restart)> on_end = {};
  std::function<void(const std::string& failure)> on_failure =
      {};  // one of several restarts failed
  Warn on_warning = {};
  std::function<bool()> stop = {};  // asked between batches, and in the middle of validations
  StageProgress progress = {};      // of the preparations; if it throws, the training ends
};

}  // namespace pushdown
