#include "cli/commands.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(Examples:
  pushdown lm train --data ptb --model vrns-3-3-5 --out runs/vrns
  pushdown lm evaluate runs/vrns
  pushdown lm generate runs/vrns --prompt "the company said"

The help of each command, such as `pushdown lm train --help`, says the rest.)";

}  // namespace

void AddLmCommand(Command program) {
  const Command lm = program.AddCommand("lm", "Language models of running text");
  lm.Footer(kFooter);
  lm.RequireCommand();
  AddLmTrainCommand(lm);
  AddLmEvaluateCommand(lm);
  AddLmScoreCommand(lm);
  AddLmGenerateCommand(lm);
}

}  // namespace pushdown::cli
