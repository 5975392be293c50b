#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/option_values.h"
#include "cli/perplexity_text.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "pushdown/data/text_corpus.h"
#include "pushdown/data/text_rows.h"
#include "pushdown/json.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/evaluation.h"
#include "pushdown/run/text_data.h"

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
  std::string data;
  int batch_size = 0;  // 0: that of the training
  int chunk_length = 0;
  int threads = 1;
  bool json = false;
};

TextSplit SplitOf(const std::string& name) {
  if (name == "training") return TextSplit::kTraining;
  return name == "validation" ? TextSplit::kValidation : TextSplit::kTest;
}

std::vector<int> ReadSplit(const LmEvaluateCommand& command, const TrainedModel& model,
                           std::string& file) {
  const std::string directory = command.data.empty() ? TextDirectoryOf(model) : command.data;
  if (directory.empty()) {
    throw UsageError(fmt::format("{}: is a model without its run, and has no text; give --data DIR",
                                 Printable(model.path, 200)));
  }
  file = TextFile(directory, SplitOf(command.split));
  if (file.empty()) {
    throw UsageError(fmt::format("{} has no test set; --split validation has a text",
                                 Printable(directory, 200)));
  }
  return ParseText(ReadText(file, MaxTextBytes()), file, model.vocabulary);
}

void Evaluate(const LmEvaluateCommand& command) {
  CheckSimdTarget();
  OutputFile out("-");
  const TrainedModel model =
      OpenModel(command.run, DataKind::kText, "use `pushdown evaluate`", PrintWarning);
  TextBatching batching = BatchingOf(model);
  if (command.batch_size > 0) batching.rows = command.batch_size;
  if (command.chunk_length > 0) batching.chunk_length = command.chunk_length;
  std::string file;
  const std::vector<int> tokens = ReadSplit(command, model, file);
  const TextRows rows(tokens, *model.vocabulary.Find(kEndOfSentence), batching.rows,
                      batching.chunk_length);
  const std::string path = std::filesystem::is_directory(command.run)
                               ? std::filesystem::path(model.path).parent_path().string()
                               : model.path;
  double loss = 0;
  try {
    const std::vector<double> losses =
        ScoreText(model, tokens, batching, command.threads, StageBar());
    loss = std::accumulate(losses.begin(), losses.end(), 0.0);
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(),
                fmt::format("{}: {}", Printable(path, 200), MessageForUser(error)));
  }
  const double cross_entropy = loss / static_cast<double>(tokens.size());
  if (!std::isfinite(cross_entropy)) {
    throw RunError(fmt::format("{}: the model gives no finite probabilities to the text",
                               Printable(path, 200)));
  }
  const Json result = {{"run", path},
                       {"model", ModelName(model.spec)},
                       {"hidden_units", model.spec.hidden_units},
                       {"parameters", model.parameters.size()},
                       {"split", command.split},
                       {"file", file},
                       {"batch_size", rows.rows()},
                       {"chunk_length", rows.chunk_length()},
                       {"tokens", tokens.size()},
                       {"cross_entropy", cross_entropy},
                       {"perplexity", std::exp(cross_entropy)}};
  if (command.json) {
    out.Write(IndentedJson(result));
  } else {
    out.Write(fmt::format(
        "run            {}\nmodel          {}, {} hidden units, {} parameters\n"
        "split          {}: {}, in {} row{}\ntokens         {}\n"
        "cross-entropy  {:.6f} nats a token\nperplexity     {}\n",
        Printable(path, 1000), ModelName(model.spec), model.spec.hidden_units,
        model.parameters.size(), command.split, Printable(file, 1000), rows.rows(),
        rows.rows() == 1 ? "" : "s", tokens.size(), cross_entropy, PerplexityText(cross_entropy)));
  }
  out.Commit();
}

}  // namespace

void AddLmEvaluateCommand(Command lm) {
  const Command evaluate = lm.AddCommand("evaluate", "Perplexity of a text under a trained model");
  evaluate.Footer(kFooter);
  auto command = std::make_shared<LmEvaluateCommand>();
  AddRunArgument(evaluate, command->run);
  AddSplitOption(evaluate, command->split);
  evaluate.AddOption("--data", command->data, "Another directory than the run's").TypeName("DIR");
  AddIntegerOption(evaluate, "--batch-size", command->batch_size,
                   "Rows side by side (default: as in training)", 1, 1 << 20)
      .Default("");
  AddIntegerOption(evaluate, "--chunk-length", command->chunk_length,
                   "Steps at a time (default: as in training)", 1, 1 << 20)
      .Default("");
  AddThreadsOption(evaluate, command->threads);
  evaluate.AddFlag("--json", command->json, "Print a JSON object");
  evaluate.Callback([command] { Evaluate(*command); });
}

}  // namespace pushdown::cli
