#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pushdown::cli {

struct TableColumn {
  std::string heading;
  int rank = 0;       // for lack of room, columns with the largest rank are left out first; 0 stays
  bool left = false;  // aligned to the left
};

// Which columns a line of `limit` characters has room for, if they take `widths`, with what stands
// between them.
std::vector<std::size_t> FittingColumns(const std::vector<std::size_t>& widths,
                                        std::span<const int> ranks, std::size_t limit);

// Says which columns are missing, in lines of `limit` characters; empty if none is.
std::string LeftOutText(const std::vector<std::string>& headings,
                        const std::vector<std::size_t>& kept, std::size_t limit);

// A line of headings and one for each row, for standard output: if that is a terminal, columns are
// left out until the table fits it.
std::string TableText(const std::vector<TableColumn>& columns,
                      const std::vector<std::vector<std::string>>& rows);

}  // namespace pushdown::cli
