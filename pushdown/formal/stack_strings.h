#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace pushdown {

// Numbers for strings of stack symbols. A string is stored as the number of its beginning and its
// last symbol.
class StackStrings {
 public:
  static constexpr int kNothing = -1;  // the empty string

  int size() const { return static_cast<int>(strings_.size()); }
  int beginning(int string) const { return strings_[string].first; }  // all but the last symbol
  int last(int string) const { return strings_[string].second; }

  // The string with one more symbol, which is added if it is new.
  int Add(int beginning, int last) {
    const auto [entry, added] = numbers_.try_emplace({beginning, last}, size());
    if (added) strings_.emplace_back(beginning, last);
    return entry->second;
  }
  // The string with several more symbols.
  int Add(int string, std::span<const int> symbols) {
    for (int symbol : symbols) string = Add(string, symbol);
    return string;
  }
  // The string with one more symbol, which must have been added.
  int Find(int beginning, int last) const { return numbers_.at({beginning, last}); }

 private:
  std::vector<std::pair<int, int>> strings_;
  std::map<std::pair<int, int>, int> numbers_;
};

}  // namespace pushdown
