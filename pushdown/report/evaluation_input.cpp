#include "pushdown/report/evaluation_input.h"

#include <cstddef>
#include <limits>
#include <optional>

#include "pushdown/printable.h"
#include "pushdown/report/json_field.h"

namespace pushdown {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();

double NumberOrNan(const JsonField& field) {
  return field.is_null() ? std::numeric_limits<double>::quiet_NaN() : field.Number();
}

std::optional<double> Bound(const JsonField& field) {
  return field.is_null() ? std::nullopt : std::optional(field.Number());
}

}  // namespace

bool IsEvaluation(const nlohmann::json& object) {
  return object.contains("run") && object.contains("split");
}

EvaluationInput ReadEvaluation(const nlohmann::json& object) {
  const JsonField field(object);
  EvaluationInput evaluation;
  evaluation.run = field["run"].Text();
  const std::string& split = field["split"].Text();
  if (split != "test") {
    field["split"].Fail("the page shows results on test sets, and this one is of the split " +
                        Quoted(split) + "; evaluate with --split test");
  }
  if (!field["whole_set"].Truth()) {
    field["whole_set"].Fail(
        "these are not the strings of the run's own test set, or not all; evaluate without "
        "--lengths and --data");
  }
  evaluation.test.cross_entropy = NumberOrNan(field["cross_entropy"]);
  const bool is_text = object.contains("tokens");
  if (is_text) return evaluation;
  const JsonField bound = field["bound"];
  if (!bound.is_null() && bound.Text() != "length") {
    bound.Fail(
        "the page works out the bound of the set by itself, from that of each length; "
        "evaluate with --bound length");
  }
  evaluation.test.lower_bound = Bound(field["lower_bound"]);
  const JsonField by_length = field["by_length"];
  for (std::size_t n = 0; n < by_length.size(); ++n) {
    const JsonField row = by_length.At(n);
    evaluation.test.by_length.push_back({.length = row["length"].Integer(0, kMost),
                                         .strings = row["strings"].Integer(0, kMost),
                                         .cross_entropy = NumberOrNan(row["cross_entropy"]),
                                         .lower_bound = Bound(row["lower_bound"])});
  }
  return evaluation;
}

}  // namespace pushdown
