#include "cli/memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/errors.h"

namespace pushdown::cli {

double MemoryLimit() {
  return 0.5 * static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(sysconf(_SC_PAGESIZE));
}

void CheckMemory(double bytes, const std::string& what, const char* advice) {
  if (bytes <= MemoryLimit()) return;
  throw UsageError(fmt::format("{} needs {} of memory, and {} may be used; {}", what,
                               Gigabytes(bytes), Gigabytes(MemoryLimit()), advice));
}

std::string Gigabytes(double bytes) {
  return bytes < 1e18 ? fmt::format("{:.1f} GB", bytes / 1e9) : "over 1e9 GB";
}

}  // namespace pushdown::cli
