// TOML files of settings: what they hold, in the order of the file, and what they must not hold.

#include "pushdown/toml.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "pushdown/error.h"

namespace pushdown {
namespace {

using Type = TomlValue::Type;

const std::array<std::string, 2> kTables = {"cells", "overrides"};

std::vector<TomlTable> Read(const std::string& text) { return ReadToml(text, "file", kTables); }

// The value of the only key of a text.
TomlValue ValueOf(const std::string& text) {
  const std::vector<TomlTable> tables = Read("key = " + text);
  EXPECT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables.front().entries.size(), 1u);
  return tables.front().entries.front().value;
}

std::vector<std::string> KeysOf(const TomlTable& table) {
  std::vector<std::string> keys;
  for (const TomlEntry& entry : table.entries) keys.push_back(entry.key);
  return keys;
}

std::string Refusal(const std::string& text, bool with_tables = true) {
  try {
    if (with_tables) {
      Read(text);
    } else {
      ReadToml(text, "file");
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.message();
  }
  return "no Error";
}

TEST(Toml, KeysAreInTheOrderOfTheFile) {
  const std::vector<TomlTable> tables = Read("zebra = 1\nb = 2\n\"quoted key\" = 3\na = 4\n");
  EXPECT_EQ(KeysOf(tables.front()), (std::vector<std::string>{"zebra", "b", "quoted key", "a"}));
}

TEST(Toml, ValuesHaveTheirTypes) {
  const auto expect = [](const std::string& text, Type type, const std::string& value) {
    const TomlValue read = ValueOf(text);
    EXPECT_EQ(read.type, type) << text;
    EXPECT_EQ(read.text, value) << text;
    EXPECT_TRUE(read.elements.empty()) << text;
  };
  expect("\"a\\tb\\u00e9\"", Type::kString, "a\tb\xc3\xa9");
  expect("'a\\tb'", Type::kString, "a\\tb");
  expect("'''\na\nb'''", Type::kString, "a\nb");
  expect("\"17\"", Type::kString, "17");
  expect("17", Type::kNumber, "17");
  expect("-3", Type::kNumber, "-3");
  expect("0x1f", Type::kNumber, "31");
  expect("1_000_000", Type::kNumber, "1000000");
  expect("9223372036854775807", Type::kNumber, "9223372036854775807");
  expect("0.005", Type::kNumber, "0.005");
  expect("1e-3", Type::kNumber, "0.001");
  expect("0.1", Type::kNumber, "0.1");
  expect("true", Type::kBoolean, "true");
  expect("false", Type::kBoolean, "false");
}

TEST(Toml, ArraysHoldValuesOfAnyTypeAndArrays) {
  const TomlValue value = ValueOf("[1, 'a', [true, []],\n 2.5]");
  EXPECT_EQ(value.type, Type::kArray);
  ASSERT_EQ(value.elements.size(), 4u);
  EXPECT_EQ(value.elements[0].text, "1");
  EXPECT_EQ(value.elements[1].type, Type::kString);
  ASSERT_EQ(value.elements[2].type, Type::kArray);
  ASSERT_EQ(value.elements[2].elements.size(), 2u);
  EXPECT_EQ(value.elements[2].elements[0].type, Type::kBoolean);
  EXPECT_EQ(value.elements[2].elements[1].type, Type::kArray);
  EXPECT_EQ(value.elements[3].text, "2.5");
}

TEST(Toml, ValuesAndTablesKnowTheirLines) {
  const std::vector<TomlTable> tables = Read(
      "# A comment.\n"
      "a = 1\n"
      "b = [\n"
      "  'x',\n"
      "\n"
      "  'y' ]\n"
      "c = '''\n"
      "two lines'''\n"
      "d = 2\r\n"
      "[[cells]]\n"
      "e = 3\n");
  ASSERT_EQ(tables.size(), 2u);
  const std::vector<TomlEntry>& entries = tables.front().entries;
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(tables[0].line, 1);
  EXPECT_EQ(entries[0].value.line, 2);
  EXPECT_EQ(entries[1].value.line, 3);
  EXPECT_EQ(entries[1].value.elements[0].line, 4);
  EXPECT_EQ(entries[1].value.elements[1].line, 6);
  EXPECT_EQ(entries[2].value.line, 7);
  EXPECT_EQ(entries[3].value.line, 9);
  EXPECT_EQ(tables[1].line, 10);
  EXPECT_EQ(tables[1].entries[0].value.line, 11);
}

TEST(Toml, TablesOfTheGivenNamesAreReadOneByOne) {
  const std::vector<TomlTable> tables = Read(
      "z = 0\n"
      "[[overrides]]\nb = 1\na = 2\n"
      "  [[cells]] # the first\nc = 3\n"
      "[[cells]]\n"
      "[[overrides]]\ncells = 4\n");
  ASSERT_EQ(tables.size(), 5u);
  EXPECT_EQ(tables[0].name, "");
  EXPECT_EQ(KeysOf(tables[0]), (std::vector<std::string>{"z"}));
  // In the order of the names, those of one name in that of the file.
  EXPECT_EQ(tables[1].name, "cells");
  EXPECT_EQ(KeysOf(tables[1]), (std::vector<std::string>{"c"}));
  EXPECT_EQ(tables[2].name, "cells");
  EXPECT_TRUE(tables[2].entries.empty());
  EXPECT_EQ(tables[3].name, "overrides");
  EXPECT_EQ(KeysOf(tables[3]), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(tables[4].name, "overrides");
  // Only before all tables, the name of a table is not a key.
  EXPECT_EQ(KeysOf(tables[4]), (std::vector<std::string>{"cells"}));
}

TEST(Toml, AnEmptyTextHasATableWithoutEntries) {
  for (const char* text : {"", "\n\n", "# nothing", "\xef\xbb\xbf"}) {
    const std::vector<TomlTable> tables = Read(text);
    ASSERT_EQ(tables.size(), 1u) << text;
    EXPECT_TRUE(tables.front().entries.empty()) << text;
  }
}

TEST(Toml, OtherTablesAreRefused) {
  for (const char* heading :
       {"[cells]", "[[cell]]", "[[cells.a]]", "[[ cells ]]", "[a]", "[[\"cells\"]]", "[", "[["}) {
    EXPECT_EQ(Refusal("\na = 1\n" + std::string(heading) + "\nb = 2\n"),
              "file:3: expected [[cells]] or [[overrides]] as the heading of a table")
        << heading;
  }
  EXPECT_EQ(Refusal("a = 1\n[[cells]]\n", false), "file:2: settings have no tables");
  EXPECT_EQ(Refusal("a = 1\nb = {c = 1}\n"), "file:2: settings have no tables in braces");
  EXPECT_EQ(Refusal("a = 1\nb = [1, {}]\n"), "file:2: settings have no tables in braces");
  EXPECT_EQ(Refusal("a = 1\nb.c = 1\n"),
            "file:2: b: expected a string, a number, a boolean or an array");
}

TEST(Toml, BracketsAndBracesInStringsAndCommentsAreNoTables) {
  const std::vector<TomlTable> tables = Read(
      "a = '''\n"
      "[b]\n"
      "{''' # {\n"
      "# [c]\n"
      "d = [\n"
      "[ 1 ], # ]\n"
      "[ \"]\" ]\n"
      "]\n"
      "e = \"\\\"\\n[\"\n");
  EXPECT_EQ(KeysOf(tables.front()), (std::vector<std::string>{"a", "d", "e"}));
  EXPECT_EQ(tables.front().entries[0].value.text, "[b]\n{");
}

// A table heading such as [.] makes toml++ 3.3 violate one of its assertions.
TEST(Toml, HeadingsWithoutANameAreKeptFromTheLibrary) {
  for (const char* heading : {"[.]", "[[.]]", "[[cells.]]", "[[.cells]]", "[]", "[[]]", "[a.]"}) {
    EXPECT_EQ(Refusal(heading),
              "file:1: expected [[cells]] or [[overrides]] as the heading of a table")
        << heading;
    EXPECT_EQ(Refusal(heading, false), "file:1: settings have no tables") << heading;
  }
  // After the end of what looks like an array, too.
  for (const char* text : {"a = 1 ]\n[.]\n", "a = [1]]\n[.]\n", "[[cells]]]\n[.]\n"}) {
    EXPECT_EQ(Refusal(text).rfind("file:1: ", 0), 0u) << text << Refusal(text);
  }
}

// toml++ 3.3 has undefined behaviour where they stand elsewhere.
TEST(Toml, CharactersBeyondAsciiAreKeptFromTheLibraryOutsideOfStrings) {
  const std::string x = "\xd1\x98";
  for (const std::string& good :
       {"a = \"" + x + "\"", "a = '" + x + "' # " + x, "[[cells]] # " + x + "\na = '''" + x + "'''",
        "\"" + x + "\" = 1", "a = ['" + x + "', # " + x + "\n1]", "a='" + x + "'",
        "a=['" + x + "',['" + x + "',\"" + x + "\"]]"}) {
    EXPECT_EQ(Refusal(good), "no Error") << good;
  }
  for (const std::string& bad :
       {x + " = 1", "a = " + x, "a = [" + x + "]", "[[cells]]" + x, "a = 'b' " + x, "a" + x + "= 1",
        std::string("a = \xff"), std::string("\xa0")}) {
    EXPECT_EQ(Refusal("\n" + bad),
              "file:2: a character that is not ASCII stands outside of quotation marks")
        << bad;
  }
  // In what is no string, since it does not begin a value.
  for (const std::string& bad :
       {"a = 2'" + x + "'", "a = 2='" + x + "'", "a = 2['" + x + "']", "a = [2\"" + x + "\"]",
        "a = 2.'" + x + "'", "a = ''\"" + x + "\"", "[[cells]]'" + x + "'", "a'" + x + "' = 1"}) {
    EXPECT_EQ(Refusal("\n" + bad), "file:2: a quotation mark stands within a name or a value")
        << bad;
  }
  // Also in a string, after a backslash that is not escaped itself, with or without blanks.
  for (const std::string& bad : {"a = \"\\" + x + "\"", "a = \"\"\"\\" + x + "\"\"\"",
                                 "a = \"\"\"\\" + x, "a = \"\\ " + x + "\""}) {
    EXPECT_EQ(Refusal("\n" + bad).rfind("file:2: a character that is not ASCII", 0), 0u) << bad;
  }
  EXPECT_EQ(Refusal("a = \"\"\"b \\\n\t\r\n " + x + "\"\"\"")
                .rfind("file:3: a character that is not ASCII", 0),
            0u);
  EXPECT_EQ(Refusal("a = \"\\\\" + x + "\"\nb = \"\"\"\\\n b" + x + "\"\"\"\nc = '\\" + x + "'"),
            "no Error");
}

// A brace at the beginning of a value of an array, and a date with one digit after it, make toml++
// 3.3 violate its assertions.
TEST(Toml, BracesAndDatesAreKeptFromTheLibrary) {
  for (const char* text : {"\na = [}]", "\na = [1, }", "\n}", "\na = }"}) {
    EXPECT_EQ(Refusal(text), "file:2: settings have no tables in braces") << text;
  }
  for (const char* date : {"2020-01-02 3", "2020-01-02 3 ", "20_20-01-02 3\n", "202x-01-02 3\n",
                           "2020-01-02", "2020-01-02T03:04:05Z", "2020-01-02 03:04:05",
                           "[2020-01-02 3]", "[1,2020-01-02 3,]", "[\t2020-01-02 3\n]"}) {
    for (const char* before : {"\na = ", "\na=", "\na =\t"}) {
      EXPECT_EQ(Refusal(before + std::string(date)),
                "file:2: expected a string, a number, a boolean or an array, found a date")
          << before << date;
    }
  }
  EXPECT_EQ(Refusal("a = [\n2020-01-02 3\n]"),
            "file:2: expected a string, a number, a boolean or an array, found a date");
  for (const char* number :
       {"1e-3", "1E-3", "-1", "-1.5e-10", "[1,-2]", "'2020-01-02'", "1 # -2"}) {
    EXPECT_EQ(Refusal(std::string("a = ") + number), "no Error") << number;
  }
  // A key may begin with a digit.
  EXPECT_EQ(KeysOf(Read("2020-01-02 = 3\n 4-5 = 6\n").front()),
            (std::vector<std::string>{"2020-01-02", "4-5"}));
}

TEST(Toml, NamesOfTablesAreNotKeys) {
  for (const char* value : {"3", "'x'", "[1, 2]", "[[1]]", "[]", "true"}) {
    EXPECT_EQ(Refusal("\ncells = " + std::string(value)), "file:2: expected [[cells]], a table")
        << value;
  }
  EXPECT_EQ(Refusal("\n\noverrides = 3"), "file:3: expected [[overrides]], a table");
  EXPECT_EQ(Refusal("cells.a = 3"), "file:1: expected [[cells]], a table");
  // Where a file has no such tables, they are.
  EXPECT_EQ(KeysOf(ReadToml("cells = 3", "file").front()), (std::vector<std::string>{"cells"}));
}

TEST(Toml, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(Refusal("a = 1\nb = 2020-01-02\n"),
            "file:2: expected a string, a number, a boolean or an array, found a date");
  EXPECT_EQ(Refusal("a = 1\nb = [\n1,\n07:32:00]\n"),
            "file:4: b: expected a string, a number, a boolean or an array");
  for (const char* text : {"a = 1\nb =", "a = 1\na = 2", "\nb", "\nb = 'x", "\nb = [1,", "\nb = 01",
                           "\nb = 9223372036854775808", "\nb = 1 c = 2", "\nb = \"\\q\""}) {
    EXPECT_EQ(Refusal(text).rfind("file:2: ", 0), 0u) << text << ": " << Refusal(text);
  }
}

TEST(Toml, SettingsAreStringsOrNumbers) {
  EXPECT_EQ(SettingText(ValueOf("'x'")), "x");
  EXPECT_EQ(SettingText(ValueOf("2")), "2");
  for (const char* text : {"true", "[1]", "[]"}) {
    const TomlValue value = ValueOf(text);
    try {
      SettingText(value);
      ADD_FAILURE() << "no Error for " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.message(), "expected a string or a number");
    }
  }
}

}  // namespace
}  // namespace pushdown
