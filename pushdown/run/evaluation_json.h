#pragma once

#include "pushdown/json.h"
#include "pushdown/run/evaluation.h"
#include "pushdown/run/text_evaluation.h"

namespace pushdown {

// Evaluations of a split as front ends show them. This header is not installed, because the JSON
// library is part of its interface. What is not known is NaN.
Json EvaluationJson(const Evaluation& evaluation, DataSplit split);
Json EvaluationJson(const TextEvaluation& evaluation, DataSplit split);

}  // namespace pushdown
