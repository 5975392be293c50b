#pragma once

#include <algorithm>
#include <vector>

namespace pushdown {

// Some steps of several rows of text that are read side by side. Tokens are ordered by step, then
// by row; the last step may lack the last rows.
struct TextChunk {
  int rows = 0;
  std::vector<int> inputs;   // of each step, the token before
  std::vector<int> targets;  // what is to be predicted; may be empty if nothing is

  int tokens() const { return static_cast<int>(inputs.size()); }
  int steps() const { return (tokens() + rows - 1) / rows; }
  // Rows that a step has.
  int rows_of(int step) const { return std::min(rows, tokens() - step * rows); }
};

}  // namespace pushdown
