#include "pushdown/escaped_text.h"

#include <fmt/format.h>

namespace pushdown {

std::string CsvField(std::string_view text) {
  if (text.find_first_of("\",\n\r") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string LatexText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) escaped += '\\';
    if (c == '\\') {
      escaped += "\\textbackslash{}";
    } else if (c == '<' || c == '>' || c == '|') {
      escaped += c == '<' ? "\\textless{}" : c == '>' ? "\\textgreater{}" : "\\textbar{}";
    } else if (c == '^' || c == '~') {
      escaped += fmt::format("\\{}{{}}", c);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace pushdown
