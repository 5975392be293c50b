#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/evaluate_text.h"
#include "cli/option_values.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(RUN is a directory of `pushdown lm train`; of several restarts, the best one is taken, and of its
epochs that with the best validation. The text is a split of the run's --data, or of the directory
that --data names here, with the run's vocabulary: other words are <unk>, if it has that.

The text is read as in training: as one stream, <eos> after each line, wrapped into --batch-size
rows that are read side by side, which all begin with an empty state. With --batch-size 1 it is
read from beginning to end in one piece; that takes longer, and the perplexity is slightly better,
since fewer tokens are predicted without what goes before them. The length of chunks makes no
difference. Defaults are those of the training.

Output: tokens (<eos> counted), cross-entropy in nats a token and perplexity, which is its
exponential. With --json, an object with all of it.

Examples:
  pushdown lm evaluate runs/ptb
  pushdown lm evaluate runs/ptb --split validation --json
  pushdown lm evaluate runs/ptb --batch-size 1 --data other/corpus

Exit code: 0, 1 if the model gives no finite probabilities or the output cannot be written, 2 if
RUN, its data or the command line is wrong.)";

struct LmEvaluateCommand {
  std::string run;
  std::string split = "test";
  TextEvaluationRequest request;
  bool json = false;
};

}  // namespace

void AddLmEvaluateCommand(Command lm) {
  const Command evaluate = lm.AddCommand("evaluate", "Perplexity of a text under a trained model");
  evaluate.Footer(kFooter);
  auto command = std::make_shared<LmEvaluateCommand>();
  AddRunArgument(evaluate, command->run);
  AddSplitOption(evaluate, command->split);
  evaluate.AddOption("--data", command->request.data, "Another directory than the run's")
      .TypeName("DIR");
  AddTextReadingOptions(evaluate, command->request);
  AddThreadsOption(evaluate, command->request.threads);
  evaluate.AddFlag("--json", command->json, "Print a JSON object");
  evaluate.Callback([command] {
    command->request.split = ParseSplit(command->split);
    EvaluateTextModel(command->run, command->request, command->json);
  });
}

}  // namespace pushdown::cli
