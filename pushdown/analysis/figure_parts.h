#pragma once

#include <fmt/format.h>

#include <string>

#include "pushdown/analysis/figures.h"
#include "pushdown/json.h"

namespace pushdown {

// What the figures have in common. Not installed: it has the JSON library in its interface.

inline constexpr const char* kVegaLiteSchema = "https://vega.github.io/schema/vega-lite/v5.json";

// The model of a figure: {"path", "name", "hidden_units"}.
inline Json FigureModelJson(const TrainedModel& model) {
  return {{"path", model.path},
          {"name", ModelName(model.spec)},
          {"hidden_units", model.spec.hidden_units}};
}

// What making text takes for each of its bytes: a string that grows holds its text twice, and has
// room for as much again.
inline constexpr double kTextGrowth = 3;
// What an object of a few fields takes in a list of such objects, besides its text, and a number.
inline constexpr double kJsonObjectBytes = 750;
inline constexpr double kJsonNumberBytes = 16;
// The text of a number, with what stands around it.
inline constexpr double kNumberText = 24;

// LaTeX of the name of a symbol or of a number of a vector, which may have the sign of the bottom
// symbol.
std::string LatexName(const std::string& name);

}  // namespace pushdown
