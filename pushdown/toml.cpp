#include "pushdown/toml.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "pushdown/error.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

// The end of the string that begins at `begin`, with a quotation mark. `foreign` becomes the place
// of a character beyond ASCII after a backslash, or after a backslash and blanks, if that comes
// earlier.
std::size_t EndOfString(std::string_view text, std::size_t begin, std::size_t& foreign) {
  const char quote = text[begin];
  const std::string three(3, quote);
  const bool several_lines = text.substr(begin).starts_with(three);
  for (std::size_t n = begin + (several_lines ? 3 : 1); n < text.size(); ++n) {
    if (text[n] == '\\' && quote == '"') {
      ++n;
      const std::size_t next = text.find_first_not_of(" \t\r\n", n);
      if (next != text.npos && (text[next] & 0x80) != 0) foreign = std::min(foreign, next);
    } else if (several_lines && text.substr(n).starts_with(three)) {
      // The string itself may end with one or two quotation marks.
      return std::min({text.find_first_not_of(quote, n), n + 5, text.size()});
    } else if (!several_lines && (text[n] == quote || text[n] == '\n')) {
      return n + 1;
    }
  }
  return text.size();
}

// What is wrong with the text at a place.
struct Fault {
  std::size_t place;
  std::string what;
};

// Tables that the text must not have.
Fault TableFault(std::size_t place, std::span<const std::string> tables) {
  if (tables.empty()) return {place, "settings have no tables"};
  std::string allowed;
  for (const std::string& name : tables) {
    allowed += fmt::format("{}[[{}]]", allowed.empty() ? "" : " or ", name);
  }
  return {place, fmt::format("expected {} as the heading of a table", allowed)};
}

// The end of the heading [[NAME]] that begins at a place, if it is one of those that are allowed.
std::optional<std::size_t> EndOfHeading(std::string_view text, std::size_t begin,
                                        std::span<const std::string> tables) {
  for (const std::string& name : tables) {
    const std::string heading = "[[" + name + "]]";
    if (text.substr(begin).starts_with(heading)) return begin + heading.size();
  }
  return std::nullopt;
}

// Whether the value that begins at a place is a date or looks like one. The minus of a number is
// its first character or that of its exponent.
bool IsDate(std::string_view text, std::size_t begin) {
  constexpr std::size_t kLongest = 128;  // toml++ looks no further
  if (text[begin] < '0' || text[begin] > '9') return false;
  std::string_view value = text.substr(begin, kLongest);
  value = value.substr(0, value.find_first_of(" \t\r\n\v\f,]#"));
  for (std::size_t n = 1; n < value.size(); ++n) {
    if (value[n] == '-' && value[n - 1] != 'e' && value[n - 1] != 'E') return true;
  }
  return false;
}

// What is in a TOML text outside of strings and comments that no file of settings has: characters
// beyond ASCII, braces, dates, strings that begin within a name or a number, and tables other than
// those that are allowed. toml++ 3.3 is not safe from all of these: some of them violate its
// assertions.
std::optional<Fault> FindFault(std::string_view text, std::span<const std::string> tables) {
  std::size_t foreign = text.size();
  bool line_begins = true;
  bool in_key = true;        // before the equals sign of a line
  bool token_begins = true;  // whether a key or a value may begin
  int depth = 0;             // of arrays
  for (std::size_t n = text.starts_with("\xef\xbb\xbf") ? 3 : 0; n < text.size();) {
    const char c = text[n];
    if ((c & 0x80) != 0) foreign = std::min(foreign, n);
    if (foreign <= n) {
      return Fault{foreign, "a character that is not ASCII stands outside of quotation marks"};
    }
    if (c == '{' || c == '}') return Fault{n, "settings have no tables in braces"};
    if (token_begins && !in_key && IsDate(text, n)) {
      return Fault{n, "expected a string, a number, a boolean or an array, found a date"};
    }
    if (c == '[' && line_begins && depth == 0) {
      const std::optional<std::size_t> end = EndOfHeading(text, n, tables);
      if (!end) return TableFault(n, tables);
      n = *end;
      line_begins = token_begins = false;
    } else if (c == '#') {
      n = std::min(text.find('\n', n), text.size());
    } else if (c == '"' || c == '\'') {
      if (!token_begins) return Fault{n, "a quotation mark stands within a name or a value"};
      n = EndOfString(text, n, foreign);
      line_begins = token_begins = false;
    } else {
      if (c == '[') ++depth;
      if (c == ']') --depth;
      const bool blank = c == ' ' || c == '\t' || c == '\r';
      line_begins = c == '\n' || (line_begins && blank);
      token_begins =
          c == '\n' || c == ',' || blank || (c == '=' && in_key) || (c == '[' && token_begins);
      in_key = (in_key && c != '=') || (c == '\n' && depth <= 0);
      ++n;
    }
  }
  if (foreign == text.size()) return std::nullopt;
  return Fault{foreign, "a character that is not ASCII follows a backslash"};
}

