#include "cli/errors.h"

#include <string_view>

#include "pushdown/printable.h"

namespace pushdown::cli {

std::string MessageForUser(const Error& error) {
  // The library quotes at most 60 characters of a name, and explains it in some more.
  constexpr std::size_t kLongest = 400;
  std::string_view message = error.what();
  const std::size_t end = message.find("] ");
  if (message.starts_with('[') && end != std::string_view::npos) message.remove_prefix(end + 2);
  return Printable(message, kLongest);
}

}  // namespace pushdown::cli
