#pragma once

#include <algorithm>
#include <string>

namespace pushdown::testing_oracle {

// Languages of the examples by their definitions. All symbols are single characters, so that a
// string of them says all.

inline bool IsBalanced(const std::string& string) {
  int open = 0;
  for (char c : string) {
    open += c == '(' ? 1 : -1;
    if (open < 0) return false;
  }
  return open == 0;
}

inline bool IsPalindrome(const std::string& string) {
  return std::equal(string.begin(), string.end(), string.rbegin());
}

}  // namespace pushdown::testing_oracle
