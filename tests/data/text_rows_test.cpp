#include "pushdown/data/text_rows.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "pushdown/error.h"

namespace pushdown {
namespace {

using Tokens = std::vector<int>;

constexpr int kFirst = 99;  // the input before the stream

void ExpectChunk(const TextChunk& chunk, int rows, const Tokens& inputs, const Tokens& targets) {
  EXPECT_EQ(chunk.rows, rows);
  EXPECT_EQ(chunk.inputs, inputs);
  EXPECT_EQ(chunk.targets, targets);
}

std::string Refusal(const Tokens& tokens, int rows, int chunk_length) {
  try {
    const TextRows refused(tokens, kFirst, rows, chunk_length);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TextRows, EqualRows) {
  const Tokens tokens = {10, 11, 12, 20, 21, 22};  // row 0 is 10 11 12, row 1 is 20 21 22
  const TextRows rows(tokens, kFirst, 2, 2);
  EXPECT_EQ(rows.rows(), 2);
  EXPECT_EQ(rows.chunk_length(), 2);
  ASSERT_EQ(rows.chunks(), 2);
  ExpectChunk(rows.Chunk(0), 2, {kFirst, 12, 10, 20}, {10, 20, 11, 21});
  ExpectChunk(rows.Chunk(1), 2, {11, 21}, {12, 22});
  EXPECT_EQ(rows.Position(0, 0), 0u);
  EXPECT_EQ(rows.Position(0, 1), 3u);
  EXPECT_EQ(rows.Position(0, 3), 4u);
  EXPECT_EQ(rows.Position(1, 0), 2u);
  EXPECT_EQ(rows.Position(1, 1), 5u);
}

TEST(TextRows, FirstRowsHaveOneTokenMore) {
  const Tokens tokens = {10, 11, 12, 20, 21, 22, 30, 31};
  const TextRows rows(tokens, kFirst, 3, 2);
  ASSERT_EQ(rows.chunks(), 2);
  ExpectChunk(rows.Chunk(0), 3, {kFirst, 12, 22, 10, 20, 30}, {10, 20, 30, 11, 21, 31});
  ExpectChunk(rows.Chunk(1), 3, {11, 21}, {12, 22});
  EXPECT_EQ(rows.Chunk(0).steps(), 2);
  EXPECT_EQ(rows.Chunk(1).steps(), 1);
  EXPECT_EQ(rows.Chunk(1).rows_of(0), 2);
  EXPECT_EQ(rows.Position(0, 2), 6u);
  EXPECT_EQ(rows.Position(0, 5), 7u);
  EXPECT_EQ(rows.Position(1, 1), 5u);
}

TEST(TextRows, LastStepWithinAChunk) {
  const Tokens tokens = {10, 11, 12, 20, 21};
  const TextRows rows(tokens, kFirst, 2, 3);
  ASSERT_EQ(rows.chunks(), 1);
  ExpectChunk(rows.Chunk(0), 2, {kFirst, 12, 10, 20, 11}, {10, 20, 11, 21, 12});
  EXPECT_EQ(rows.Chunk(0).steps(), 3);
  EXPECT_EQ(rows.Chunk(0).rows_of(1), 2);
  EXPECT_EQ(rows.Chunk(0).rows_of(2), 1);
}

TEST(TextRows, OneRow) {
  const Tokens tokens = {5, 6, 7};
  const TextRows rows(tokens, kFirst, 1, 2);
  ASSERT_EQ(rows.chunks(), 2);
  ExpectChunk(rows.Chunk(0), 1, {kFirst, 5}, {5, 6});
  ExpectChunk(rows.Chunk(1), 1, {6}, {7});
}

TEST(TextRows, NoMoreRowsThanTokens) {
  const Tokens tokens = {5, 6, 7};
  const TextRows rows(tokens, kFirst, 10, 4);
  EXPECT_EQ(rows.rows(), 3);
  ASSERT_EQ(rows.chunks(), 1);
  ExpectChunk(rows.Chunk(0), 3, {kFirst, 5, 6}, {5, 6, 7});
}

TEST(TextRows, OneToken) {
  const Tokens tokens = {5};
  constexpr int kLarge = std::numeric_limits<int>::max();
  for (const int rows : {1, 2, kLarge}) {
    for (const int chunk_length : {1, 2, kLarge}) {
      const TextRows one(tokens, kFirst, rows, chunk_length);
      EXPECT_EQ(one.rows(), 1);
      ASSERT_EQ(one.chunks(), 1);
      ExpectChunk(one.Chunk(0), 1, {kFirst}, {5});
      EXPECT_EQ(one.Position(0, 0), 0u);
    }
  }
}

TEST(TextRows, ChunksMayBeLongerThanTheStream) {
  const Tokens tokens = {10, 11, 20, 21};
  const TextRows rows(tokens, kFirst, 2, std::numeric_limits<int>::max());
  ASSERT_EQ(rows.chunks(), 1);
  ExpectChunk(rows.Chunk(0), 2, {kFirst, 11, 10, 20}, {10, 20, 11, 21});
}

// The rows as lists, dealt out one token after the other.
std::vector<Tokens> RowsOf(int tokens, int rows) {
  Tokens lengths(static_cast<std::size_t>(rows), 0);
  for (int n = 0; n < tokens; ++n) ++lengths[static_cast<std::size_t>(n % rows)];
  std::vector<Tokens> lists;
  int next = 0;
  for (const int length : lengths) {
    Tokens& list = lists.emplace_back();
    for (int n = 0; n < length; ++n) list.push_back(next++);
  }
  return lists;
}

void ExpectAllTokens(int size, int asked_rows, int chunk_length) {
  SCOPED_TRACE(std::to_string(size) + " tokens, " + std::to_string(asked_rows) +
               " rows, chunks of " + std::to_string(chunk_length));
  // Tokens are their own positions, so that the one before n is n-1, and -1 before all.
  Tokens tokens(static_cast<std::size_t>(size));
  std::iota(tokens.begin(), tokens.end(), 0);
  const TextRows text(tokens, -1, asked_rows, chunk_length);
  const int rows = asked_rows < size ? asked_rows : size;
  ASSERT_EQ(text.rows(), rows);
  std::vector<Tokens> read(static_cast<std::size_t>(rows));
  Tokens times_read(static_cast<std::size_t>(size), 0);
  for (int c = 0; c < text.chunks(); ++c) {
    const TextChunk chunk = text.Chunk(c);
    ASSERT_EQ(chunk.rows, rows);
    ASSERT_GT(chunk.tokens(), 0);
    ASSERT_EQ(chunk.targets.size(), chunk.inputs.size());
    if (c + 1 < text.chunks()) {
      ASSERT_EQ(chunk.steps(), chunk_length);
      // Only the last chunk may have a step that lacks rows.
      ASSERT_EQ(chunk.tokens(), chunk_length * rows);
    } else {
      ASSERT_LE(chunk.steps(), chunk_length);
    }
    for (int n = 0; n < chunk.tokens(); ++n) {
      const int target = chunk.targets[static_cast<std::size_t>(n)];
      ASSERT_EQ(chunk.inputs[static_cast<std::size_t>(n)], target - 1);
      ASSERT_EQ(text.Position(c, n), static_cast<std::size_t>(target));
      ++times_read.at(static_cast<std::size_t>(target));
      read[static_cast<std::size_t>(n % rows)].push_back(target);
    }
  }
  EXPECT_EQ(times_read, Tokens(static_cast<std::size_t>(size), 1));
  EXPECT_EQ(read, RowsOf(size, rows));
}

TEST(TextRows, EveryTokenIsReadOnceAndAfterTheOneBeforeIt) {
  for (int size = 1; size <= 30; ++size) {
    for (int rows = 1; rows <= 33; ++rows) {
      for (int chunk_length = 1; chunk_length <= 32; ++chunk_length) {
        ExpectAllTokens(size, rows, chunk_length);
        if (HasFatalFailure()) return;
      }
    }
  }
  ExpectAllTokens(10007, 32, 35);
  ExpectAllTokens(32 * 35 * 3, 32, 35);
  ExpectAllTokens(32 * 35 * 3 + 1, 32, 35);
  ExpectAllTokens(32 * 35 * 3 - 1, 32, 35);
}

TEST(TextRows, RefusesNumbersThatAreNotPositive) {
  EXPECT_EQ(Refusal({}, 1, 1), "[pushdown::TextRows] there are no tokens");
  EXPECT_EQ(Refusal({1}, 0, 1),
            "[pushdown::TextRows] the number of rows is 0, and must be positive");
  EXPECT_EQ(Refusal({1}, -3, 1),
            "[pushdown::TextRows] the number of rows is -3, and must be positive");
  EXPECT_EQ(Refusal({1}, 1, 0),
            "[pushdown::TextRows] the length of chunks is 0, and must be positive");
}

}  // namespace
}  // namespace pushdown
