#pragma once

#include <string>

namespace pushdown::cli {

// CLI11 takes an argument "[a, b]" for a list, removes its brackets and splits it at commas, where
// a list is allowed. To us it is a string with brackets, which must not end in one to stay whole.
inline constexpr char kGuard = '\x1f';

inline std::string Guarded(const std::string& argument) {
  const bool list = argument.size() > 1 && argument.front() == '[' && argument.back() == ']';
  return list ? argument + kGuard : argument;
}

inline std::string Unguarded(const std::string& argument) {
  const bool guarded = argument.size() > 2 && argument.front() == '[' &&
                       argument[argument.size() - 2] == ']' && argument.back() == kGuard;
  return guarded ? argument.substr(0, argument.size() - 1) : argument;
}

}  // namespace pushdown::cli
