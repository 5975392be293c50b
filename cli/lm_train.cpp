#include <memory>

#include "cli/commands.h"
#include "cli/train_command.h"

namespace pushdown::cli {
namespace {

constexpr const char* kHelp =
    R"(Trains a stack RNN as a language model of text, such as the Penn Treebank.

--data DIR has a training, a validation and perhaps a test text, a sentence a line and words
separated by spaces: either NAME.train.txt, NAME.valid.txt and NAME.test.txt (or all without NAME
and its dot), or main.tok, datasets/validation/main.tok and datasets/test/main.tok. Each line ends
with the token <eos>, which is not in the files. The words of the training text are the vocabulary;
others are <unk> if that is one of them, and refused if not.

--model is one of
  lstm              an LSTM alone
  sup-SIZE[-..]     with superposition stacks of vectors; sup-h pushes the hidden state
  rns-Q-S           with a nondeterministic stack of Q states and S symbols
  vrns-Q-S-SIZE     whose symbols have vectors
lstm-N and sup-h-N have N hidden units, as lstm-256 and sup-h-247. Stacks have a --window, or a
--depth-limit, since a text has no end. `pushdown params --text` lists a model's parameters.

The procedure is that of the paper's appendix H, whose numbers are the defaults. The text is cut
into --batch-size rows, which are read side by side, --chunk-length steps at a time. The state of a
row, its stack included, is carried from chunk to chunk, and gradients are cut between them.
Parameters start uniform between --init-bound and its negative. Plain gradient descent follows the
mean loss of a chunk, clipped. A learning rate or a clipping threshold that is not given is drawn
for each run. After more than --decay-patience epochs without a lower perplexity of the validation
text, the rate is multiplied by --decay-factor (2/3: it is divided by 1.5); after --patience of
them, training stops.

Shown after each epoch: the perplexity of the training text (while parameters changed) and of the
validation text, <eos> included, the learning rate, tokens a second, the time left if all epochs are
needed, and * for the best epoch so far. On a narrow terminal, what is least important of that is
left out. Printed at the end: a table of the runs with the epoch that was best, * marking the best
run (--json: an object), with the validation text's cross-entropy in nats a token.

)";
constexpr const char* kHelpAfterRun =
    R"(With --restarts N, runs are in restart-1 .. restart-N, beside a config.json and a summary.json of
them all. They go one after the other, each with all CPUs, unless --jobs is given.

--config FILE has options in TOML; options on the command line take precedence. Names of files are
relative to the working directory:
  data = "ptb"
  model = "vrns-3-3-5"
  learning-rate = 10

Examples:
  pushdown lm train --data ptb --model vrns-3-3-5 --out runs/vrns
  pushdown lm train --data ptb --model lstm-256 --restarts 10 --out runs/lstm
  pushdown lm train --resume --out runs/lstm --time-limit 8h
  pushdown lm train --data texts --model rns-2-3 --hidden-units 64 --learning-rate 5 \
    --clipping 0.25 --out runs/small

Exit code: 0 if all runs have ended; 1 if a run fails or cannot be saved; 2 if an input file or the
command line is wrong; 75 if --time-limit, SIGUSR1 or SIGUSR2 stopped the training, which --resume
continues; 128 + N if signal N (SIGINT, SIGTERM, SIGHUP) did, which saves and can be resumed too.)";

}  // namespace

void AddLmTrainCommand(Command lm) {
  const Command train = lm.AddCommand("train", "Train a stack RNN on text");
  train.Footer(std::string(kHelp) + kRunHelp + kHelpAfterRun);
  auto command = std::make_shared<TrainCommand>(TrainCommand{.kind = DataKind::kText});
  AddTrainCommandOptions(train, *command);
  train.Callback([command] { RunTrainCommand(*command); });
}

}  // namespace pushdown::cli
