#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/formal/symbols.h"

namespace pushdown {

// Texts that nobody vouches for, with a string of tokens a line. Spaces, tabs and carriage returns
// separate tokens, so that lines may end in "\r\n"; an empty line is the empty string, and what is
// after the last "\n" is a line if there is something.

struct TokenLine {
  std::size_t length = 0;   // tokens
  std::vector<int> string;  // up to the first unknown token, and to Language::kMaxLength
  std::string unknown;      // the first token that is not in the alphabet, or empty
};

// Reads one line, of any length and with any bytes but "\n".
TokenLine ReadTokens(std::string_view line, const SymbolTable& alphabet);

// The strings of a whole text, with or without a byte order mark. Throws Error that begins with
// `name`, line and position, for a token that is not in the alphabet, a string longer than
// Language::kMaxLength, and a text without any line.
std::vector<std::vector<int>> ParseStrings(std::string_view text, const SymbolTable& alphabet,
                                           const std::string& name);

// A vocabulary: a token a line, numbered as they come. Throws Error that begins with `name` and
// line for a line that is not one token of UTF-8 or has one that was there before, a text without
// any line, and more than kMaxVocabulary tokens.
inline constexpr int kMaxVocabulary = 1'000'000;
SymbolTable ParseVocabulary(std::string_view text, const std::string& name);

}  // namespace pushdown
