#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace pushdown {

// An aligned array of zeros. Large ones take no memory where they are never written, as rows of
// pairs that no run of an automaton comes to. Throws std::bad_alloc.
template <typename T>
hwy::AlignedFreeUniquePtr<T[]> ZeroBuffer(std::size_t size) {
  auto buffer = hwy::AllocateAligned<T>(
      size, [](void* /*opaque*/, std::size_t bytes) { return std::calloc(bytes, 1); },
      [](void* /*opaque*/, void* memory) { std::free(memory); }, nullptr);
  if (buffer == nullptr) throw std::bad_alloc();
  return buffer;
}

}  // namespace pushdown
