#pragma once

namespace pushdown {

// With a sanitizer, programs are several times slower, and need an address space of terabytes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace pushdown
