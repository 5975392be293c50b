#pragma once

#include <CLI/App.hpp>
#include <string>

#include "cli/restarts.h"
#include "cli/train_settings.h"

namespace pushdown::cli {

// `pushdown train` or `pushdown lm train`.
struct TrainCommand {
  TrainSettings settings;  // of its kind
  std::string config = {};
  RestartsOptions restarts = {};
};

// `command` must live until it runs.
void AddTrainCommandOptions(CLI::App& app, TrainCommand& command);

// Throws UsageError, RunError, Error and Interrupted.
void RunTrainCommand(CLI::App& app, TrainCommand& command);

}  // namespace pushdown::cli
