#pragma once

#include <string>

#include "cli/command.h"
#include "cli/setting_options.h"
#include "pushdown/run/settings.h"

namespace pushdown::cli {

// `pushdown train` or `pushdown lm train`.
struct TrainCommand {
  DataKind kind = DataKind::kStrings;
  GivenSettings given = {};
  std::string config = {};
  bool resume = false;
  bool dry_run = false;
  bool json = false;
};

// Help that both commands have: what a run keeps, and how it is stopped and resumed.
inline constexpr const char* kRunHelp =
    R"(--out is a directory that must not exist, or be empty. A run keeps in it:
  config.json             all settings, seeds, the vocabulary and the machine
  metrics.jsonl           a line an epoch; the same for the same settings, however often stopped
  timing.jsonl            sessions and seconds
  model.safetensors       the parameters of the best epoch
  checkpoint.safetensors  what --resume goes on from: every epoch, and every --checkpoint-interval
  summary.json            when it is finished
Ctrl-C, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 and --time-limit end the batch or the validation, save,
and say how to resume; if the program is killed, the time since the last checkpoint is lost. A
resumed run has the same result, bit for bit, for any number of threads, on the same kind of CPU.
(On another kind, rounding differs, and a seed that succeeds on one may fail on the other.)
--resume needs no other options than --out; threads, jobs, time limits and intervals are not kept.
With --max-epochs it changes the run's limit, and --data says where its data are now, if they were
moved: their contents must be the same. All other settings must stay what they were.

--start-from RUN begins with the best parameters of another run, or with a model file, which must be
of the same model and vocabulary, and with a new optimiser. The run keeps a copy of them,
start.safetensors.

--config RUN/config.json repeats that run, with other options where they are given: --model NAME
changes the model, and --seed N draws all seeds anew. --dry-run trains for two seconds, writes
nothing, and prints all settings and what the training will take.

)";

// `train` must live until it runs.
void AddTrainCommandOptions(Command command, TrainCommand& train);

// Throws UsageError, RunError, Error and Interrupted.
void RunTrainCommand(const TrainCommand& command);

}  // namespace pushdown::cli
