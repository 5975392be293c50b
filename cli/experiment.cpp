#include "cli/commands.h"
#include "cli/experiment_commands.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(An experiment is a TOML file. Its keys are the options of `pushdown train` or `pushdown lm train`,
and each may have several values:
  title    = "Which models learn to copy?"
  task     = ["marked-copy", "unmarked-copy"]
  model    = ["lstm", "rns-3-3"]
  restarts = 10
This one has 4 cells, all combinations, and 40 runs. Other keys: command ("train" or "lm train"),
seed, test (false: runs are not evaluated on their test sets), solved (the difference below which a
run has solved its task). [[cells]] is a grid of its own, whose settings take the place of those
above; [[overrides]] has settings for some cells, such as cells = "model=rns-3-3".

Examples:
  pushdown experiment run experiments/quick.toml --out runs/quick
  pushdown experiment status runs/quick
  pushdown experiment table runs/quick -o md
  pushdown experiment submit experiments/capacity.toml --out runs/capacity -- --partition=cpu

docs/experiments.md has the whole way from the file to the table.)";

}  // namespace

void AddExperimentCommand(Command program) {
  const Command experiment =
      program.AddCommand("experiment", "Many runs from one file, on one machine or on Slurm");
  experiment.Footer(kFooter);
  experiment.RequireCommand();
  AddExperimentRunCommand(experiment);
  AddExperimentSubmitCommand(experiment);
  AddExperimentResultCommands(experiment);
  AddExperimentTaskCommand(experiment);
}

}  // namespace pushdown::cli
