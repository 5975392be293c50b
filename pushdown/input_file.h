#pragma once

#include <string>

namespace pushdown {

// The name of an input file in messages.
std::string InputName(const std::string& path);

// The whole text of a file, or of standard input ("-"). Throws Error, naming the file, if it cannot
// be read or has more than `max_bytes`.
std::string ReadFile(const std::string& path, double max_bytes);

// The same for a file that the user has not named. It must be a regular file: reading from a pipe
// in its place could block for ever.
std::string ReadRegularFile(const std::string& path, double max_bytes);

// What is wrong with a directory that should be read, to follow its name in a message: for example
// "does not exist", "is not a directory" or "cannot be read: Permission denied". Empty if the
// directory can be read.
std::string DirectoryFault(const std::string& path);

}  // namespace pushdown
