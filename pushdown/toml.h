#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pushdown {

// TOML files of settings: keys with values, in the order of the file. Not installed.

// A string, a number or a boolean as text, or an array of values.
struct TomlValue {
  enum class Type { kString, kNumber, kBoolean, kArray };

  Type type = Type::kString;
  std::string text = {};                 // of a value that is not an array
  std::vector<TomlValue> elements = {};  // of an array
  int line = 0;
};

struct TomlEntry {
  std::string key;
  TomlValue value;
};

// The entries of a file before its first table, or of one of its tables.
struct TomlTable {
  std::string name = {};  // empty before the first table
  int line = 1;
  std::vector<TomlEntry> entries = {};
};

// Reads a TOML text, which is untrusted. The first table of the result has the entries that stand
// before all tables. The text may have tables [[NAME]] of the given names, each of them any number
// of times, and no others. Throws Error; its message begins with `name`, which stands for the file,
// and the number of the line.
std::vector<TomlTable> ReadToml(const std::string& text, const std::string& name,
                                std::span<const std::string> tables = {});

// Throws the error of one place in a file.
[[noreturn]] void RefuseToml(const std::string& name, int line, const std::string& message);

// The value of a setting as text. Throws Error, without a place, if it is neither a string nor a
// number.
const std::string& SettingText(const TomlValue& value);

}  // namespace pushdown
