#pragma once

#include <string>

#include "pushdown/input_file.h"

namespace pushdown::cli {

// The whole text of a file, or of standard input ("-"). Throws UsageError if it cannot be read or
// has more than `max_bytes`.
std::string ReadText(const std::string& path, double max_bytes);

// Throws UsageError if writing a file would destroy the other one, which is read, or one in the
// directory that is read.
void CheckKeepsInput(const std::string& out, const std::string& input);

}  // namespace pushdown::cli
