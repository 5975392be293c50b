#pragma once

#include <span>
#include <string>

namespace pushdown {

struct NamedText {
  std::string path;  // relative to the directory
  std::string text;
};

// Throws Error if WriteDirectory would: if the path exists and is not an empty directory, or if
// nothing can be created there.
void CheckOutputDirectory(const std::string& path);

// Creates a directory, with the directories above it, and fills it with files. The directory gets
// its name only when it is complete; if anything fails, nothing is left behind. Throws Error.
void WriteDirectory(const std::string& path, std::span<const NamedText> files);

}  // namespace pushdown
