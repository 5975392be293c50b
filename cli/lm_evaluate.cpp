#include "cli/lm_evaluate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/json_output.h"
#include "cli/memory.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/run_directory.h"
#include "cli/simd_target.h"
#include "cli/text_data.h"
#include "pushdown/data/text_corpus.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/train/text_scores.h"

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

std::vector<int> ReadSplit(const LmEvaluateCommand& command, const TrainedRun& run,
                           std::string& file) {
  const std::string directory = command.data.empty() ? run.settings.data : command.data;
  try {
    file = TextFile(directory, SplitOf(command.split));
    if (file.empty()) {
      throw UsageError(fmt::format("{} has no test set; --split validation has a text",
                                   Printable(directory, 200)));
    }
    return ParseText(ReadText(file, MaxTextBytes()), file, run.alphabet);
  } catch (const Error& error) {
    throw UsageError(MessageForUser(error));
  }
}

void Evaluate(const LmEvaluateCommand& command) {
  CheckSimdTarget();
  OutputFile out("-");
  const TrainedRun run = OpenTrainedRun(command.run, DataKind::kText, "use `pushdown evaluate`");
  TextReading reading = run.settings.text;
  if (command.batch_size > 0) reading.rows = command.batch_size;
  if (command.chunk_length > 0) reading.chunk_length = command.chunk_length;
  std::string file;
  const std::vector<int> tokens = ReadSplit(command, run, file);
  const TextRows rows(tokens, *run.alphabet.Find(kEndOfSentence), reading.rows,
                      reading.chunk_length);
  CheckMemory(TextModel<float>::EstimateBytes(run.spec, rows.rows(), rows.chunk_length(), false,
                                              command.threads),
              fmt::format("{} with {} rows and chunks of {}", ModelName(run.spec), rows.rows(),
                          rows.chunk_length()),
              "a smaller --batch-size or --chunk-length needs less");
  WorkerPool pool(command.threads);
  TextModel<float> model(run.spec, rows.rows(), rows.chunk_length(), /*gradients=*/false, pool);
  model.SetParameters(run.parameters.data());
  double loss = 0;
  {
    Progress progress("evaluating");
    try {
      const std::vector<double> losses =
          TextLosses(model, rows, [&](double fraction) { progress.Update(fraction); });
      loss = std::accumulate(losses.begin(), losses.end(), 0.0);
    } catch (const Error& error) {
      throw RunError(fmt::format("{}: {}", Printable(run.path, 200), MessageForUser(error)));
    }
  }
  const double cross_entropy = loss / static_cast<double>(tokens.size());
  if (!std::isfinite(cross_entropy)) {
    throw RunError(fmt::format("{}: the model gives no finite probabilities to the text",
                               Printable(run.path, 200)));
  }
  const Json result = {{"run", run.path},
                       {"model", ModelName(run.spec)},
                       {"hidden_units", run.spec.hidden_units},
                       {"parameters", run.parameters.size()},
                       {"split", command.split},
                       {"file", file},
                       {"batch_size", rows.rows()},
                       {"chunk_length", rows.chunk_length()},
                       {"tokens", tokens.size()},
                       {"cross_entropy", cross_entropy},
                       {"perplexity", std::exp(cross_entropy)}};
  if (command.json) {
    out.Write(JsonText(result));
  } else {
    out.Write(fmt::format(
        "run            {}\nmodel          {}, {} hidden units, {} parameters\n"
        "split          {}: {}, in {} row{}\ntokens         {}\n"
        "cross-entropy  {:.6f} nats a token\nperplexity     {}\n",
        Printable(run.path, 1000), ModelName(run.spec), run.spec.hidden_units,
        run.parameters.size(), command.split, Printable(file, 1000), rows.rows(),
        rows.rows() == 1 ? "" : "s", tokens.size(), cross_entropy, PerplexityText(cross_entropy)));
  }
  out.Commit();
}

}  // namespace

void AddLmEvaluateCommand(CLI::App& lm) {
  CLI::App* evaluate = lm.add_subcommand("evaluate", "Perplexity of a text under a trained model");
  evaluate->footer(kFooter);
  auto command = std::make_shared<LmEvaluateCommand>();
  AddRunArgument(*evaluate, command->run);
  AddSplitOption(*evaluate, command->split);
  evaluate->add_option("--data", command->data, "Another directory than the run's")
      ->type_name("DIR");
  AddIntegerOption(*evaluate, "--batch-size", command->batch_size,
                   "Rows side by side (default: as in training)", 1, 1 << 20)
      ->default_str("");
  AddIntegerOption(*evaluate, "--chunk-length", command->chunk_length,
                   "Steps at a time (default: as in training)", 1, 1 << 20)
      ->default_str("");
  AddThreadsOption(*evaluate, command->threads);
  evaluate->add_flag("--json", command->json, "Print a JSON object");
  evaluate->callback([command] { Evaluate(*command); });
}

}  // namespace pushdown::cli
