#pragma once

// Models whose probabilities are known: all weights are zero, so that the hidden state stays zero,
// and the bias of the output layer is the distribution of every next symbol.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "pushdown/model/parameters.h"
#include "pushdown/run/trained_model.h"

namespace pushdown::testing_runs {

inline TrainedModel WithOutputs(TrainedModel model, const std::vector<double>& probabilities) {
  const ParameterLayout layout(model.spec);
  model.parameters.assign(layout.size, 0.0F);
  for (const ParameterTensor& tensor : layout.tensors) {
    if (tensor.name != "output.bias") continue;
    for (std::size_t n = 0; n < probabilities.size(); ++n) {
      model.parameters[tensor.offset + n] = static_cast<float>(std::log(probabilities[n]));
    }
  }
  return model;
}

inline SymbolTable Table(const std::vector<std::string>& names) {
  SymbolTable table;
  for (const std::string& name : names) table.Add(name);
  return table;
}

// A model of strings; the last probability is that of the end.
inline TrainedModel KnownStrings(const std::vector<std::string>& names,
                                 const std::vector<double>& probabilities) {
  return WithOutputs({.kind = DataKind::kStrings,
                      .spec = ParseModelSpec("lstm", 3, static_cast<int>(names.size())),
                      .vocabulary = Table(names)},
                     probabilities);
}

// A model of text; one of the names is <eos>.
inline TrainedModel KnownText(const std::vector<std::string>& names,
                              const std::vector<double>& probabilities) {
  return WithOutputs({.kind = DataKind::kText,
                      .spec = ParseTextModelSpec("lstm", 3, static_cast<int>(names.size())),
                      .vocabulary = Table(names)},
                     probabilities);
}

}  // namespace pushdown::testing_runs
