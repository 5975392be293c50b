#include "pushdown/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pushdown/utf8.h"

namespace pushdown {
namespace {

// Whether a character only stands there, and does not end the line, say, or turn its direction.
bool IsPrintable(std::string_view character) {
  if (character.size() == 1) return character >= " " && character <= "~";
  const auto in = [character](std::string_view low, std::string_view high) {
    return low <= character && character <= high;
  };
  return !in("\u0080", "\u009f") && !in("\u200b", "\u200f") && !in("\u2028", "\u202e") &&
         !in("\u2060", "\u206f") && character != "\ufeff";
}

}  // namespace

std::string Printable(std::string_view text, std::size_t limit) {
  std::string printable;
  while (!text.empty()) {
    const std::size_t size = Utf8CharacterSize(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    const std::string_view shown = size > 0 && IsPrintable(character) ? character : "?";
    if (printable.size() + shown.size() > limit) return printable + "...";
    printable += shown;
    text.remove_prefix(character.size());
  }
  return printable;
}

std::string Quoted(std::string_view text, std::size_t limit) {
  return '"' + Printable(text, limit) + '"';
}

std::string DurationText(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace pushdown
