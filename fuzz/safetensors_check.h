#pragma once

#include <cstddef>
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
  const Safetensors again = ParseSafetensors(SerializeSafetensors(file));
  expect(again.metadata == file.metadata, "the metadata differ");
  expect(again.tensors.size() == file.tensors.size(), "the numbers of tensors differ");
  std::size_t bytes = 0;
  for (std::size_t n = 0; n < file.tensors.size(); ++n) {
    const SafetensorsTensor& a = file.tensors[n];
    const SafetensorsTensor& b = again.tensors[n];
    expect(a.name == b.name, "the names differ");
    expect(a.shape == b.shape, "the shapes differ");
    expect(a.type == b.type, "the types differ");
    expect(a.data() == b.data(), "the values differ");  // as bytes, since one may be NaN
    bytes += a.data().size();
  }
  expect(bytes < text.size(), "there are more values than bytes for them");
  return true;
}

}  // namespace pushdown
