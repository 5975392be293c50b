#include "pushdown/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void Fail(const std::string& path, const std::string& message,
                       ErrorKind kind = ErrorKind::kInput) {
  throw Error(kind, "pushdown::ReadFile", InputName(path) + ": " + message);
}

[[noreturn]] void FailToRead(const std::string& path) {
  Fail(path, "cannot be read: " + std::generic_category().message(errno));
}

std::string ReadAll(const File& file, const std::string& path, double max_bytes) {
  if (file == nullptr) FailToRead(path);
  std::string text;
  std::vector<char> block(1 << 20);
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), size);
    if (static_cast<double>(text.size()) > max_bytes) {
      Fail(path,
           "has more than " + std::to_string(std::llrint(max_bytes / 1e6)) +
               " MB, which is too much to read",
           ErrorKind::kLimit);
    }
  }
  if (std::ferror(file.get()) != 0) FailToRead(path);
  return text;
}

}  // namespace

std::string InputName(const std::string& path) {
  return path == "-" ? "standard input" : Printable(path, 200);
}

std::string ReadFile(const std::string& path, double max_bytes) {
  const File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  return ReadAll(file, path, max_bytes);
}

std::string ReadRegularFile(const std::string& path, double max_bytes) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) FailToRead(path);
  const File file(fdopen(descriptor, "rb"));
  if (file == nullptr) {
    const int error = errno;
    close(descriptor);
    errno = error;
    FailToRead(path);
  }
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) FailToRead(path);
  // What is wrong with a directory, reading it says better.
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) Fail(path, "is not a regular file");
  return ReadAll(file, path, max_bytes);
}

std::string DirectoryFault(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return "does not exist";
  if (error) return "cannot be read: " + error.message();
  if (!std::filesystem::is_directory(status)) return "is not a directory";
  if (access(path.c_str(), X_OK) == 0) return {};
  return "cannot be read: " + std::generic_category().message(errno);
}

}  // namespace pushdown
