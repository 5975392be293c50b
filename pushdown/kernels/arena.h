#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>

#include "pushdown/kernels/rows.h"
#include "pushdown/kernels/zero_buffer.h"

namespace pushdown {

// Hands out pieces of one buffer, each beginning at a whole vector; or, without a buffer, finds out
// how large it must be. The same code therefore allocates, and tells how much it would allocate.
template <typename T>
class Arena {
 public:
  explicit Arena(T* buffer) : buffer_(buffer) {}
  T* Take(std::int64_t count) {
    T* piece = buffer_ == nullptr ? nullptr : buffer_ + used_;
    used_ += (count + kRowPadding<T> - 1) / kRowPadding<T> * kRowPadding<T>;
    return piece;
  }
  std::int64_t used() const { return used_; }

 private:
  T* buffer_;
  std::int64_t used_ = 0;
};

// How many elements place(Arena<T>&) takes.
template <typename T, class Place>
std::int64_t ArenaSize(const Place& place) {
  Arena<T> arena(nullptr);
  place(arena);
  return arena.used();
}

// A buffer of zeros out of which place(Arena<T>&) has taken its pieces.
template <typename T, class Place>
hwy::AlignedFreeUniquePtr<T[]> PlaceInArena(const Place& place) {
  auto buffer = ZeroBuffer<T>(static_cast<std::size_t>(ArenaSize<T>(place)));
  Arena<T> arena(buffer.get());
  place(arena);
  return buffer;
}

}  // namespace pushdown
