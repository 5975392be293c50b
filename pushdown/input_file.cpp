#include "pushdown/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
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

[[noreturn]] void Fail(const std::string& path, const std::string& message) {
  throw Error("[pushdown::ReadFile] " + (path == "-" ? "standard input" : Printable(path, 200)) +
              ": " + message);
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
      Fail(path, "has more than " + std::to_string(std::llrint(max_bytes / 1e6)) +
                     " MB, which is too much to read");
    }
  }
  if (std::ferror(file.get()) != 0) FailToRead(path);
  return text;
}

}  // namespace

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

}  // namespace pushdown
