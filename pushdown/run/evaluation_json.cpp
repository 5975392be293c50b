#include "pushdown/run/evaluation_json.h"

#include <cmath>
#include <limits>

#include "pushdown/model/model_spec.h"

namespace pushdown {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Json ComparisonJson(const Comparison& comparison) {
  const double model = comparison.model.PerSymbol();
  return {{"strings", comparison.model.strings()},
          {"symbols", comparison.model.symbols()},
          {"cross_entropy", model},
          {"perplexity", std::exp(model)},
          {"lower_bound", comparison.lower_bound ? comparison.lower_bound->PerSymbol() : kUnknown},
          {"difference", comparison.difference()}};
}

}  // namespace

Json EvaluationJson(const Evaluation& evaluation, DataSplit split) {
  const auto range = [](const std::optional<LengthRange>& lengths) {
    return lengths ? Json{lengths->min, lengths->max} : Json();
  };
  const TrainedModel& model = evaluation.model;
  Json object = {{"run", evaluation.path},
                 {"model", ModelName(model.spec)},
                 {"hidden_units", model.spec.hidden_units},
                 {"parameters", model.parameters.size()},
                 {"training_lengths", range(evaluation.training_lengths)},
                 {"split", SplitName(split)},
                 {"sampled", evaluation.sampled},
                 {"whole_set", evaluation.whole_set},
                 {"lengths", range(evaluation.lengths)},
                 {"bound", evaluation.bound ? Json(BoundName(*evaluation.bound)) : Json()},
                 {"lower_bound_lengths", range(evaluation.bound_lengths)},
                 {"unit", kEvaluationUnit}};
  object.update(ComparisonJson(evaluation.all));
  object["by_length"] = Json::array();
  for (const auto& [length, comparison] : evaluation.by_length) {
    Json row = {{"length", length}};
    row.update(ComparisonJson(comparison));
    object["by_length"].push_back(row);
  }
  return object;
}

Json EvaluationJson(const TextEvaluation& evaluation, DataSplit split) {
  const TrainedModel& model = evaluation.model;
  return {{"run", evaluation.path},
          {"model", ModelName(model.spec)},
          {"hidden_units", model.spec.hidden_units},
          {"parameters", model.parameters.size()},
          {"split", SplitName(split)},
          {"file", evaluation.file},
          {"whole_set", evaluation.whole_set},
          {"batch_size", evaluation.batching.rows},
          {"chunk_length", evaluation.batching.chunk_length},
          {"tokens", evaluation.tokens},
          {"cross_entropy", evaluation.cross_entropy},
          {"perplexity", std::exp(evaluation.cross_entropy)}};
}

}  // namespace pushdown
