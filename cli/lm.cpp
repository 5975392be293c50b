#include "cli/lm.h"

#include "cli/lm_evaluate.h"
#include "cli/lm_generate.h"
#include "cli/lm_score.h"
#include "cli/lm_train.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(Examples:
  pushdown lm train --data ptb --model vrns-3-3-5 --out runs/vrns
  pushdown lm evaluate runs/vrns
  pushdown lm generate runs/vrns --prompt "the company said"

The help of each command, such as `pushdown lm train --help`, says the rest.)";

}  // namespace

void AddLmCommand(CLI::App& program) {
  CLI::App* lm = program.add_subcommand("lm", "Language models of running text");
  lm->footer(kFooter);
  lm->require_subcommand(1);
  AddLmTrainCommand(*lm);
  AddLmEvaluateCommand(*lm);
  AddLmScoreCommand(*lm);
  AddLmGenerateCommand(*lm);
}

}  // namespace pushdown::cli
