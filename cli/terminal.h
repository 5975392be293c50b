#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace pushdown::cli {

// What is written for eyes fits the window that it is written to; what is written to a file or a
// pipe is complete.

inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// The columns of the terminal that a descriptor is now, as it may be changed at any time;
// kUnlimited if it is no terminal.
std::size_t TerminalWidth(int descriptor);

// The columns that a text takes: a character is one, however many bytes it has.
std::size_t Columns(std::string_view text);

// The first and the last characters of a text, which take so many columns at most.
std::string_view FirstColumns(std::string_view text, std::size_t columns);
std::string_view LastColumns(std::string_view text, std::size_t columns);

// The beginning of a text, with "..." at its end if something is missing.
std::string Shortened(const std::string& text, std::size_t columns);

// A text with line breaks in place of spaces, and after commas in words that have no room; lines
// after the first one begin with `indent` spaces. A word that is too long for any line stays whole.
std::string Wrapped(std::string_view text, std::size_t columns, std::size_t indent = 0);

}  // namespace pushdown::cli
