#pragma once

#include <string>

namespace pushdown::cli {

// How many bytes a command may take: half of the machine's memory.
double MemoryLimit();

// "1.5 GB".
std::string Gigabytes(double bytes);

}  // namespace pushdown::cli
