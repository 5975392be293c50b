#pragma once

// Models that were not trained, for tests of analyses.

#include <string>
#include <vector>

#include "pushdown/model/parameters.h"
#include "pushdown/random.h"
#include "pushdown/run/trained_model.h"

namespace pushdown::testing_analysis {

// A model of strings over a, b and #, with all parameters zero.
inline TrainedModel ZeroModel(const std::string& name) {
  TrainedModel model;
  model.path = "model.safetensors";
  for (const char* symbol : {"a", "b", "#"}) model.vocabulary.Add(symbol);
  model.spec = ParseModelSpec(name, 5, model.vocabulary.size());
  model.parameters.resize(ParameterLayout(model.spec).size);
  return model;
}

// The same with parameters uniform in [-2, 2], so that its readings vary.
inline TrainedModel RandomModel(const std::string& name, std::uint64_t seed = 1) {
  TrainedModel model = ZeroModel(name);
  Random random(seed);
  for (float& parameter : model.parameters) {
    parameter = static_cast<float>(random.Uniform(-2, 2));
  }
  return model;
}

// A model of text with the words a and b, likewise.
inline TrainedModel RandomTextModel(const std::string& name, int window, std::uint64_t seed = 1) {
  TrainedModel model;
  model.kind = DataKind::kText;
  model.path = "model.safetensors";
  for (const char* word : {"a", "b", "<unk>", "<eos>"}) model.vocabulary.Add(word);
  model.spec = ParseTextModelSpec(name, 5, model.vocabulary.size(), {.window = window});
  model.parameters.resize(ParameterLayout(model.spec).size);
  Random random(seed);
  for (float& parameter : model.parameters) {
    parameter = static_cast<float>(random.Uniform(-2, 2));
  }
  return model;
}

}  // namespace pushdown::testing_analysis
