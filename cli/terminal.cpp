#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace pushdown::cli {
namespace {

bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

}  // namespace

std::size_t TerminalWidth(int descriptor) {
  constexpr std::size_t kUsual = 80;
  if (isatty(descriptor) == 0) return kUnlimited;
  winsize size = {};
  // Some terminals, such as serial lines, do not know how wide they are.
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

std::size_t Columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), BeginsCharacter));
}

std::string_view FirstColumns(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (BeginsCharacter(text[end]) && columns-- == 0) break;
  }
  return text.substr(0, end);
}

std::string_view LastColumns(std::string_view text, std::size_t columns) {
  const std::size_t all = Columns(text);
  if (all > columns) text.remove_prefix(FirstColumns(text, all - columns).size());
  return text;
}

std::string Shortened(const std::string& text, std::size_t columns) {
  constexpr std::string_view kDots = "...";
  if (Columns(text) <= columns) return text;
  const std::size_t left = columns > kDots.size() ? columns - kDots.size() : 0;
  return std::string(FirstColumns(text, left)) + std::string(kDots.substr(0, columns));
}

std::string Wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  if (columns == kUnlimited) return std::string(text);
  std::string wrapped;
  std::size_t used = 0;  // of the line
  bool line_begins = true;
  const auto append = [&](std::string_view piece, bool after_space) {
    const std::size_t size = Columns(piece) + (after_space && !line_begins ? 1 : 0);
    if (!line_begins && used + size > columns) {
      wrapped += "\n" + std::string(indent, ' ');
      used = indent;
      line_begins = true;
    }
    if (after_space && !line_begins) wrapped += ' ';
    wrapped += piece;
    used += Columns(piece) + (after_space && !line_begins ? 1 : 0);
    line_begins = false;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty() && !line_begins && used < columns) {  // one of several spaces
      wrapped += ' ';
      ++used;
    }
    const bool fits = Columns(word) + indent <= columns;
    for (bool first = true; !word.empty(); first = false) {
      const std::size_t comma = fits ? word.npos : word.find(',');
      const std::size_t size = comma == word.npos ? word.size() : comma + 1;
      append(word.substr(0, size), first);
      word.remove_prefix(size);
    }
  }
  return wrapped;
}

}  // namespace pushdown::cli
