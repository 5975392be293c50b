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
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (out == "-" || !fs::exists(out, ignored)) return;
  if (fs::equivalent(out, input, ignored)) {
    throw UsageError("--out is the input file, which would be lost");
  }
  // The page of a run may be made again in its directory.
  if (!fs::is_directory(input, ignored) || fs::path(out).extension() == ".html") return;
  for (fs::path above = fs::weakly_canonical(out, ignored).parent_path();;
       above = above.parent_path()) {
    if (fs::equivalent(above, input, ignored)) {
      throw UsageError("--out is a file of the input directory, which would be lost");
    }
    if (above == above.parent_path()) return;
  }
}

}  // namespace pushdown::cli
