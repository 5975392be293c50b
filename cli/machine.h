#pragma once

#include <string>

namespace pushdown::cli {

// As the system calls it, or "unknown".
std::string CpuName();

}  // namespace pushdown::cli
