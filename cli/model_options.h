#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"

namespace pushdown::cli {

// What models are of: strings, as those of a formal language, or running text.
enum class DataKind { kStrings, kText };

// The options that describe a model, as they were given.
struct ModelArguments {
  DataKind kind = DataKind::kStrings;
  std::string name = {};
  std::optional<int> hidden_units = {};  // nothing: those of the name, or as many as the paper has
  std::string bottom = "fixed";
  std::string initial_vector = "correct";
  std::string initialization = "paper";  // of models of strings
  double init_bound = 0.05;              // of models of text; and so are the following
  std::optional<int> embedding_size = {};
  std::optional<int> window = {};
  std::optional<int> depth_limit = {};
};

// --model, --hidden-units, --bottom and --initial-vector.
void AddModelOptions(CLI::App& command, ModelArguments& arguments);
// --init, for models of strings.
void AddInitializationOption(CLI::App& command, ModelArguments& arguments);
// --embedding-size and --init-bound, for models of text.
void AddTextModelOptions(CLI::App& command, ModelArguments& arguments);
// --window and --depth-limit, for models of text; parameters do not depend on them.
void AddStackLimitOptions(CLI::App& command, ModelArguments& arguments);
// Throws UsageError.
ModelSpec MakeModelSpec(const ModelArguments& arguments, int symbols);
Initialization MakeInitialization(const ModelArguments& arguments);
// The arguments with the numbers that were not given.
ModelArguments ResolvedModel(const ModelArguments& arguments);

}  // namespace pushdown::cli
