#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "pushdown/error.h"

namespace pushdown {

// What stacks carry from chunk to chunk, as bytes: numbers as they are in memory, one after the
// other.

template <typename T>
void AppendNumbers(const T* values, std::size_t count, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

// Takes numbers from the front. Throws Error if there are not as many.
template <typename T>
void TakeNumbers(std::string_view& bytes, T* values, std::size_t count) {
  if (count > bytes.size() / sizeof(T)) throw Error("pushdown::TakeNumbers", "too few bytes");
  if (count > 0) std::memcpy(values, bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
}

}  // namespace pushdown
