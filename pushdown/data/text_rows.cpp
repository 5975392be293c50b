#include "pushdown/data/text_rows.h"

#include <algorithm>
#include <limits>
#include <string>

#include "pushdown/error.h"

namespace pushdown {

TextRows::TextRows(std::span<const int> tokens, int first_input, int rows, int chunk_length)
    : tokens_(tokens), first_input_(first_input), rows_(rows), chunk_length_(chunk_length) {
  const auto fail = [](const std::string& message) { throw Error("pushdown::TextRows", message); };
  if (tokens.empty()) fail("there are no tokens");
  if (tokens.size() > std::numeric_limits<int>::max()) {
    fail("there are " + std::to_string(tokens.size()) + " tokens, which is too many");
  }
  if (rows < 1) fail("the number of rows is " + std::to_string(rows) + ", and must be positive");
  if (chunk_length < 1) {
    fail("the length of chunks is " + std::to_string(chunk_length) + ", and must be positive");
  }
  rows_ = std::min(rows, static_cast<int>(tokens.size()));
  chunk_length_ = std::min(chunk_length, steps());
}

int TextRows::steps() const { return (static_cast<int>(tokens_.size()) - 1) / rows_ + 1; }

int TextRows::chunks() const { return (steps() - 1) / chunk_length_ + 1; }

TextChunk TextRows::Chunk(int number) const {
  // All chunks but the last one are full.
  const std::size_t size =
      static_cast<std::size_t>(rows_) * static_cast<std::size_t>(chunk_length_);
  const std::size_t before = static_cast<std::size_t>(number) * size;
  const int count = static_cast<int>(std::min(size, tokens_.size() - before));
  TextChunk chunk;
  chunk.rows = rows_;
  chunk.inputs.reserve(static_cast<std::size_t>(count));
  chunk.targets.reserve(static_cast<std::size_t>(count));
  for (int token = 0; token < count; ++token) {
    const std::size_t position = Position(number, token);
    chunk.inputs.push_back(position == 0 ? first_input_ : tokens_[position - 1]);
    chunk.targets.push_back(tokens_[position]);
  }
  return chunk;
}

std::size_t TextRows::Position(int chunk, int token) const {
  const std::size_t rows = static_cast<std::size_t>(rows_);
  const std::size_t row = static_cast<std::size_t>(token % rows_);
  const std::size_t step =
      static_cast<std::size_t>(chunk) * static_cast<std::size_t>(chunk_length_) +
      static_cast<std::size_t>(token / rows_);
  const std::size_t longer_rows_before = std::min(row, tokens_.size() % rows);
  return row * (tokens_.size() / rows) + longer_rows_before + step;
}

}  // namespace pushdown
