#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace pushdown {

// Where something is written beside its place, TARGET.tmp.HOST.PROCESS: the n-th name, to be tried
// in this order.
std::string TemporaryName(const std::string& target, int n);
// How many names are tried.
inline constexpr int kMostLeftovers = 100;
// The target's part of such a name, or of TARGET.tmp.PROCESS as earlier versions had it; empty if
// it is not one.
std::string_view TargetOfTemporaryName(std::string_view name);
// Removes what processes of this machine that have ended have left beside a target. Nothing is
// certain about those of other machines.
void RemoveStaleTemporaries(const std::filesystem::path& target);

// Makes the names in a directory survive a power cut. Returns the error, or 0.
int SyncDirectory(const std::filesystem::path& directory);

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
  // After it, the file survives a power cut.
  void Commit();

 private:
  [[noreturn]] void Fail(int error) const;
  void OpenPipeOrDevice();

  std::string name_;       // in messages
  std::string target_;     // where Commit moves `temporary_`
  std::string temporary_;  // empty if there is nothing to move
  std::FILE* file_ = nullptr;
};

}  // namespace pushdown
