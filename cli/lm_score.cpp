#include <memory>

#include "cli/commands.h"
#include "cli/option_values.h"
#include "cli/score_model.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(RUN is a directory of `pushdown lm train`; of several restarts, the best one is taken. It may also
be a model file alone. FILE has a sentence a line, words separated by spaces; without FILE, or for
-, it is standard input. <eos> is put after each line. Words that the model does not know are <unk>,
if its vocabulary has that, and an error otherwise. `pushdown score` does the same for models of
both kinds, and has next words and minimal pairs, too.

Each sentence is scored by itself, as if it were the first one of a text. With --running, the lines
are one text, and each is read after those before it: their sum is then what
`pushdown lm evaluate --batch-size 1` says.

Output: a line a sentence, with tabs between log p (natural logarithm, <eos> included), the number
of tokens (<eos> counted) and the sentence as the model sees it. With --tokens, a line a token
instead: the number of the sentence, log p, and the token. With --json, an object a line:
  {"sentence": 1, "log_p": -23.1, "tokens": ["a", "b", "<eos>"], "log_ps": [-8.2, -9.6, -5.3]}
The totals go to standard error.

Examples:
  pushdown lm score runs/ptb sentences.txt
  echo "the company said it will" | pushdown lm score runs/ptb --tokens

Exit code: 0, 1 if the model gives no finite probabilities or the output cannot be written, 2 if
RUN, FILE or the command line is wrong.)";

}  // namespace

void AddLmScoreCommand(Command lm) {
  const Command score = lm.AddCommand("score", "log p of sentences and their words");
  score.Footer(kFooter);
  auto command = std::make_shared<ModelScoreCommand>();
  command->lm = true;
  AddRunArgument(score, command->model);
  score.AddOption("FILE", command->file, "Sentences, a line each").TypeName("");
  score.AddFlag("--running", command->running, "Read each sentence after those before it");
  score.AddFlag("--tokens", command->tokens, "A line for each token");
  score.AddFlag("--json", command->json, "A JSON object for each sentence");
  AddThreadsOption(score, command->threads);
  score.Callback([command] { ScoreWithModel(*command); });
}

}  // namespace pushdown::cli
