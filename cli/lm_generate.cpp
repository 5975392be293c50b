#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/generate_command.h"

namespace pushdown::cli {
namespace {

constexpr const char* kBegin =
    R"(RUN is a directory of `pushdown lm train`; of several restarts, the best one is taken. It may also
be a model file alone. `pushdown generate` does the same for models of both kinds.

A sentence begins with the words of --prompt, and ends with <eos>, or is cut at --max-length words.
Each is as if it were the first one of a text. With --running, they are one text, and each follows
from those before it.

)";

constexpr const char* kEnd = R"(
Output: a line a sentence; with --beam, log p of what follows the prompt and a tab stand before it.
With --json, an object a line, where log_p is that of the words after the prompt and of <eos>:
  {"sentence": "it did n't say", "words": 4, "log_p": -19.5, "ended": true}

Examples:
  pushdown lm generate runs/ptb
  pushdown lm generate runs/ptb --count 100 --temperature 0.7 --running
  pushdown lm generate runs/ptb --prompt "the company said" --beam 5

Exit code: 0, 1 if the model gives no finite probabilities or the output cannot be written, 2 if RUN
or the command line is wrong.)";

}  // namespace

void AddLmGenerateCommand(Command lm) {
  const Command generate = lm.AddCommand("generate", "Print sentences of a model");
  generate.Footer(std::string(kBegin) + kGenerateHelp + kEnd);
  auto command = std::make_shared<GenerateCommand>(GenerateCommand{.lm = true});
  AddGenerateOptions(generate, *command);
  generate.Callback([generate, command] { Generate(generate, *command); });
}

}  // namespace pushdown::cli
