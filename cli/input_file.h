#pragma once

#include <string>

namespace pushdown::cli {

// How messages call an input file.
std::string InputName(const std::string& path);

// The whole text of a file, or of standard input ("-"). Throws UsageError if it cannot be read or
// has more than `max_bytes`.
std::string ReadText(const std::string& path, double max_bytes);

// The same of a file that the user has not named, which must be a regular one.
std::string ReadRegularText(const std::string& path, double max_bytes);

// Why nothing can be found in a directory, to follow its name: "does not exist", "is not a
// directory" or "cannot be read: Permission denied", say; empty if one can look into it.
std::string DirectoryFault(const std::string& path);

// Throws UsageError if writing a file would destroy the other one, which is read.
void CheckKeepsInput(const std::string& out, const std::string& input);

}  // namespace pushdown::cli
