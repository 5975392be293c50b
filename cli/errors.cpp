#include "cli/errors.h"

#include "pushdown/printable.h"

namespace pushdown::cli {

std::string MessageForUser(const Error& error) {
  // The library quotes at most 60 characters of a name, and explains it in some more.
  constexpr std::size_t kLongest = 400;
  return Printable(error.message(), kLongest);
}

}  // namespace pushdown::cli
