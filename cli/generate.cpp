#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/generate_command.h"

namespace pushdown::cli {
namespace {

constexpr const char* kBegin =
    R"(RUN is a directory of `pushdown train` or `pushdown lm train`; of several restarts, the best one is
taken, and of its epochs that with the best validation. It may also be a model file alone. A string,
or a sentence of a model of text, begins with the symbols or words of --prompt, and ends where the
model chooses its end, or is cut at --max-length. Each sentence is as if it were the first one of a
text; with --running, they are one text, and each follows from those before it.

)";

constexpr const char* kEnd = R"(
Output: a string a line, tabs between its columns, which are:
  mark       in: in the language; out: not in it; cut: not ended before --max-length;
             -: ended, but of no known language (text, or --data without a task.json)
  log_p      with --beam only: the model's log p of what follows the prompt, the end included
  string     tokens separated by spaces, those of the prompt included
  objection  only after out: why it is not in the language, "position N: reason"
With --json, a line is {"mark": ..., "length": N, "string": ..., "log_p": ..., "objection": ...};
log_p is the model's natural log p of what follows the prompt, whatever the temperature, the end
included unless it was cut. How many strings are in the language is reported on standard error.

Examples:
  pushdown generate runs/dyck
  pushdown generate runs/dyck --count 1000 --json > strings.jsonl
  pushdown generate runs/reversal --prompt "0 1 1 #" --beam 10 --count 3
  pushdown generate runs/ptb --prompt "the company said" --top-k 20

Exit code: 0, also if strings are not in the language, 1 if the model gives no finite probabilities
or the output cannot be written, 2 if RUN or the command line is wrong.)";

}  // namespace

void AddGenerateCommand(Command program) {
  const Command generate =
      program.AddCommand("generate", "Print strings or sentences of a trained model");
  generate.Footer(std::string(kBegin) + kGenerateHelp + kEnd);
  auto command = std::make_shared<GenerateCommand>();
  AddGenerateOptions(generate, *command);
  generate.Callback([generate, command] { Generate(generate, *command); });
}

}  // namespace pushdown::cli
