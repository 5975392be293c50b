#include "pushdown/json.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "pushdown/error.h"

namespace pushdown {
namespace {

using nlohmann::json;

std::string Refusal(std::string_view text, std::string_view hint = {}) {
  try {
    ReadJson(text, hint);
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

TEST(ReadJson, ReadsValuesOfAllKinds) {
  const json value = ReadJson(R"( {"a": [1, -2, 2.5, "x\n"], "b": {"c": null, "d": true}} )");
  EXPECT_EQ(value["a"][0], 1);
  EXPECT_EQ(value["a"][1], -2);
  EXPECT_EQ(value["a"][2], 2.5);
  EXPECT_EQ(value["a"][3], "x\n");
  EXPECT_TRUE(value["b"]["c"].is_null());
  EXPECT_EQ(value["b"]["d"], true);
  EXPECT_EQ(value.size(), 2u);
}

TEST(ReadJson, NamesTheFieldThatIsGivenTwice) {
  EXPECT_EQ(Refusal(R"({"a": [{"b": 1}, {"b": 1, "b": 2}]})"),
            "[pushdown::ReadJson] a[1].b: given twice");
}

TEST(ReadJson, NamesThePlaceWhereTheTextBreaksOff) {
  const std::string refusal = Refusal(R"({"a": [1, )");
  EXPECT_TRUE(refusal.starts_with("[pushdown::ReadJson] a[1]: line 1, column ")) << refusal;
}

TEST(ReadJson, RefusesWhatIsNotJson) {
  using std::literals::operator""sv;
  for (const std::string_view text :
       {""sv, "{"sv, "{} {}"sv, "{},"sv, "[1,]"sv, "01"sv, "'a'"sv, "\"\xff\""sv, "\"\\ud800\""sv,
        "{\"a\" 1}"sv, "1e999"sv, "\0{}"sv, "{}\0"sv, "// comment\n1"sv}) {
    EXPECT_NE(Refusal(text), "read") << text;
  }
}

TEST(ReadJson, RefusesDeepNesting) {
  EXPECT_EQ(Refusal(std::string(16, '[') + std::string(16, ']')), "read");
  const std::string refusal = Refusal(std::string(100000, '['));
  EXPECT_TRUE(refusal.ends_with("nested more than 16 levels deep")) << refusal;
}

TEST(ReadJson, HintsWhereANumberIsInfinite) {
  EXPECT_TRUE(Refusal("[-Infinity]", "; write 0").ends_with("; write 0"));
  EXPECT_TRUE(Refusal("[NaN]", "; write 0").ends_with("; write 0"));
  EXPECT_FALSE(Refusal("[+]", "; write 0").ends_with("; write 0"));
}

}  // namespace
}  // namespace pushdown
