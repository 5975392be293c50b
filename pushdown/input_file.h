#pragma once

#include <string>

namespace pushdown {

// The whole text of a file, or of standard input ("-"). Throws Error, naming the file, if it cannot
// be read or has more than `max_bytes`.
std::string ReadFile(const std::string& path, double max_bytes);

// The same of a file that the user has not named: it must be a regular one. A pipe that stands in
// its place would block for ever.
std::string ReadRegularFile(const std::string& path, double max_bytes);

}  // namespace pushdown
