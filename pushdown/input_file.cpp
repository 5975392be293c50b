#include "pushdown/input_file.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <memory>
#include <system_error>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/printable.h"

namespace pushdown {

std::string ReadFile(const std::string& path, double max_bytes) {
  const auto close = [](std::FILE* open) {
    if (open != nullptr && open != stdin) std::fclose(open);
  };
  const auto fail = [&path](const std::string& message) {
    throw Error("[pushdown::ReadFile] " + (path == "-" ? "standard input" : Printable(path, 200)) +
                ": " + message);
  };
  const auto fail_to_read = [&fail] {
    fail("cannot be read: " + std::generic_category().message(errno));
  };
  const std::unique_ptr<std::FILE, decltype(close)> file(
      path == "-" ? stdin : std::fopen(path.c_str(), "rb"), close);
  if (file == nullptr) fail_to_read();
  std::string text;
  std::vector<char> block(1 << 20);
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), size);
    if (static_cast<double>(text.size()) > max_bytes) {
      fail("has more than " + std::to_string(std::llrint(max_bytes / 1e6)) +
           " MB, which is too much to read");
    }
  }
  if (std::ferror(file.get()) != 0) fail_to_read();
  return text;
}

}  // namespace pushdown
