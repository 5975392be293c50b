#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace pushdown::cli {

struct ScatterPoint {
  double x = 0;
  double y = 0;
  std::size_t mark = 0;  // a number in `marks`
};

// Points in a box of `columns` by `rows` characters. Where several points fall on one character, it
// is the mark that most of them have. Marks are one column wide.
inline std::string ScatterChart(const std::vector<ScatterPoint>& points,
                                const std::vector<std::string>& marks, std::size_t columns,
                                std::size_t rows) {
  double left = 0;
  double right = 0;
  double bottom = 0;
  double top = 0;
  if (!points.empty()) {
    const auto [min_x, max_x] =
        std::minmax_element(points.begin(), points.end(),
                            [](const ScatterPoint& a, const ScatterPoint& b) { return a.x < b.x; });
    const auto [min_y, max_y] =
        std::minmax_element(points.begin(), points.end(),
                            [](const ScatterPoint& a, const ScatterPoint& b) { return a.y < b.y; });
    left = min_x->x;
    right = max_x->x;
    bottom = min_y->y;
    top = max_y->y;
  }
  // The middle, if all are the same.
  const auto place = [](double value, double low, double high, std::size_t size) {
    if (!(high > low)) return size / 2;
    const double share = (value - low) / (high - low);
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(size - 1)));
  };
  std::vector<std::map<std::size_t, int>> cells(columns * rows);  // how often there is each mark
  for (const ScatterPoint& point : points) {
    const std::size_t row = rows - 1 - place(point.y, bottom, top, rows);
    ++cells[row * columns + place(point.x, left, right, columns)][point.mark];
  }
  std::string line;
  for (std::size_t column = 0; column < columns; ++column) line += "─";
  std::string text = "┌" + line + "┐\n";
  for (std::size_t row = 0; row < rows; ++row) {
    text += "│";
    for (std::size_t column = 0; column < columns; ++column) {
      const auto& cell = cells[row * columns + column];
      const auto most =
          std::max_element(cell.begin(), cell.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      text += most == cell.end() ? " " : marks[most->first];
    }
    text += "│\n";
  }
  text += "└" + line + "┘\n";
  const std::string begin = fmt::format("{:.3g}", left);
  const std::string end = fmt::format("{:.3g}", right);
  const std::size_t used = begin.size() + end.size();
  text += " " + begin + std::string(columns > used ? columns - used : 1, ' ') + end + "\n";
  return text;
}

}  // namespace pushdown::cli
