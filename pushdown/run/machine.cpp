#include "pushdown/run/machine.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <fstream>
#include <thread>

#include "pushdown/kernels/blas.h"

namespace pushdown {

std::string CpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown";
}

int CpuCount() {
  const int cpus = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cpus, 1, kMaxBlasCallers);
}

std::string UtcNow() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace pushdown
