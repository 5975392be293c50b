#pragma once

#include <string>

namespace pushdown {

// The whole text of a file, or of standard input ("-"). Throws Error, naming the file, if it cannot
// be read or has more than `max_bytes`.
std::string ReadFile(const std::string& path, double max_bytes);

}  // namespace pushdown