int LineOf(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

// `key` is the key of the value; `name` stands for the file.
TomlValue ReadValue(const toml::node& node, std::string_view key, const std::string& name) {
  using Type = TomlValue::Type;
  TomlValue value;
  value.line = LineOf(node);
  if (const auto* text = node.as_string()) {
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.type = Type::kNumber;
    value.text = fmt::format("{}", integer->get());
  } else if (const auto* real = node.as_floating_point()) {
    value.type = Type::kNumber;
    value.text = fmt::format("{}", real->get());
  } else if (const auto* boolean = node.as_boolean()) {
    value.type = Type::kBoolean;
    value.text = boolean->get() ? "true" : "false";
  } else if (const toml::array* array = node.as_array()) {
    value.type = Type::kArray;
    for (const toml::node& element : *array)
      value.elements.push_back(ReadValue(element, key, name));
  } else {
    RefuseToml(name, value.line,
               Printable(key) + ": expected a string, a number, a boolean or an array");
  }
  return value;
}

// In the order of the file: toml++ sorts keys by their names.
TomlTable ReadTable(const toml::table& table, const std::string& name,
                    std::span<const std::string> tables) {
  struct Placed {
    toml::source_position place;
    TomlEntry entry;
  };
  std::vector<Placed> placed;
  for (const auto& [key, node] : table) {
    const std::string text(key.str());
    if (std::find(tables.begin(), tables.end(), text) != tables.end()) continue;
    placed.push_back({key.source().begin, {text, ReadValue(node, text, name)}});
  }
  std::sort(placed.begin(), placed.end(),
            [](const Placed& a, const Placed& b) { return a.place < b.place; });
  TomlTable result;
  for (Placed& each : placed) result.entries.push_back(std::move(each.entry));
  return result;
}

}  // namespace

void RefuseToml(const std::string& name, int line, const std::string& message) {
  throw Error("pushdown::ReadToml", fmt::format("{}:{}: {}", name, line, message));
}

const std::string& SettingText(const TomlValue& value) {
  if (value.type == TomlValue::Type::kString || value.type == TomlValue::Type::kNumber) {
    return value.text;
  }
  throw Error("pushdown::SettingText", "expected a string or a number");
}

std::vector<TomlTable> ReadToml(const std::string& text, const std::string& name,
                                std::span<const std::string> tables) {
  if (const std::optional<Fault> fault = FindFault(text, tables)) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(fault->place);
    RefuseToml(name, static_cast<int>(std::count(text.begin(), end, '\n')) + 1, fault->what);
  }
  toml::table root;
  try {
    root = toml::parse(text);
  } catch (const toml::parse_error& error) {
    RefuseToml(name, static_cast<int>(error.source().begin.line),
               Printable(error.description(), 200));
  }
  std::vector<TomlTable> result = {ReadTable(root, name, tables)};
  for (const std::string& table_name : tables) {
    const toml::node* node = root.get(table_name);
    if (node == nullptr) continue;
    const toml::array* array = node->as_array();
    if (array == nullptr || !array->is_array_of_tables()) {
      RefuseToml(name, LineOf(*node), fmt::format("expected [[{}]], a table", table_name));
    }
    for (const toml::node& each : *array) {
      const toml::table& table = *each.as_table();
      TomlTable& read = result.emplace_back(ReadTable(table, name, {}));
      read.name = table_name;
      read.line = LineOf(table);
    }
  }
  return result;
}

}  // namespace pushdown
