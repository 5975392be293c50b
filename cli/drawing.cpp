#include "cli/drawing.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/terminal.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

constexpr int kEighths = 8;
constexpr std::size_t kGap = 2;  // between columns

}  // namespace

std::size_t DrawingWidth(std::size_t most) {
  constexpr std::size_t kLeast = 40;
  return std::clamp(TerminalWidth(STDOUT_FILENO), kLeast, most);
}

std::string NameText(const std::string& name, std::size_t columns, NameCut cut) {
  const std::string text = Printable(name, name.size());
  if (Columns(text) <= columns) return text;
  if (columns == 0) return {};
  constexpr const char* kEllipsis = "…";
  return cut == NameCut::kEnd ? std::string(FirstColumns(text, columns - 1)) + kEllipsis
                              : kEllipsis + std::string(LastColumns(text, columns - 1));
}

std::string Padded(const std::string& text, std::size_t columns) {
  const std::size_t used = Columns(text);
  return text + std::string(columns > used ? columns - used : 0, ' ');
}

std::string LineText(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

const char* EighthsText(long eighths) {
  constexpr std::array<const char*, kEighths + 1> kBlocks = {" ", "▁", "▂", "▃", "▄",
                                                             "▅", "▆", "▇", "█"};
  return kBlocks[static_cast<std::size_t>(std::clamp(eighths, 0L, long{kEighths}))];
}

const char* BlockText(double value) {
  if (!(value > 0)) return EighthsText(0);
  return EighthsText(std::max(std::lround(std::min(value, 1.0) * kEighths), 1L));
}

std::string BarText(double value, std::size_t columns) {
  constexpr std::array<const char*, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double share = std::isfinite(value) ? std::clamp(value, 0.0, 1.0) : 0;
  long eighths = std::lround(share * static_cast<double>(columns) * kEighths);
  if (share > 0) eighths = std::max(eighths, 1L);
  std::string bar;
  for (long n = 0; n < eighths / kEighths; ++n) bar += "█";
  bar += kParts[static_cast<std::size_t>(eighths % kEighths)];
  return Padded(bar, columns);
}

DrawingTable::DrawingTable(const std::vector<std::pair<std::string, Cells>>& headings) {
  lines_.resize(1);
  for (const auto& [heading, cells] : headings) {
    lines_[0].push_back(heading);
    cells_.push_back(cells);
  }
}

void DrawingTable::Add(std::vector<std::string> cells) {
  cells.resize(cells_.size());
  lines_.push_back(std::move(cells));
}

std::string DrawingTable::Text() const {
  const std::vector<std::size_t> widths = Widths();
  std::string text;
  for (const auto& line : lines_) {
    std::string row;
    for (std::size_t n = 0; n < line.size(); ++n) {
      if (widths[n] == 0) continue;
      row += Padded(CellText(line[n], n, widths[n]), widths[n] + kGap);
    }
    text += LineText(std::move(row));
  }
  return text;
}

std::string DrawingTable::CellText(const std::string& cell, std::size_t n,
                                   std::size_t columns) const {
  return NameText(cell, columns, cells_[n] == Cells::kStacks ? NameCut::kBeginning : NameCut::kEnd);
}

std::vector<std::size_t> DrawingTable::Widths() const {
  std::vector<std::size_t> widths(cells_.size());
  for (const auto& line : lines_) {
    for (std::size_t n = 0; n < line.size(); ++n) {
      widths[n] = std::max(widths[n], Columns(CellText(line[n], n, DrawingWidth())));
    }
  }
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width > 0 ? width + kGap : 0;
  for (; total > DrawingWidth() + kGap; --total) {
    std::size_t* widest = nullptr;
    for (std::size_t n = 0; n < widths.size(); ++n) {
      if (cells_[n] == Cells::kNumbers) continue;
      if (widest == nullptr || widths[n] > *widest) widest = &widths[n];
    }
    if (widest == nullptr || *widest <= 1) break;
    --*widest;
  }
  return widths;
}

}  // namespace pushdown::cli
