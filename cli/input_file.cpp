#include "cli/input_file.h"

#include <filesystem>
#include <system_error>

#include "cli/errors.h"
#include "cli/interrupt.h"

namespace pushdown::cli {

std::string ReadText(const std::string& path, double max_bytes) {
  try {
    return ReadFile(path, max_bytes);
  } catch (const Error& error) {
    ThrowIfInterrupted();  // a signal also ends the reading of a file
    throw UsageError(MessageForUser(error));
  }
}

void CheckKeepsInput(const std::string& out, const std::string& input) {
  std::error_code ignored;
  if (out != "-" && std::filesystem::equivalent(out, input, ignored)) {
    throw UsageError("--out is the input file, which would be lost");
  }
}

}  // namespace pushdown::cli
