#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pushdown/model/model_spec.h"
#include "pushdown/run/settings.h"

namespace pushdown {

// The options that describe a model, as far as they were given.
struct ModelArguments {
  std::optional<std::string> name = {};
  std::optional<int> hidden_units = {};
  std::optional<Bottom> bottom = {};
  std::optional<InitialVector> initial_vector = {};
  std::optional<int> embedding_size = {};  // models of text only
  std::optional<int> window = {};          // models of text only: of rns and vrns
  std::optional<int> depth_limit = {};     // models of text only: of sup
};

// The numbers of hidden units of the paper's experiments.
int DefaultHiddenUnits(DataKind kind);

// Names of models of all kinds, many of which the paper's experiments have.
const std::vector<std::string>& UsualModels(DataKind kind);

// The model that the arguments describe. What they leave open is taken from `base`, another model,
// where that makes sense, and is the default otherwise. Throws Error.
ModelSpec ChooseModel(DataKind kind, const ModelArguments& arguments,
                      const ModelSpec* base = nullptr);

}  // namespace pushdown
