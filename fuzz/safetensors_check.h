#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "pushdown/error.h"
#include "pushdown/safetensors.h"

namespace pushdown {

// Reads any bytes as a safetensors file and, if they are one, checks that it can be written and
// read again, and then has the same in it. Only what the library reports as an error is caught;
// returns whether the bytes were a file.
inline bool CheckSafetensorsText(std::string_view text) {
  Safetensors file;
  try {
    file = ParseSafetensors(text);
  } catch (const Error&) {
    return false;
  }
  const auto expect = [](bool condition, const char* what) {
    if (!condition) throw std::logic_error(what);
  };
  const Safetensors again = ParseSafetensors(SafetensorsText(file));
  expect(again.metadata == file.metadata, "the metadata differ");
  expect(again.tensors.size() == file.tensors.size(), "the numbers of tensors differ");
  std::size_t values = 0;
  for (std::size_t n = 0; n < file.tensors.size(); ++n) {
    const SafetensorsTensor& a = file.tensors[n];
    const SafetensorsTensor& b = again.tensors[n];
    expect(a.name == b.name, "the names differ");
    expect(a.shape == b.shape, "the shapes differ");
    expect(a.values.size() == b.values.size(), "the numbers of values differ");
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      // Bits, since a value may be NaN.
      expect(std::bit_cast<std::uint32_t>(a.values[i]) == std::bit_cast<std::uint32_t>(b.values[i]),
             "the values differ");
    }
    values += a.values.size();
  }
  expect(values * sizeof(float) < text.size(), "there are more values than bytes for them");
  return true;
}

}  // namespace pushdown
