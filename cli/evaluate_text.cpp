#include "cli/evaluate_text.h"

#include <fmt/format.h>

#include "cli/option_values.h"
#include "cli/perplexity_text.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "pushdown/json.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/evaluation_json.h"

namespace pushdown::cli {

void AddTextReadingOptions(Command evaluate, TextEvaluationRequest& request) {
  AddIntegerOption(evaluate, "--batch-size", request.rows,
                   "Text: rows side by side (default: as in training)", 1, 1 << 20)
      .Default("");
  AddIntegerOption(evaluate, "--chunk-length", request.chunk_length,
                   "Text: steps at a time (default: as in training)", 1, 1 << 20)
      .Default("");
}

void EvaluateTextModel(const std::string& run, const TextEvaluationRequest& request, bool json) {
  CheckSimdTarget();
  OutputFile out("-");
  const TextEvaluation evaluation = EvaluateText(run, request, StageBar(), PrintWarning);
  const TrainedModel& model = evaluation.model;
  const int rows = evaluation.batching.rows;
  if (json) {
    out.Write(IndentedJson(EvaluationJson(evaluation, request.split)));
  } else {
    out.Write(
        fmt::format("run            {}\nmodel          {}, {} hidden units, {} parameters\n"
                    "split          {}: {}, in {} row{}\ntokens         {}\n"
                    "cross-entropy  {:.6f} nats a token\nperplexity     {}\n",
                    Printable(evaluation.path, 1000), ModelName(model.spec),
                    model.spec.hidden_units, model.parameters.size(), SplitName(request.split),
                    Printable(evaluation.file, 1000), rows, rows == 1 ? "" : "s", evaluation.tokens,
                    evaluation.cross_entropy, PerplexityText(evaluation.cross_entropy)));
  }
  out.Commit();
}

}  // namespace pushdown::cli
