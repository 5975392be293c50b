#pragma once

#include <cstddef>
#include <span>

#include "pushdown/model/text_chunk.h"

namespace pushdown {

// One stream of tokens wrapped into rows that are read side by side, a chunk of steps at a time.
// Row 0 is the beginning of the stream, row 1 goes on where row 0 ends, and so forth. If the number
// of tokens is not a multiple of the number of rows, the first rows have one token more than the
// others. Every token is predicted once, from the token before it in the stream, which may be in
// another row or chunk; the very first token is predicted from `first_input`.
class TextRows {
 public:
  // The tokens must outlive this object. There are fewer rows than `rows` if there are fewer
  // tokens, and chunks are shorter than `chunk_length` if the rows are. Throws Error if there are
  // no tokens, or if a number is not positive.
  TextRows(std::span<const int> tokens, int first_input, int rows, int chunk_length);

  std::size_t tokens() const { return tokens_.size(); }
  int rows() const { return rows_; }
  int chunk_length() const { return chunk_length_; }
  int chunks() const;
  TextChunk Chunk(int number) const;  // 0 .. chunks()-1
  // Where a token of a chunk is in the stream.
  std::size_t Position(int chunk, int token) const;

 private:
  int steps() const;  // of the longest row

  std::span<const int> tokens_;
  int first_input_;
  int rows_;
  int chunk_length_;
};

}  // namespace pushdown
