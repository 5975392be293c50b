#pragma once

#include <string>

namespace pushdown::cli {

// How many bytes a command may take: half of the machine's memory, or of what the process's control
// group may have, and no more than the address space that is left (ulimit -v).
double MemoryLimit();

// What the control groups of the process (cgroups of version 1 and 2) allow, or infinity. `root` is
// where /proc and /sys are.
double ControlGroupLimit(const std::string& root = "/");

// Throws UsageError if `what` needs more than that; the advice says what would need less.
void CheckMemory(double bytes, const std::string& what, const char* advice);

// "1.5 GB", or "20 MB".
std::string Gigabytes(double bytes);

}  // namespace pushdown::cli
