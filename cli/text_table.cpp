#include "cli/text_table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "cli/terminal.h"

namespace pushdown::cli {

std::vector<std::size_t> FittingColumns(const std::vector<std::size_t>& widths,
                                        std::span<const int> ranks, std::size_t limit) {
  std::vector<std::size_t> kept(widths.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  const auto total = [&] {
    return std::accumulate(kept.begin(), kept.end(), std::size_t{0},
                           [&](std::size_t sum, std::size_t n) { return sum + widths[n]; });
  };
  while (total() > limit) {
    const auto last = std::max_element(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) {
      return ranks[a] < ranks[b];
    });
    if (ranks[*last] == 0) break;
    kept.erase(last);
  }
  return kept;
}

std::string LeftOutText(const std::vector<std::string>& headings,
                        const std::vector<std::size_t>& kept, std::size_t limit) {
  std::vector<std::string> missing;
  for (std::size_t n = 0; n < headings.size(); ++n) {
    if (std::find(kept.begin(), kept.end(), n) == kept.end()) missing.push_back(headings[n]);
  }
  if (missing.empty()) return {};
  return Wrapped(fmt::format("Left out for lack of room: {}.", fmt::join(missing, "; ")), limit) +
         "\n";
}

std::string TableText(const std::vector<TableColumn>& columns,
                      const std::vector<std::vector<std::string>>& rows) {
  constexpr std::size_t kBetween = 2;
  std::vector<std::vector<std::string>> lines(1);
  std::vector<int> ranks;
  for (const TableColumn& column : columns) {
    lines[0].push_back(column.heading);
    ranks.push_back(column.rank);
  }
  lines.insert(lines.end(), rows.begin(), rows.end());
  std::vector<std::size_t> widths(columns.size());
  for (const auto& line : lines) {
    for (std::size_t n = 0; n < widths.size(); ++n) {
      widths[n] = std::max(widths[n], Columns(line[n]) + kBetween);
    }
  }
  const std::size_t width = TerminalWidth(STDOUT_FILENO);
  const std::vector<std::size_t> kept =
      FittingColumns(widths, ranks, width == kUnlimited ? width : width + kBetween);
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (const std::size_t n : kept) {
      const std::string space(widths[n] - kBetween - Columns(line[n]), ' ');
      if (!row.empty() || n != kept.front()) row += std::string(kBetween, ' ');
      row += columns[n].left ? line[n] + space : space + line[n];
    }
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text + LeftOutText(lines[0], kept, width);
}

}  // namespace pushdown::cli
