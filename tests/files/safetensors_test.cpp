#include "pushdown/safetensors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/random.h"

namespace pushdown {
namespace {

using std::literals::operator""s;

void ExpectEqual(const Safetensors& actual, const Safetensors& expected) {
  EXPECT_EQ(actual.metadata, expected.metadata);
  ASSERT_EQ(actual.tensors.size(), expected.tensors.size());
  for (std::size_t n = 0; n < expected.tensors.size(); ++n) {
    const SafetensorsTensor& a = actual.tensors[n];
    const SafetensorsTensor& b = expected.tensors[n];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.shape, b.shape) << b.name;
    EXPECT_EQ(a.type, b.type) << b.name;
    EXPECT_EQ(a.values.size(), b.values.size()) << b.name;
    EXPECT_EQ(a.doubles.size(), b.doubles.size()) << b.name;
    EXPECT_EQ(a.bytes.size(), b.bytes.size()) << b.name;
    EXPECT_EQ(a.data(), b.data()) << b.name;  // as bytes, since one may be NaN
  }
}

TEST(SerializeSafetensors, IsTheFormatByteByByte) {
  const Safetensors file = {.metadata = {{"k", ""}}, .tensors = {{"t", {1, 2}, {1.0F, -2.0F}}}};
  EXPECT_EQ(SerializeSafetensors(file),
            "\x50\0\0\0\0\0\0\0"s
            R"({"__metadata__":{"k":""},"t":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})"s +
                "\0\0\x80\x3f\0\0\0\xc0"s)
      << "the header has 80 bytes, and needs no padding";
}

// Bytes that are no text, in an odd number, so that the floats after them are not aligned.
TEST(SerializeSafetensors, HasTensorsOfBytesToo) {
  const Safetensors file = {
      .metadata = {},
      .tensors = {{"b", {3}, {}, SafetensorsType::kU8, "\0\xff\n"s}, {"f", {1}, {-2.0F}}}};
  const std::string text = SerializeSafetensors(file);
  EXPECT_EQ(text,
            "\x70\0\0\0\0\0\0\0"s
            R"({"b":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
            R"("f":{"dtype":"F32","shape":[1],"data_offsets":[3,7]}}      )"
            "\0\xff\n\0\0\0\xc0"s);
  ExpectEqual(ParseSafetensors(text), file);
  EXPECT_EQ(SafetensorsHeader(file), text.substr(0, text.size() - 7));
}

TEST(SerializeSafetensors, HasTensorsOfDoublesToo) {
  const Safetensors file = {.metadata = {},
                            .tensors = {{"b", {1}, {}, SafetensorsType::kU8, "x"},
                                        {"d", {2}, {}, SafetensorsType::kF64, {}, {1.0, -0.1}}}};
  const std::string text = SerializeSafetensors(file);
  EXPECT_EQ(text,
            "\x70\0\0\0\0\0\0\0"s
            R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
            R"("d":{"dtype":"F64","shape":[2],"data_offsets":[1,17]}}     )"
            "x\0\0\0\0\0\0\xf0\x3f\x9a\x99\x99\x99\x99\x99\xb9\xbf"s);
  ExpectEqual(ParseSafetensors(text), file);
}

TEST(SerializeSafetensors, PadsTheHeaderWithSpaces) {
  for (int length = 1; length <= 8; ++length) {
    const std::string text = SerializeSafetensors(
        {.metadata = {}, .tensors = {{std::string(length, 'n'), {1}, {1.0F}}}});
    EXPECT_EQ(text.size() % 8, 4u);
    EXPECT_EQ(static_cast<std::size_t>(static_cast<unsigned char>(text[0])), text.size() - 8 - 4);
    EXPECT_EQ(ParseSafetensors(text).tensors.at(0).values, std::vector<float>{1.0F});
  }
}

TEST(SerializeSafetensors, OfNothingIsAnEmptyObject) {
  EXPECT_EQ(SerializeSafetensors({}), "\x08\0\0\0\0\0\0\0{}      "s);
}

TEST(Safetensors, SurviveWritingAndReading) {
  using Limits = std::numeric_limits<float>;
  using Doubles = std::numeric_limits<double>;
  ExpectEqual(ParseSafetensors(SerializeSafetensors({})), {});
  const Safetensors file = {
      .metadata = {{"", ""}, {"format", "x"}, {"text", "\"\\/\b\f\n\r\t\x01\u00e9\U0001f600"}},
      .tensors = {{"second", {2}, {Limits::infinity(), -0.0F}},
                  {"empty", {3, 0, 2}, {}},
                  {"a \"name\"\n", {}, {Limits::denorm_min()}},
                  {"", {1, 1, 1}, {Limits::quiet_NaN()}},
                  {"bytes", {2, 3}, {}, SafetensorsType::kU8, "abc\0\x80\xff"s},
                  {"no bytes", {0}, {}, SafetensorsType::kU8, ""},
                  {"doubles",
                   {2, 4},
                   {},
                   SafetensorsType::kF64,
                   {},
                   {-Doubles::infinity(), Doubles::quiet_NaN(),
                    std::bit_cast<double>(std::uint64_t{0xfff0'dead'beef'0001}), -0.0,
                    Doubles::denorm_min(), Doubles::max(), 0.1, Doubles::infinity()}},
                  {"no doubles", {2, 0}, {}, SafetensorsType::kF64},
                  {"one double", {}, {}, SafetensorsType::kF64, {}, {1e-300}},
                  {"nul \0"s, {2, 2}, {Limits::max(), Limits::lowest(), 1.0F / 3, 0.0F}}}};
  ExpectEqual(ParseSafetensors(SerializeSafetensors(file)), file);
}

TEST(Safetensors, OfRandomBitsSurvive) {
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    Safetensors file;
    for (std::uint64_t n = 0; n < random.Below(6); ++n) {
      SafetensorsTensor tensor = {.name = "tensor " + std::to_string(n), .shape = {}, .values = {}};
      std::size_t size = 1;
      for (std::uint64_t d = 0; d < random.Below(4); ++d) {
        tensor.shape.push_back(static_cast<std::int64_t>(1 + random.Below(5)));
        size *= static_cast<std::size_t>(tensor.shape.back());
      }
      if (random.Below(2) == 0) tensor.type = SafetensorsType::kF64;
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t bits = random.Next();
        if (tensor.type == SafetensorsType::kF64) {
          tensor.doubles.push_back(std::bit_cast<double>(bits));
        } else {
          tensor.values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        }
      }
      file.tensors.push_back(tensor);
    }
    ExpectEqual(ParseSafetensors(SerializeSafetensors(file)), file);
  }
}

TEST(Safetensors, AreFoundByName) {
  const Safetensors file = {.metadata = {}, .tensors = {{"a", {1}, {1.0F}}, {"b", {1}, {2.0F}}}};
  ASSERT_NE(file.Find("b"), nullptr);
  EXPECT_EQ(file.Find("b")->values[0], 2.0F);
  EXPECT_EQ(file.Find("c"), nullptr);
  EXPECT_EQ(file.Find(""), nullptr);
}

std::string Refusal(const Safetensors& file) {
  try {
    SerializeSafetensors(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "written";
}

TEST(SerializeSafetensors, RefusesWhatItCouldNotRead) {
  const auto of = [](SafetensorsTensor tensor) {
    return Refusal({.metadata = {}, .tensors = {std::move(tensor)}});
  };
  EXPECT_EQ(
      of({"t", {2, 3}, {1, 2, 3, 4, 5}}),
      "[pushdown::SerializeSafetensors] tensor \"t\": shape [2,3] does not agree with 5 values");
  EXPECT_NE(of({"t", {}, {}}), "written") << "a scalar is one value";
  EXPECT_EQ(
      of({"t", {3}, {}, SafetensorsType::kU8, "four"}),
      "[pushdown::SerializeSafetensors] tensor \"t\": shape [3] does not agree with 4 values");
  EXPECT_NE(of({"t", {1}, {1}, SafetensorsType::kU8, "b"}), "written");
  EXPECT_NE(of({"t", {1}, {1}, SafetensorsType::kF32, "b"}), "written");
  EXPECT_EQ(
      of({"t", {3}, {}, SafetensorsType::kF64, {}, {1, 2}}),
      "[pushdown::SerializeSafetensors] tensor \"t\": shape [3] does not agree with 2 values");
  EXPECT_EQ(
      of({"t", {1}, {1}, SafetensorsType::kF64, {}, {1}}),
      "[pushdown::SerializeSafetensors] tensor \"t\": has values of another type than its own");
  EXPECT_NE(of({"t", {1}, {1}, SafetensorsType::kF32, {}, {1}}), "written");
  EXPECT_NE(of({"t", {1}, {}, SafetensorsType::kF64, "12345678", {1}}), "written");
  EXPECT_NE(of({"t", {1}, {}, SafetensorsType::kF64, "12345678"}), "written");
  EXPECT_NE(of({"t", {1}, {}, SafetensorsType::kU8, "b", {1}}), "written");
  EXPECT_NE(of({"t", {-1, -1}, {1}}), "written");
  EXPECT_NE(of({"t", {std::int64_t{1} << 32, std::int64_t{1} << 32}, {}}), "written") << "2^64 = 0";
  EXPECT_NE(of({"__metadata__", {}, {1}}), "written");
  EXPECT_NE(of({"\xff", {}, {1}}), "written") << "not UTF-8";
  EXPECT_NE(Refusal({.metadata = {{"k", "\xff"}}, .tensors = {}}), "written");
  EXPECT_NE(Refusal({.metadata = {{"\xff", ""}}, .tensors = {}}), "written");
  EXPECT_EQ(Refusal({.metadata = {}, .tensors = {{"t", {}, {1}}, {"t", {}, {1}}}}),
            "[pushdown::SerializeSafetensors] tensor \"t\": given twice");
}

}  // namespace
}  // namespace pushdown
