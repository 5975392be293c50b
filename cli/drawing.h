#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace pushdown::cli {

// The columns of drawings: so many, or those of the terminal that standard output is, if it has
// fewer.
std::size_t DrawingWidth(std::size_t most = 80);

// Names for a drawing: without control characters, and cut to some columns, with an ellipsis in
// place of what is missing.
enum class NameCut { kEnd, kBeginning };
std::string NameText(const std::string& name, std::size_t columns, NameCut cut = NameCut::kEnd);

// A text with spaces after it, if it has fewer columns.
std::string Padded(const std::string& text, std::size_t columns);
// A line without the spaces at its end, with a line end.
std::string LineText(std::string line);

// A block of so many eighths of a line's height, from 0, which is a space, to 8.
const char* EighthsText(long eighths);
// One of nine blocks of growing height for a number from 0 to 1: a space for 0 and what is less.
const char* BlockText(double value);
// A bar of so many columns that a number from 0 to 1 fills in part, with spaces after it.
std::string BarText(double value, std::size_t columns);

// Lines of cells below headings. A column is as wide as its widest cell, but names are cut, the
// widest column of names first, until lines have room; of stacks, the beginning is cut, so that the
// top is seen.
class DrawingTable {
 public:
  enum class Cells { kNumbers, kNames, kStacks };

  explicit DrawingTable(const std::vector<std::pair<std::string, Cells>>& headings);
  // Cells that are missing at the end are empty.
  void Add(std::vector<std::string> cells);
  std::string Text() const;

 private:
  // A cell of column n, cut to some columns.
  std::string CellText(const std::string& cell, std::size_t n, std::size_t columns) const;
  std::vector<std::size_t> Widths() const;

  std::vector<Cells> cells_;
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace pushdown::cli
