#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pushdown {

// FNV-1a with 64 bits: distinguishes data from other data, and detects damage. It does not protect
// from somebody who changes data on purpose. It is the same on every machine.
class Fingerprint {
 public:
  // Adds the bytes only: "ab" and then "c" give the same as "a" and then "bc". Add the sizes, too,
  // where that matters.
  void Add(std::string_view bytes) {
    for (const char byte : bytes) AddByte(static_cast<unsigned char>(byte));
  }

  // Adds eight bytes, the lowest first, for every type of integer.
  template <std::integral Integer>
  void Add(Integer number) {
    const auto bits = static_cast<std::uint64_t>(number);
    for (int shift = 0; shift < 64; shift += 8) AddByte((bits >> shift) & 0xff);
  }

  std::uint64_t value() const { return hash_; }

  // 16 hexadecimal digits.
  std::string Text() const {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(hash_ >> shift) & 15];
    return text;
  }

 private:
  void AddByte(std::uint64_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }

  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace pushdown
