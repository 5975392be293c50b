#include "cli/input_file.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "cli/errors.h"
#include "cli/interrupt.h"
#include "pushdown/input_file.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

std::string ReadBy(std::string (*read)(const std::string&, double), const std::string& path,
                   double max_bytes) {
  try {
    return read(path, max_bytes);
  } catch (const Error& error) {
    ThrowIfInterrupted();
    throw UsageError(MessageForUser(error));
  }
}

}  // namespace

std::string InputName(const std::string& path) {
  return path == "-" ? "standard input" : Printable(path, 200);
}

std::string ReadText(const std::string& path, double max_bytes) {
  return ReadBy(ReadFile, path, max_bytes);
}

std::string ReadRegularText(const std::string& path, double max_bytes) {
  return ReadBy(ReadRegularFile, path, max_bytes);
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

void CheckKeepsInput(const std::string& out, const std::string& input) {
  std::error_code ignored;
  if (out != "-" && std::filesystem::equivalent(out, input, ignored)) {
    throw UsageError("--out is the input file, which would be lost");
  }
}

}  // namespace pushdown::cli
