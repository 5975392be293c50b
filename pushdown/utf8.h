#pragma once

#include <cstddef>
#include <string_view>

namespace pushdown {

// Some programs write it at the beginning of a text.
inline constexpr std::string_view kByteOrderMark = "\ufeff";

// The number of bytes of the first character of a text, or 0 if it is not UTF-8. The text must not
// be empty.
inline std::size_t Utf8CharacterSize(std::string_view text) {
  const auto byte = [&](std::size_t n) {
    return n < text.size() ? static_cast<unsigned char>(text[n]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  for (std::size_t n = 1; n < size; ++n) {
    if ((byte(n) & 0xc0) != 0x80) return 0;
  }
  // Not allowed: bytes that cannot begin a character, encodings that are longer than necessary, and
  // surrogates.
  const bool wrong = first < 0xc2 || first > 0xf4 || (first == 0xe0 && byte(1) < 0xa0) ||
                     (first == 0xed && byte(1) > 0x9f) || (first == 0xf0 && byte(1) < 0x90) ||
                     (first == 0xf4 && byte(1) > 0x8f);
  return wrong ? 0 : size;
}

inline bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = Utf8CharacterSize(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace pushdown
