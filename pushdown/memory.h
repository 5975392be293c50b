#pragma once

#include <string>

namespace pushdown {

// How many bytes this process may use: half of the machine's memory, or half of the limit of the
// process's control group, and no more than the address space that is left (ulimit -v).
double MemoryLimit();

// The memory limit of the process's control groups (cgroups of version 1 and 2), or infinity.
// `root` is the directory that contains /proc and /sys.
double ControlGroupLimit(const std::string& root = "/");

// Throws Error if `what` needs more than MemoryLimit(); `advice` says what would need less.
void CheckMemory(double bytes, const std::string& what, const char* advice);

// "1.5 GB", or "20 MB".
std::string Gigabytes(double bytes);

}  // namespace pushdown
