#include "pushdown/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "pushdown/error.h"

namespace pushdown {

namespace fs = std::filesystem;

std::string TemporaryName(const std::string& target, int n) {
  return target + ".tmp." + std::to_string(getpid()) + (n > 0 ? "-" + std::to_string(n) : "");
}

OutputFile::OutputFile(const std::string& path, const std::string& name)
    : name_(!name.empty() ? name
            : path == "-" ? "standard output"
                          : path) {
  if (path == "-") {
    file_ = stdout;
    return;
  }
  // The target of a symbolic link is replaced, not the link.
  std::error_code error;
  fs::path target = path;
  if (fs::exists(target, error)) target = fs::canonical(target, error);
  if (error) Fail(error.value());
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) Fail(EISDIR);
  target_ = target.string();
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    file_ = std::fopen(target_.c_str(), "w");
    if (file_ == nullptr) Fail(errno);
    return;
  }
  std::string temporary;
  // A process of the same number may have been killed before it could clean up.
  for (int n = 0; file_ == nullptr && n < kMostLeftovers; ++n) {
    temporary = TemporaryName(target_, n);
    file_ = std::fopen(temporary.c_str(), "wx");
    if (file_ == nullptr && errno != EEXIST) Fail(errno);
  }
  if (file_ == nullptr) Fail(EEXIST);
  temporary_ = std::move(temporary);
  if (fs::exists(status)) fs::permissions(temporary_, status.permissions(), error);
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void OutputFile::Write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) Fail(errno);
}

void OutputFile::Commit() {
  if (std::fflush(file_) != 0) Fail(errno);
  // The new contents must be on the disk before the name is theirs.
  if (!temporary_.empty() && fsync(fileno(file_)) != 0) Fail(errno);
  if (file_ != stdout) {
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) Fail(errno);
  }
  if (!temporary_.empty()) {
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) Fail(errno);
    temporary_.clear();
  }
}

void OutputFile::Fail(int error) const {
  throw Error("[pushdown::OutputFile] " + name_.substr(0, 200) +
              ": cannot be written: " + std::generic_category().message(error));
}

}  // namespace pushdown
