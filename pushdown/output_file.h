#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace pushdown {

// Where something is written beside its place: the n-th name, to be tried in this order.
std::string TemporaryName(const std::string& target, int n);
// How many names are tried.
inline constexpr int kMostLeftovers = 100;

// A file that appears under its name when it is complete, or not at all: it is written beside its
// place and renamed by Commit. Standard output ("-"), devices and pipes are written to directly.
// Everything throws Error.
class OutputFile {
 public:
  // Messages call it `name`, if that is given, and `path` otherwise.
  explicit OutputFile(const std::string& path, const std::string& name = "");
  // Without Commit, leaves what was there before.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(std::string_view text);
  void Commit();

 private:
  [[noreturn]] void Fail(int error) const;

  std::string name_;       // in messages
  std::string target_;     // where Commit moves `temporary_`
  std::string temporary_;  // empty if there is nothing to move
  std::FILE* file_ = nullptr;
};

}  // namespace pushdown
