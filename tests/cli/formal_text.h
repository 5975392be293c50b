#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace pushdown::testing_cli {

inline std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

inline std::vector<std::string> Lines(const std::string& text) { return Split(text, '\n'); }
inline std::vector<std::string> Tokens(const std::string& line) { return Split(line, ' '); }

}  // namespace pushdown::testing_cli
