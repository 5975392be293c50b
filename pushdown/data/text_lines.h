#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "pushdown/utf8.h"

namespace pushdown {

// How texts are split into lines, and lines into tokens. A text may begin with a byte order mark;
// what is after the last "\n" is a line if there is something.

// What separates tokens; "\r", so that lines may end in "\r\n".
inline constexpr std::string_view kTokenSeparators = " \t\r";

// Calls read(line, number) for the lines of a text, numbered from 1, without their ends. Throws
// what `fail` throws if there is none.
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

// Calls read(token, position) for the tokens of a line, numbered from 1.
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
