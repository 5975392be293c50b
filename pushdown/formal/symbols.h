#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pushdown {

// Gives names the numbers 0, 1, 2, ... in the order of their addition.
class SymbolTable {
 public:
  SymbolTable() = default;

  int size() const { return static_cast<int>(names_.size()); }
  const std::string& name(int symbol) const { return names_[static_cast<std::size_t>(symbol)]; }
  const std::vector<std::string>& names() const { return names_; }

  // The number of a name, which is added if it is new.
  int Add(std::string_view name) {
    const auto [entry, added] = numbers_.try_emplace(std::string(name), size());
    if (added) names_.emplace_back(name);
    return entry->second;
  }

  std::optional<int> Find(std::string_view name) const {
    const auto found = numbers_.find(std::string(name));
    if (found == numbers_.end()) return std::nullopt;
    return found->second;
  }

  friend bool operator==(const SymbolTable& a, const SymbolTable& b) {
    return a.names_ == b.names_;
  }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> numbers_;
};

}  // namespace pushdown
