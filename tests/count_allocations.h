// Counts what a program allocates. Replaces malloc, so it is included once in a program.

#pragma once

#include <cstddef>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define PUSHDOWN_CAN_COUNT_ALLOCATIONS 1
#else  // the sanitizer has a malloc of its own
#define PUSHDOWN_CAN_COUNT_ALLOCATIONS 0
#endif

namespace {
long allocations = 0;
}  // namespace

#if PUSHDOWN_CAN_COUNT_ALLOCATIONS
// Everything ends here, operator new and aligned buffers alike.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
#endif
