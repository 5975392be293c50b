#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pushdown {

// FNV-1a with 64 bits: tells data from other data, and notices damage. It is no protection from
// somebody who changes data on purpose. The same on every machine.
class Fingerprint {
 public:
  // Bytes alone: "ab" and "c" are as "a" and "bc". Add the sizes where that matters.
  void Add(std::string_view bytes) {
    for (const char byte : bytes) AddByte(static_cast<unsigned char>(byte));
  }

  // Eight bytes, the lowest first, whatever the type.
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
