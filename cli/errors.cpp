#include "cli/errors.h"

#include <string_view>

#include "pushdown/printable.h"

namespace pushdown::cli {

std::string MessageForUser(const Error& error) {
  // The library quotes at most 60 characters of a name, and explains it in some more.
  constexpr std::size_t kLongest = 400;
  // Errors may be told on, each with the function that it comes from.
  std::string message = error.what();
  constexpr std::string_view kFunction = "[pushdown::";
  for (std::size_t begin = message.find(kFunction); begin != std::string::npos;
       begin = message.find(kFunction, begin)) {
    const std::size_t end = message.find("] ", begin);
    if (end == std::string::npos) break;
    message.erase(begin, end + 2 - begin);
  }
  return Printable(message, kLongest);
}

}  // namespace pushdown::cli
