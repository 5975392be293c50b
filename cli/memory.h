#pragma once

#include <string>

namespace pushdown::cli {

// How many bytes a command may take: half of the machine's memory.
double MemoryLimit();

// Throws UsageError if `what` needs more than that; the advice says what would need less.
void CheckMemory(double bytes, const std::string& what, const char* advice);

// "1.5 GB".
std::string Gigabytes(double bytes);

}  // namespace pushdown::cli
