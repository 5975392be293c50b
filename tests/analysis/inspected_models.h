#pragma once

// Models whose parameters are random, or all zero.

#include <string>
#include <string_view>
#include <vector>

#include "pushdown/model/parameters.h"
#include "pushdown/random.h"
#include "pushdown/run/language_choice.h"
#include "pushdown/run/trained_model.h"

namespace pushdown::testing_analysis {

// Of marked reversal over 0 and 1. Seed 0: all parameters are zero.
inline TrainedModel ModelOfStrings(std::string_view name, std::uint64_t seed) {
  TrainedModel model;
  model.kind = DataKind::kStrings;
  model.spec = ParseModelSpec(name, /*hidden_units=*/5, /*symbols=*/3);
  for (const char* symbol : {"0", "1", "#"}) model.vocabulary.Add(symbol);
  model.language = ChooseTask("marked-reversal");
  const ParameterLayout layout(model.spec);
  model.parameters.resize(layout.size);
  Random random(seed);
  if (seed != 0) InitializeUniformly(layout, 1.0, random, model.parameters.data());
  return model;
}

// Over the words a, b and c.
inline TrainedModel ModelOfText(std::string_view name, std::uint64_t seed) {
  TrainedModel model;
  model.kind = DataKind::kText;
  for (const char* word : {"a", "b", "c", "<unk>", "<eos>"}) model.vocabulary.Add(word);
  model.spec = ParseTextModelSpec(name, /*hidden_units=*/5, model.vocabulary.size(),
                                  {.embedding_size = 4, .window = 3, .depth_limit = 2});
  const ParameterLayout layout(model.spec);
  model.parameters.resize(layout.size);
  Random random(seed);
  InitializeUniformly(layout, 1.0, random, model.parameters.data());
  return model;
}

}  // namespace pushdown::testing_analysis
