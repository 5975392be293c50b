#include "cli/lm.h"

#include "cli/lm_evaluate.h"
#include "cli/lm_generate.h"
#include "cli/lm_score.h"
#include "cli/lm_train.h"

namespace pushdown::cli {

void AddLmCommand(CLI::App& program) {
  CLI::App* lm = program.add_subcommand("lm", "Language models of running text");
  lm->require_subcommand(1);
  AddLmTrainCommand(*lm);
  AddLmEvaluateCommand(*lm);
  AddLmScoreCommand(*lm);
  AddLmGenerateCommand(*lm);
}

}  // namespace pushdown::cli
