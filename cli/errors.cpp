#include "cli/errors.h"

namespace pushdown::cli {

std::string Printable(std::string_view text, std::size_t limit) {
  std::string printable(text.substr(0, limit));
  for (char& c : printable) {
    if (c < ' ' || c > '~') c = '?';
  }
  if (text.size() > limit) printable += "...";
  return printable;
}

std::string Quoted(std::string_view text, std::size_t limit) {
  return '"' + Printable(text, limit) + '"';
}

std::string MessageForUser(const Error& error) {
  // The library quotes at most 60 characters of a name, and explains it in some more.
  constexpr std::size_t kLongest = 400;
  std::string_view message = error.what();
  const std::size_t end = message.find("] ");
  if (message.starts_with('[') && end != std::string_view::npos) message.remove_prefix(end + 2);
  return Printable(message, kLongest);
}

}  // namespace pushdown::cli
