#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/language_options.h"
#include "cli/train_command.h"

namespace pushdown::cli {
namespace {

constexpr const char* kHelp = R"(

The procedure is that of the paper's appendix D, whose numbers are the defaults: Adam, gradients
clipped, batches of strings of equal length in a new order each epoch, the loss summed over a
string and averaged over a batch. A learning rate that is not given is drawn for each run. It falls
when more than --decay-patience epochs in a row bring no improvement on the perplexity of the
validation set, and training stops after --patience epochs without any.

Shown after each epoch: the cross-entropy in nats a symbol of the training set (while parameters
changed) and of the validation set, the latter's difference from the optimum, which is exact, the
learning rate, strings a second, the time left if all epochs are needed, and * for the best epoch
so far. On a narrow terminal, what is least important of that is left out. Printed at the end: a
table of the runs with the epoch that was best, * marking the best run (--json: an object).

)";
constexpr const char* kHelpAfterRun =
    R"(With --restarts N, runs are in restart-1 .. restart-N, beside a config.json and a summary.json of
them all. Each has its own data unless --data-seed is given, so the best one, which `pushdown
evaluate` takes, is that with the smallest difference from its optimum.

--data DIR reads main.tok (training) and datasets/validation/main.tok, a string a line and tokens
separated by spaces, and main.vocab, a token a line. If there is a task.json, as `pushdown data`
writes it, the optimum is known, and if there is datasets/test/main.tok, `evaluate` reads it.

--config FILE has options in TOML; options on the command line take precedence. Names of files are
relative to the working directory:
  task = "marked-reversal"
  model = "rns-2-3"
  learning-rate = 0.005

Examples:
  pushdown train --task marked-reversal --model rns-2-3 --out runs/mr
  pushdown train --task marked-copy --model rns-3-3 --restarts 10 --jobs 2 --out runs/mc
  pushdown train --resume --out runs/mc --time-limit 2h
  pushdown train --resume --out runs/mr --max-epochs 400
  pushdown train --task marked-reversal --lengths 40:160 --model rns-2-3 --start-from runs/mr \
    --out runs/longer
  pushdown train --grammar agreement.cfg --lengths 3:20 --model sup-10 --out runs/agreement

Exit code: 0 if all runs have ended; 1 if a run fails or cannot be saved; 2 if an input file or the
command line is wrong; 75 if --time-limit, SIGUSR1 or SIGUSR2 stopped the training, which --resume
continues; 128 + N if signal N (SIGINT, SIGTERM, SIGHUP) did, which saves and can be resumed too.)";

}  // namespace

void AddTrainCommand(Command program) {
  const Command train = program.AddCommand("train", "Train a stack RNN on a formal language");
  train.Footer(std::string(kLanguageHelp) + kHelp + kRunHelp + kHelpAfterRun);
  auto command = std::make_shared<TrainCommand>(TrainCommand{.kind = DataKind::kStrings});
  AddTrainCommandOptions(train, *command);
  train.Callback([command] { RunTrainCommand(*command); });
}

}  // namespace pushdown::cli
