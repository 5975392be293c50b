#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "pushdown/utf8.h"

namespace pushdown {

// How files are split into lines, and lines into tokens. A file may begin with a byte order mark.
// The characters after the last "\n", if there are any, are a line too. An empty line has no
// tokens.

// The characters that separate tokens. "\r" is one of them, so that lines may end in "\r\n".
inline constexpr std::string_view kTokenSeparators = " \t\r";

// Calls read(line, number) for each line of a text, without its "\n"; numbers begin with 1. Calls
// fail(message), which must throw, if there is no line.
template <typename Read, typename Fail>
void ForEachLine(std::string_view text, const Read& read, const Fail& fail) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.empty()) fail("is empty");
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    read(text.substr(0, end), ++number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Calls read(token, position) for each token of a line; positions begin with 1.
template <typename Read>
void ForEachToken(std::string_view line, const Read& read) {
  std::size_t position = 0;
  for (std::size_t begin = line.find_first_not_of(kTokenSeparators); begin != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kTokenSeparators, begin), line.size());
    read(line.substr(begin, end - begin), ++position);
    begin = line.find_first_not_of(kTokenSeparators, end);
  }
}

}  // namespace pushdown
