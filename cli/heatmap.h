#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/drawing.h"
#include "cli/terminal.h"

namespace pushdown::cli {

struct HeatmapRow {
  std::string label;
  std::vector<float> values;
};

// A row of text for each row, and a column of shades for each number, from ' ' for `low` to a full
// block for `high`, in lines of at most `width` characters. Names stand above the columns if they
// have room there; otherwise columns are narrow and numbered, and their names stand below.
inline std::string Heatmap(const std::vector<std::string>& names,
                           const std::vector<HeatmapRow>& rows, double low, double high,
                           std::size_t width) {
  constexpr std::array<const char*, 5> kShades = {" ", "░", "▒", "▓", "█"};
  constexpr std::size_t kNarrow = 2;
  std::size_t label_size = 0;
  for (const HeatmapRow& row : rows) label_size = std::max(label_size, Columns(row.label));
  std::size_t name_size = 0;
  for (const std::string& name : names) name_size = std::max(name_size, Columns(name));
  const std::size_t room = width > label_size + 4 ? width - label_size - 4 : 1;
  const bool wide = names.size() * (name_size + 1) <= room;
  const std::size_t cell = wide ? name_size + 1 : names.size() * kNarrow <= room ? kNarrow : 1;
  const std::size_t shown = std::min(names.size(), room / cell);

  std::string text;
  const std::string margin(label_size + 2, ' ');
  if (wide) {
    std::string line = margin;
    for (const std::string& name : names) {
      line += name + std::string(cell - Columns(name), ' ');
    }
    text += LineText(std::move(line));
  } else {
    // The numbers of the columns, from top to bottom.
    const std::size_t digits = std::to_string(shown).size();
    for (std::size_t digit = 0; digit < digits; ++digit) {
      std::string line = margin;
      for (std::size_t n = 1; n <= shown; ++n) {
        line += fmt::format("{:>{}}", n, digits)[digit] + std::string(cell - 1, ' ');
      }
      text += LineText(std::move(line));
    }
  }
  for (const HeatmapRow& row : rows) {
    text += row.label + std::string(label_size - Columns(row.label), ' ') + " │";
    for (std::size_t n = 0; n < shown; ++n) {
      const double share = (static_cast<double>(row.values[n]) - low) / (high - low);
      const long level = std::lround(share * static_cast<double>(kShades.size() - 1));
      const auto shade = static_cast<std::size_t>(
          std::clamp<long>(level, 0, static_cast<long>(kShades.size()) - 1));
      for (std::size_t k = 0; k < cell; ++k) text += kShades[shade];
    }
    text += "│\n";
  }
  if (!wide) {
    std::string key = "Columns:";
    for (std::size_t n = 0; n < shown; ++n) {
      key += fmt::format("{} {} is {}", n == 0 ? "" : ",", n + 1, names[n]);
    }
    if (shown < names.size()) {
      key += fmt::format("; {} more are left out for lack of room", names.size() - shown);
    }
    text += Wrapped(key + ".", width) + "\n";
  }
  return text;
}

}  // namespace pushdown::cli
