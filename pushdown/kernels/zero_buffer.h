#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>
#include <new>

namespace pushdown {

// An aligned array of zeros. Throws std::bad_alloc.
template <typename T>
hwy::AlignedFreeUniquePtr<T[]> ZeroBuffer(std::size_t size) {
  auto buffer = hwy::AllocateAligned<T>(size);
  if (buffer == nullptr) throw std::bad_alloc();
  std::fill_n(buffer.get(), size, T{0});
  return buffer;
}

}  // namespace pushdown
