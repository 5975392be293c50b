#include "pushdown/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "pushdown/error.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// The number in a file of the system; infinity if there is none, or "max".
double NumberIn(const fs::path& path) {
  std::ifstream file(path);
  double number = 0;
  return file >> number ? number : kUnlimited;
}

// The smallest limit of a group and of those above it. In a container, the group's path may be that
// of the host, of which only the uppermost groups are there.
double SmallestLimit(const fs::path& hierarchy, const fs::path& group, const char* file) {
  double limit = NumberIn(hierarchy / file);
  fs::path path = hierarchy;
  for (const fs::path& part : group.relative_path()) {
    path /= part;
    limit = std::min(limit, NumberIn(path / file));
  }
  return limit;
}

double PageSize() { return static_cast<double>(sysconf(_SC_PAGESIZE)); }

// Of the address space that ulimit -v allows.
double AddressSpaceLeft() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  const double used = NumberIn("/proc/self/statm") * PageSize();
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

}  // namespace

double ControlGroupLimit(const std::string& root) {
  double limit = kUnlimited;
  std::ifstream groups(fs::path(root) / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // NUMBER:CONTROLLERS:PATH, the controllers being separated by commas.
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    const fs::path mounted = fs::path(root) / "sys/fs/cgroup";
    if (controllers == ",,") {
      limit = std::min(limit, SmallestLimit(mounted, group, "memory.max"));
    } else if (controllers.find(",memory,") != controllers.npos) {
      limit = std::min(limit, SmallestLimit(mounted / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return limit;
}

double MemoryLimit() {
  const double physical = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * PageSize();
  return std::min(0.5 * std::min(physical, ControlGroupLimit()), AddressSpaceLeft());
}

void CheckMemory(double bytes, const std::string& what, const char* advice) {
  const double limit = MemoryLimit();
  if (bytes <= limit) return;
  throw Error(ErrorKind::kLimit, "pushdown::CheckMemory",
              fmt::format("{} needs {} of memory, and {} may be used; {}", what, Gigabytes(bytes),
                          Gigabytes(limit), advice));
}

std::string Gigabytes(double bytes) {
  if (bytes < 1e8) return fmt::format("{:.0f} MB", bytes / 1e6);
  return bytes < 1e18 ? fmt::format("{:.1f} GB", bytes / 1e9) : "over 1e9 GB";
}

}  // namespace pushdown
