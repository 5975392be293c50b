#include "cli/standard_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

namespace pushdown::cli {
namespace {

void OpenIfClosed(int descriptor, int flags) {
  if (fcntl(descriptor, F_GETFD) != -1) return;
  const int opened = open("/dev/null", flags);
  if (opened < 0 || opened == descriptor) return;  // the lowest one that is free
  dup2(opened, descriptor);
  close(opened);
}

}  // namespace

void OpenStandardStreams() {
  // The wrong way round, so that using them fails as it does for a closed descriptor.
  OpenIfClosed(STDIN_FILENO, O_WRONLY);
  OpenIfClosed(STDOUT_FILENO, O_RDONLY);
  OpenIfClosed(STDERR_FILENO, O_WRONLY);
}

bool WriteToStandardError(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void PrintMessage(std::string_view message) {
  WriteToStandardError(fmt::format("pushdown: {}\n", message));
}

void PrintWarning(std::string_view message) {
  WriteToStandardError(fmt::format("pushdown: warning: {}\n", message));
}

}  // namespace pushdown::cli
