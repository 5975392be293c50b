#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/data/data_directory.h"
#include "pushdown/data/token_format.h"
#include "pushdown/error.h"

namespace pushdown {

// Reads any text, up to its first empty line, as a vocabulary, and the rest as strings of it. What
// is read must be the same after writing and reading again. Only what the library reports as an
// error is caught; returns whether both parts were read.
inline bool CheckTokenFormat(std::string_view text) {
  const std::size_t split = std::min(text.find("\n\n"), text.size());
  SymbolTable vocabulary;
  std::vector<std::vector<int>> strings;
  try {
    vocabulary = ParseVocabulary(text.substr(0, split), "vocabulary");
    strings = ParseStrings(text.substr(std::min(split + 2, text.size())), vocabulary, "strings");
  } catch (const Error&) {
    return false;
  }
  const auto expect = [](bool condition, const char* what) {
    if (!condition) throw std::logic_error(what);
  };
  expect(ParseVocabulary(SerializeVocabulary(vocabulary), "").names() == vocabulary.names(),
         "the vocabulary differs");
  expect(ParseStrings(SerializeStrings(vocabulary, strings), vocabulary, "") == strings,
         "the strings differ");
  return true;
}

}  // namespace pushdown
