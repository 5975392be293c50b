#pragma once

#include <string>
#include <vector>

#include "pushdown/experiment/plan.h"
#include "pushdown/run/language_choice.h"

namespace pushdown {

// The file of an experiment is TOML. Its keys are the settings of `pushdown train` or `pushdown lm
// train`, of which each may have an array of values; the cells are all combinations. Beside them:
//   command   "train" (default) or "lm train"
//   title     a line for people
//   restarts  runs of each cell
//   seed      what the seeds of all runs follow from
//   test      whether runs are evaluated on their test sets, too (default: true)
//   solved    a run whose difference from the optimum is below it has solved its task
// A table [[cells]] is a grid of its own: its settings take the place of those above. If there are
// such tables, there are no other cells. A table [[overrides]] has settings for the cells that its
// key `cells` chooses, see CellSelector.
//
// A cell is named by its task, grammar, symbols and model, by the settings that have an array of
// values, and by those of its [[cells]].

// Reads the file of an experiment. Settings in `set` take precedence over those of the file, in all
// cells. Throws Error, naming the file, and the line and the key or the cell.
ExperimentPlan ReadExperimentFile(const std::string& path,
                                  const std::vector<NamedSetting>& set = {}, const Warn& warn = {});
// The same of a text, which is untrusted; messages call it by a name.
ExperimentPlan ParseExperiment(const std::string& text, const std::string& name,
                               const std::vector<NamedSetting>& set = {}, const Warn& warn = {});

}  // namespace pushdown
