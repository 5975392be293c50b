#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace pushdown {

// While it lives, numbers too small for a normal float count as zero on this thread. Shares decay
// without end, and arithmetic on denormal numbers is many times slower on most CPUs.
class FlushDenormals {
 public:
#if defined(__x86_64__)
  // Objects within the life of another do nothing: the register takes time to write.
  FlushDenormals() : before_(_mm_getcsr()) {
    if (before_ != Flushing()) _mm_setcsr(Flushing());
  }
  ~FlushDenormals() {
    if (before_ != Flushing()) _mm_setcsr(before_);
  }

 private:
  static constexpr unsigned kFlushToZero = 0x8000;
  static constexpr unsigned kDenormalsAreZero = 0x0040;
  unsigned Flushing() const { return before_ | kFlushToZero | kDenormalsAreZero; }

  unsigned before_;
#elif defined(__aarch64__)
  FlushDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" : : "r"(before_ | kFlushToZero));
  }
  ~FlushDenormals() { asm volatile("msr fpcr, %0" : : "r"(before_)); }

 private:
  static constexpr std::uint64_t kFlushToZero = std::uint64_t{1} << 24;
  std::uint64_t before_ = 0;
#else
  FlushDenormals() = default;
  ~FlushDenormals() = default;

 private:
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

}  // namespace pushdown
