#pragma once

#include <string>

namespace pushdown {

// The name that the system has for the CPU, or "unknown".
std::string CpuName();

// How many threads it makes sense to use: the number of CPUs, but no more than OpenBLAS can serve.
int CpuCount();

// The time in UTC, such as "2026-11-18T03:10:00Z".
std::string UtcNow();

}  // namespace pushdown
