#include "cli/input_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "cli/errors.h"
#include "cli/interrupt.h"

namespace pushdown::cli {

std::string InputName(const std::string& path) {
  return path == "-" ? "standard input" : Printable(path, 200);
}

std::string ReadText(const std::string& path, double max_bytes) {
  const auto close = [](std::FILE* open) {
    if (open != nullptr && open != stdin) std::fclose(open);
  };
  const std::unique_ptr<std::FILE, decltype(close)> file(
      path == "-" ? stdin : std::fopen(path.c_str(), "rb"), close);
  const auto fail = [&path] {
    ThrowIfInterrupted();
    throw UsageError(InputName(path) +
                     ": cannot be read: " + std::generic_category().message(errno));
  };
  if (file == nullptr) fail();
  std::string text;
  std::vector<char> block(1 << 20);
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), size);
    if (static_cast<double>(text.size()) > max_bytes) {
      throw UsageError(fmt::format("{}: has more than {:.0f} MB, which is too much to read",
                                   InputName(path), max_bytes / 1e6));
    }
  }
  if (std::ferror(file.get()) != 0) fail();
  return text;
}

void CheckKeepsInput(const std::string& out, const std::string& input) {
  std::error_code ignored;
  if (out != "-" && std::filesystem::equivalent(out, input, ignored)) {
    throw UsageError("--out is the input file, which would be lost");
  }
}

}  // namespace pushdown::cli
