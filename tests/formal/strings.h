#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace pushdown::testing_oracle {

// Calls visit(string) for every string of this length over the symbols 0 .. symbols-1.
template <typename Visit>
void ForEachString(int symbols, int length, const Visit& visit) {
  std::vector<int> string(static_cast<std::size_t>(length), 0);
  while (true) {
    visit(std::as_const(string));
    int position = length - 1;
    while (position >= 0 && string[position] == symbols - 1) string[position--] = 0;
    if (position < 0) return;
    ++string[position];
  }
}

}  // namespace pushdown::testing_oracle
