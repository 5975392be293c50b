#include "pushdown/output_directory.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/output_file.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Fail(const std::string& path, const std::string& message) {
  throw Error(ErrorKind::kSystem, "pushdown::WriteDirectory", path.substr(0, 200) + ": " + message);
}

void Check(const std::string& path, const std::error_code& error) {
  if (error) Fail(path, "cannot be written: " + error.message());
}

// Where the directory really is: a symbolic link is kept, and its target filled. Absolute, since
// the working directory may be the one to be replaced.
fs::path Target(const std::string& path) {
  std::error_code error;
  fs::path target = fs::weakly_canonical(fs::absolute(path, error), error);
  Check(path, error);
  if (!target.has_filename()) target = target.parent_path();  // "data/"
  return target;
}

// Directories that exist for as long as nobody keeps them.
class ProvisionalDirectories {
 public:
  explicit ProvisionalDirectories(const std::string& name) : name_(name) {}
  ~ProvisionalDirectories() {
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
    // Only empty ones: someone else may use them by now.
    for (; !created_.empty(); created_.pop_back()) fs::remove(created_.back(), ignored);
  }
  ProvisionalDirectories(const ProvisionalDirectories&) = delete;
  ProvisionalDirectories& operator=(const ProvisionalDirectories&) = delete;

  // A directory and those above it that do not exist.
  void CreateAll(const fs::path& directory) {
    std::error_code error;
    if (fs::is_directory(directory, error)) return;
    if (directory.has_relative_path()) CreateAll(directory.parent_path());
    // Nothing may fail between creating and remembering it.
    created_.reserve(created_.size() + 1);
    fs::path created = directory;
    if (fs::create_directory(directory, error)) created_.push_back(std::move(created));
    Check(name_, error);
  }

  // One beside the target that did not exist, and that is removed with everything in it.
  void CreateTemporary(const fs::path& target) {
    RemoveStaleTemporaries(target);
    for (int n = 0; n < kMostLeftovers; ++n) {
      fs::path directory = TemporaryName(target.string(), n);
      std::error_code error;
      if (fs::create_directory(directory, error)) {
        temporary_ = std::move(directory);
        return;
      }
      Check(name_, error);
    }
    Check(name_, std::make_error_code(std::errc::file_exists));
  }
  const fs::path& temporary() const { return temporary_; }

  // The temporary directory gets its name.
  void Keep(const fs::path& target) {
    if (std::rename(temporary_.c_str(), target.c_str()) != 0) {
      Check(name_, std::error_code(errno, std::generic_category()));
    }
    temporary_.clear();
    // The new names survive a power cut.
    int error = SyncDirectory(target.parent_path());
    for (; !created_.empty(); created_.pop_back()) {
      if (error == 0) error = SyncDirectory(created_.back().parent_path());
    }
    if (error != 0) Check(name_, std::error_code(error, std::generic_category()));
  }

 private:
  std::string name_;  // in messages
  std::vector<fs::path> created_;
  fs::path temporary_;
};

}  // namespace

void CheckOutputDirectory(const std::string& path) {
  const fs::path target = Target(path);
  std::error_code error;
  const bool exists = fs::exists(target, error);
  Check(path, error);
  if (exists && (!fs::is_directory(target, error) || !fs::is_empty(target, error))) {
    Check(path, error);
    Fail(path, "exists and is not an empty directory; remove it or choose another name");
  }
  if (exists && target == fs::current_path(error)) {
    Fail(path, "is the working directory, which cannot be replaced; give the name of another");
  }
  fs::path above = target.parent_path();
  while (!fs::exists(above, error) && above.has_relative_path()) above = above.parent_path();
  if (!fs::is_directory(above, error)) {
    Check(path, std::make_error_code(std::errc::not_a_directory));
  }
  if (access(above.c_str(), W_OK | X_OK) != 0) {
    Check(path, std::error_code(errno, std::generic_category()));
  }
}

void WriteDirectory(const std::string& path, std::span<const NamedText> files) {
  CheckOutputDirectory(path);
  const fs::path target = Target(path);
  ProvisionalDirectories directories(path);
  directories.CreateAll(target.parent_path());
  directories.CreateTemporary(target);
  const fs::path temporary = directories.temporary();
  std::error_code error;
  for (const NamedText& file : files) {
    fs::create_directories((temporary / file.path).parent_path(), error);
    Check(path, error);
    OutputFile out((temporary / file.path).string(), (fs::path(path) / file.path).string());
    out.Write(file.text);
    out.Commit();
  }
  const fs::file_status existing = fs::status(target, error);
  if (fs::exists(existing)) fs::permissions(temporary, existing.permissions(), error);
  // Also replaces an empty directory, and refuses one that has been filled since.
  directories.Keep(target);
}

}  // namespace pushdown
