#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pushdown {

// Makes names that differ from each other, and are not too long to be read.
class UniqueNames {
 public:
  explicit UniqueNames(std::span<const std::string> taken = {}) {
    for (const std::string& name : taken) ++used_[name];
  }

  // The name itself, its beginning if it is long, and a number after it if that is taken.
  std::string Make(std::string name) {
    constexpr std::size_t kLongest = 100;
    if (name.size() > kLongest) {
      std::size_t end = kLongest;
      while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // UTF-8
      name.resize(end);
    }
    std::string unique = name;
    for (int n = used_[name]++; n > 0; n = used_[unique]++) {
      unique = name + "_" + std::to_string(n + 1);
    }
    return unique;
  }

 private:
  std::map<std::string, int> used_;  // how often a name has been asked for
};

// Makes all of these names differ from each other.
inline void MakeUnique(std::vector<std::string>& names) {
  UniqueNames unique;
  for (std::string& name : names) name = unique.Make(std::move(name));
}

}  // namespace pushdown
