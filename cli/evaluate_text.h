#pragma once

#include <string>

#include "cli/command.h"
#include "pushdown/run/text_evaluation.h"

namespace pushdown::cli {

// `pushdown evaluate` and `pushdown lm evaluate` for a model of text.

// --batch-size and --chunk-length. The request must live until the command runs.
void AddTextReadingOptions(Command evaluate, TextEvaluationRequest& request);

void EvaluateTextModel(const std::string& run, const TextEvaluationRequest& request, bool json);

}  // namespace pushdown::cli
