#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace pushdown {

// A file is written under a temporary name beside its target, TARGET.tmp.HOST.PROCESS, and renamed
// when it is complete. This is the n-th such name; names are tried in the order 0, 1, 2, ...
std::string TemporaryName(const std::string& target, int n);
// How many names are tried.
inline constexpr int kMostLeftovers = 100;
// The TARGET part of a temporary name, also of names TARGET.tmp.PROCESS that earlier versions used;
// empty if the name is not a temporary one.
std::string_view TargetOfTemporaryName(std::string_view name);
// Removes the temporary files of a target that were left by processes of this machine which are no
// longer running. Those of other machines stay, since their processes may still be running.
void RemoveStaleTemporaries(const std::filesystem::path& target);

// Makes the names in a directory survive a power cut. Returns the value of errno, or 0.
int SyncDirectory(const std::filesystem::path& directory);

// A file that gets its name only when it is complete: it is written under a temporary name, and
// renamed by Commit. Standard output ("-"), devices and pipes are written to directly. All
// functions throw Error.
class OutputFile {
 public:
  // `name` stands for the file in messages; by default, it is `path`.
  explicit OutputFile(const std::string& path, const std::string& name = "");
  // If Commit was not called, the target stays as it was.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(std::string_view text);
  // Afterwards, the file survives a power cut.
  void Commit();

 private:
  [[noreturn]] void Fail(int error) const;
  void OpenPipeOrDevice();

  std::string name_;       // in messages
  std::string target_;     // where Commit moves `temporary_`
  std::string temporary_;  // empty if there is nothing to move
  std::FILE* file_ = nullptr;
};

// Writes a whole file in one call. Throws Error.
void WriteFile(const std::string& path, std::string_view text);

}  // namespace pushdown
