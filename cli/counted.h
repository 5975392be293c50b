#pragma once

#include <fmt/format.h>

#include <string>

namespace pushdown::cli {

// "1 string", "2 strings".
template <typename N>
std::string Counted(N count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace pushdown::cli
