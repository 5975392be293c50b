#include "pushdown/analysis/figures.h"

#include <array>
#include <string_view>

#include "pushdown/analysis/figure_parts.h"
#include "pushdown/escaped_text.h"
#include "pushdown/run/setting_values.h"

namespace pushdown {

FigureFormat ParseFigureFormat(const std::string& name) {
  static const std::array<std::string, 4> formats = {"csv", "json", "vega-lite", "pgfplots"};
  return static_cast<FigureFormat>(ParseChoice(name, formats));
}

std::string LatexName(const std::string& name) {
  constexpr std::string_view kBottom = "⊥";
  std::string text = LatexText(name);
  if (const std::size_t place = text.find(kBottom); place != text.npos) {
    text.replace(place, kBottom.size(), "\\(\\bot\\)");
  }
  return text;
}

}  // namespace pushdown
