#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/drawing.h"

namespace pushdown::cli {

struct Bar {
  std::string label;
  double value = 0;
};

// Bars of Unicode blocks above an axis with labels, for terminals; one column of text each if they
// are many. The largest value, which must be positive and finite, has the full height; what is not
// positive has none.
inline std::string BarChart(const std::vector<Bar>& bars) {
  constexpr int kRows = 4;
  constexpr int kEighths = 8;
  constexpr std::size_t kColumns = 60;
  constexpr std::size_t kWidest = 4;
  double top = 0;
  std::size_t label_size = 0;
  for (const Bar& bar : bars) {
    top = std::max(top, bar.value);
    label_size = std::max(label_size, bar.label.size());
  }
  const std::string top_label = fmt::format("{:.3g}", top);
  // Of a bar and the space after it, if there is any.
  const std::size_t width =
      std::clamp<std::size_t>(kColumns / std::max<std::size_t>(bars.size(), 1), 1, kWidest);
  const std::size_t filled = width > 1 ? width - 1 : 1;
  // Labels stand under every bar, every second one and so on, as they have room.
  std::size_t step = 1;
  for (const std::size_t each : {2, 5, 10, 20, 50}) {
    if (step * width < label_size + 1) step = each;
  }

  const auto repeated = [](const char* text, std::size_t times) {
    std::string all;
    for (std::size_t n = 0; n < times; ++n) all += text;
    return all;
  };
  std::string text;
  for (int row = kRows - 1; row >= 0; --row) {
    std::string line = row == kRows - 1 ? fmt::format("{} ┤", top_label)
                                        : fmt::format("{:>{}} │", "", top_label.size());
    for (const Bar& bar : bars) {
      const long height =
          bar.value > 0 ? std::max(std::lround(bar.value / top * kRows * kEighths), 1L) : 0;
      line += repeated(EighthsText(height - row * kEighths), filled);
      line += std::string(width - filled, ' ');
    }
    text += LineText(std::move(line));
  }
  text += fmt::format("{:>{}} ┼", 0, top_label.size());
  std::string labels(top_label.size() + 2, ' ');
  for (std::size_t n = 0; n < bars.size(); ++n) {
    const bool labelled = n % step == 0;
    text += labelled ? "┬" : "─";
    text += repeated("─", width - 1);
    if (!labelled) continue;
    labels.resize(top_label.size() + 2 + n * width, ' ');
    labels += bars[n].label;
  }
  return text + "\n" + LineText(std::move(labels));
}

}  // namespace pushdown::cli
