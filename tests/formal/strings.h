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

// Walks through the tree of all strings of 1 to max_length symbols, each after its prefixes:
// push(a) goes on to the string with one more symbol and says whether to go on from there, and
// pop() goes back from it.
template <typename Push, typename Pop>
void WalkStrings(int symbols, int max_length, const Push& push, const Pop& pop) {
  if (max_length == 0) return;
  for (int symbol = 0; symbol < symbols; ++symbol) {
    if (push(symbol)) WalkStrings(symbols, max_length - 1, push, pop);
    pop();
  }
}

}  // namespace pushdown::testing_oracle
