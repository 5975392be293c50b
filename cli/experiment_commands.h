#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "pushdown/experiment/experiment.h"
#include "pushdown/experiment/runner.h"

namespace pushdown::cli {

// The commands of `pushdown experiment`, each in the file of its name.
void AddExperimentRunCommand(Command experiment);
void AddExperimentSubmitCommand(Command experiment);
void AddExperimentTaskCommand(Command experiment);
void AddExperimentResultCommands(Command experiment);

// What `run` and `submit` have in common: the experiment, and which of its runs.
struct ExperimentChoice {
  std::string file;
  std::string out;
  std::vector<std::string> set;
  std::string only;
  int restarts = 0;  // 0: those of the file
};
void AddExperimentChoiceOptions(Command command, ExperimentChoice& choice);
// The plan of the file, or of the existing experiment if there is no file.
ExperimentPlan PlanOf(const ExperimentChoice& choice);
// The runs that are chosen, in their order.
std::vector<RunId> ChosenRuns(const ExperimentChoice& choice, const ExperimentPlan& plan);

// Trains runs, shows the progress on standard error, and ends the command if not all is well:
// `again` says how to go on.
void TrainAndShow(const Experiment& experiment, const std::vector<RunId>& runs,
                  const ExperimentExecution& execution, const std::string& again);

}  // namespace pushdown::cli
