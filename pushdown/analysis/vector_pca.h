#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pushdown/analysis/model_vectors.h"
#include "pushdown/analysis/position_rule.h"
#include "pushdown/analysis/principal_components.h"
#include "pushdown/analysis/separability.h"

namespace pushdown {

// The paper's figure 4: a principal component analysis of the vectors from which a model predicts
// the symbols of many strings, and how well vectors of different symbols lie apart.

struct VectorPcaOptions {
  VectorKind of = VectorKind::kReadings;
  std::optional<PositionRule> positions = {};  // nothing: DefaultPositionRule
  int components = 2;                          // fewer if vectors have fewer dimensions
  double output_bytes = 0;  // what the caller will take for each point, of memory
};

// The vector from which w_p was predicted: the reading r_{p-2}, which came in with w_{p-1}, or the
// hidden state h_{p-1}. Nothing was read before w_1, which therefore has no point, and neither has
// the end of a string.
struct PredictionPoint {
  int string = 1;    // counted from 1
  int position = 2;  // p
  int symbol = 0;    // w_p
};

struct VectorPca {
  VectorKind of = VectorKind::kReadings;
  PositionRule positions = {};
  std::size_t strings = 0;
  std::vector<std::string> names = {};  // of the dimensions
  std::vector<PredictionPoint> points = {};
  PrincipalComponents components = {};
  Separability in_all_dimensions = {};
  Separability in_components = {};
};

// Throws Error if the rule leaves no symbols, if the model has no such vectors, or, before anything
// is read, if the analysis would not fit into the memory.
VectorPca AnalyzeVectors(const TrainedModel& model, std::span<const std::vector<int>> strings,
                         const VectorPcaOptions& options = {}, const StageProgress& progress = {});

}  // namespace pushdown
