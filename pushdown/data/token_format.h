#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/formal/symbols.h"

namespace pushdown {

// The format of files with strings, one string on each line. Spaces, tabs and carriage returns
// separate tokens, so that lines may end in "\r\n". An empty line is the empty string. The
// characters after the last "\n", if there are any, are a line too. All functions that read take
// untrusted input.

// One line of such a file.
struct TokenLine {
  std::size_t length = 0;   // the number of tokens
  std::vector<int> string;  // up to the first unknown token, and to Language::kMaxLength
  std::string unknown;      // the first token that is not in the alphabet, or empty
};

// Reads one line, of any length and with any bytes but "\n".
TokenLine ReadTokens(std::string_view line, const SymbolTable& alphabet);

// Reads the strings of a whole file, with or without a byte order mark. Throws Error that begins
// with `name`, the line and the position, for a token that is not in the alphabet, a string longer
// than Language::kMaxLength, and a file without any line.
std::vector<std::vector<int>> ParseStrings(std::string_view text, const SymbolTable& alphabet,
                                           const std::string& name);

// Reads a vocabulary: one token on each line, numbered in their order. Throws Error that begins
// with `name` and the line for a line that is not one token of UTF-8, a token that an earlier line
// has, a file without any line, and more than kMaxVocabulary tokens.
inline constexpr int kMaxVocabulary = 1'000'000;
SymbolTable ParseVocabulary(std::string_view text, const std::string& name);

// Write what the functions above read. A single string has no "\n" at its end.
std::string SerializeString(const SymbolTable& alphabet, std::span<const int> string);
std::string SerializeStrings(const SymbolTable& alphabet,
                             std::span<const std::vector<int>> strings);
std::string SerializeVocabulary(const SymbolTable& alphabet);

// The names of all symbols with spaces between them, or of some if they are many: for messages.
std::string AlphabetText(const SymbolTable& alphabet);

}  // namespace pushdown
