#pragma once

#include <string>

namespace pushdown::cli {

// As the system calls it, or "unknown".
std::string CpuName();

// As many threads as it makes sense to have, and as OpenBLAS can serve.
int CpuCount();

}  // namespace pushdown::cli
