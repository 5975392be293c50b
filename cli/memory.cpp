#include "cli/memory.h"

#include <fmt/format.h>
#include <unistd.h>

namespace pushdown::cli {

double MemoryLimit() {
  return 0.5 * static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::string Gigabytes(double bytes) { return fmt::format("{:.1f} GB", bytes / 1e9); }

}  // namespace pushdown::cli
