#pragma once

#include <string>

#include "pushdown/experiment/run_record.h"
#include "pushdown/json.h"

namespace pushdown {

// The result on the test set that `pushdown evaluate --json` prints, of strings or of text.
struct EvaluationInput {
  std::string source = {};  // the name of the file
  std::string run = {};     // the directory of the run, or its model file
  TestRecord test = {};
};

bool IsEvaluation(const nlohmann::json& object);

// Throws Error, naming the field, if the object is not such a result, and if it is not that of the
// test set with the bound of each length.
EvaluationInput ReadEvaluation(const nlohmann::json& object);

}  // namespace pushdown
