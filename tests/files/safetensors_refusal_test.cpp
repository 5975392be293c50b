#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/safetensors.h"

namespace pushdown {
namespace {

using std::literals::operator""s;

std::string SizeBytes(std::uint64_t size) {
  std::string bytes;
  for (int n = 0; n < 8; ++n) bytes += static_cast<char>((size >> (8 * n)) & 0xff);
  return bytes;
}

std::string File(const std::string& header, std::size_t data_bytes = 0) {
  return SizeBytes(header.size()) + header + std::string(data_bytes, '\0');
}

// A tensor of the header.
std::string Tensor(const std::string& name, const std::string& shape, const std::string& offsets,
                   const std::string& dtype = "\"F32\"") {
  return '"' + name + R"(":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" +
         offsets + '}';
}

TEST(ParseSafetensors, ReadsFilesOfOtherWriters) {
  // Not in the order of the names, with spaces, and with nothing but what must be there.
  const std::string header = "{ " + Tensor("b", "[1]", "[0, 4]") + ",\n" +
                             Tensor("a", "[2, 1]", "[4,12]") + ", " + Tensor("e", "[0]", "[4,4]") +
                             "}  \n";
  const Safetensors file = ParseSafetensors(File(header, 12));
  ASSERT_EQ(file.tensors.size(), 3u);
  EXPECT_EQ(file.tensors[0].name, "b");
  EXPECT_EQ(file.tensors[1].name, "e");
  EXPECT_EQ(file.tensors[2].name, "a");
  EXPECT_EQ(file.tensors[2].shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_TRUE(file.metadata.empty());
  EXPECT_TRUE(ParseSafetensors(File("{}")).tensors.empty());
  EXPECT_TRUE(ParseSafetensors(File(R"({"__metadata__":{}})")).tensors.empty());
}

struct BadFile {
  const char* name;
  std::string text;
  std::string message;  // a part of it
};

void PrintTo(const BadFile& file, std::ostream* out) { *out << file.name; }

std::string NameOf(const ::testing::TestParamInfo<BadFile>& file) { return file.param.name; }

class BadSafetensors : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadSafetensors, AreRefusedWithAReason) {
  try {
    ParseSafetensors(GetParam().text);
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    const std::string_view message = error.what();
    EXPECT_TRUE(message.starts_with("[pushdown::ParseSafetensors] ")) << message;
    EXPECT_NE(message.find(GetParam().message), message.npos) << message;
  }
}

const std::string kGood = Tensor("t", "[1]", "[0,4]");

INSTANTIATE_TEST_SUITE_P(
    Sizes, BadSafetensors,
    ::testing::Values(
        BadFile{"Empty", "", "has 0 bytes"},
        BadFile{"SevenBytes", "\x02\0\0\0\0\0\0"s, "has 7 bytes"},
        BadFile{"EmptyHeader", SizeBytes(0), "does not begin with '{'"},
        BadFile{"HeaderBeyondTheFile", SizeBytes(3) + "{}", "but the file has only 2 more"},
        BadFile{"HeaderOverTheLimit", SizeBytes(100'000'001) + "{}", "at most 100000000"},
        BadFile{"LargestHeader", SizeBytes(~std::uint64_t{0}) + "{}", "18446744073709551615"},
        BadFile{"AlmostAllBits", SizeBytes(~std::uint64_t{7}) + "{}", "at most 100000000"},
        BadFile{"AnotherFormat", "PK\x03\x04 a zip file that is long enough", "safetensors file?"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Headers, BadSafetensors,
    ::testing::Values(
        BadFile{"Array", File("[]"), "does not begin with '{'"},
        BadFile{"SpaceInFront", File(" {}"), "does not begin with '{'"},
        BadFile{"ByteOrderMark", File("\ufeff{}"), "does not begin with '{'"},
        BadFile{"NotClosed", File("{"), "the header is not valid: "},
        BadFile{"NotJson", File("{'a'}"), "the header is not valid: "},
        BadFile{"SomethingAfter", File("{}}"), "the header is not valid: "},
        BadFile{"NulAfter", File("{}\0"s), "is NUL"},
        BadFile{"NotUtf8", File("{\"\xff\":1}"), "the header is not valid: "},
        BadFile{"Overlong", File("{\"\xc0\x80\":1}"), "the header is not valid: "},
        BadFile{"LoneSurrogate", File("{\"\\ud800\":1}"), "the header is not valid: "},
        BadFile{"TensorTwice", File("{" + kGood + "," + kGood + "}", 4), "t: given twice"},
        BadFile{"TensorTwiceByEscape",
                File("{" + kGood + "," + Tensor("\\u0074", "[1]", "[0,4]") + "}", 4),
                "t: given twice"},
        BadFile{"FieldTwice", File(R"({"t":{"dtype":"F32","dtype":"F32"}})"),
                "t.dtype: given twice"},
        BadFile{"Nan", File(R"({"t":NaN})"), "the header is not valid: "}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Metadata, BadSafetensors,
    ::testing::Values(
        BadFile{"Array", File(R"({"__metadata__":[]})"), "__metadata__: expected an object"},
        BadFile{"Null", File(R"({"__metadata__":null})"), "__metadata__: expected an object"},
        BadFile{"Number", File(R"({"__metadata__":{"k":1}})"),
                "__metadata__.k: expected a string, found 1"},
        BadFile{"Object", File(R"({"__metadata__":{"k":{}}})"), "found an object"},
        BadFile{"KeyTwice", File(R"({"__metadata__":{"k":"","k":""}})"), "k: given twice"},
        BadFile{"Twice", File(R"({"__metadata__":{},"__metadata__":{}})"), "given twice"}),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Entries, BadSafetensors,
    ::testing::Values(
        BadFile{"NotAnObject", File(R"({"t":[]})"), "tensor \"t\": expected an object, found an"},
        BadFile{"NoDtype", File(R"({"t":{"shape":[],"data_offsets":[0,4]}})", 4),
                "tensor \"t\": dtype: missing"},
        BadFile{"NoShape", File(R"({"t":{"dtype":"F32","data_offsets":[0,4]}})", 4),
                "tensor \"t\": shape: missing"},
        BadFile{"NoOffsets", File(R"({"t":{"dtype":"F32","shape":[]}})", 4),
                "tensor \"t\": data_offsets: missing"},
        BadFile{"AnotherField",
                File(R"({"t":{"dtype":"F32","shape":[],"data_offsets":[0,4],"x":1}})", 4),
                "tensor \"t\": unknown field \"x\""},
        BadFile{"Half", File("{" + Tensor("t", "[2]", "[0,4]", "\"F16\"") + "}", 4),
                "dtype is \"F16\", and only \"F32\", \"F64\" and \"U8\" are read"},
        BadFile{"SignedBytes", File("{" + Tensor("t", "[4]", "[0,4]", "\"I8\"") + "}", 4),
                "dtype is \"I8\""},
        BadFile{"FloatsAsBytes", File("{" + Tensor("t", "[1]", "[0,4]", "\"U8\"") + "}", 4),
                "shape [1] takes 1 bytes, but data_offsets have 4"},
        BadFile{"FloatsAsDoubles", File("{" + Tensor("t", "[2]", "[0,8]", "\"F64\"") + "}", 8),
                "shape [2] takes 16 bytes, but data_offsets have 8"},
        BadFile{"TruncatedDoubles", File("{" + Tensor("t", "[2]", "[0,16]", "\"F64\"") + "}", 15),
                "the file is not complete"},
        BadFile{"TooManyDoubles",
                File("{" + Tensor("t", "[2305843009213693952]", "[0,8]", "\"F64\"") + "}", 8),
                "is too large"},
        BadFile{"LowerCase", File("{" + Tensor("t", "[1]", "[0,4]", "\"f32\"") + "}", 4),
                "dtype is \"f32\""},
        BadFile{"DtypeNumber", File("{" + Tensor("t", "[1]", "[0,4]", "32") + "}", 4),
                "dtype is 32"},
        BadFile{"DtypeNull", File("{" + Tensor("t", "[1]", "[0,4]", "null") + "}", 4),
                "dtype is null"}),
    NameOf);

BadFile Shape(const char* name, const std::string& shape, const std::string& message) {
  return {name, File("{" + Tensor("t", shape, "[0,4]") + "}", 4), message};
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, BadSafetensors,
    ::testing::Values(Shape("NotAnArray", "1", "shape: expected an array of integers, found 1"),
                      Shape("Null", "null", "shape: expected an array"),
                      Shape("String", "[\"1\"]", "shape: expected an integer"),
                      Shape("Negative", "[-1]", "shape: expected an integer"),
                      Shape("MinusZero", "[-0]", "shape: expected an integer"),
                      Shape("TwoNegatives", "[-1,-1]", "found -1"),
                      Shape("NotAnInteger", "[1.5]", "found 1.5"),
                      Shape("Float", "[1.0]", "found 1.0"), Shape("Exponent", "[1e0]", "found 1.0"),
                      Shape("Nested", "[[1]]", "found an array of 1"),
                      Shape("OverInt64", "[9223372036854775808]", "from 0 to 9223372036854775807"),
                      Shape("OverUint64", "[18446744073709551617]", "shape: expected an integer"),
                      Shape("ProductOverflows", "[4294967296,4294967296]", "is too large"),
                      Shape("ProductWrapsToOne",  // 3 * 2^64 + 1
                            "[7,7905747460161236407]", "is too large"),
                      Shape("BytesOverflow", "[4611686018427387904]", "is too large"),
                      Shape("TooManyValues", "[2]", "takes 8 bytes, but data_offsets have 4"),
                      Shape("TooFewValues", "[0]", "takes 0 bytes, but data_offsets have 4")),
    NameOf);

BadFile Offsets(const char* name, const std::string& offsets, const std::string& message) {
  return {name, File("{" + Tensor("t", "[1]", offsets) + "}", 4), message};
}

INSTANTIATE_TEST_SUITE_P(
    Offsets, BadSafetensors,
    ::testing::Values(Offsets("NotAnArray", "0", "data_offsets: expected an array"),
                      Offsets("One", "[0]", "expected two integers, found an array of 1"),
                      Offsets("Three", "[0,4,4]", "expected two integers, found an array of 3"),
                      Offsets("Negative", "[-4,0]", "data_offsets: expected an integer"),
                      Offsets("NotAnInteger", "[0,4.0]", "found 4.0"),
                      Offsets("String", "[\"0\",4]", "found \"0\""),
                      Offsets("Backwards", "[4,0]", "the end is before the beginning"),
                      Offsets("OverInt64", "[9223372036854775808,9223372036854775812]",
                              "data_offsets: expected an integer"),
                      Offsets("NearTheLargest", "[9223372036854775800,9223372036854775804]",
                              "but there are only 4 after the header"),
                      Offsets("NotEnough", "[0,3]", "takes 4 bytes, but data_offsets have 3"),
                      Offsets("Late", "[1,5]", "but there are only 4 after the header")),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Places, BadSafetensors,
    ::testing::Values(
        BadFile{"Truncated", File("{" + kGood + "}", 3), "the file is not complete"},
        BadFile{"NoData", File("{" + kGood + "}"), "the file is not complete"},
        BadFile{"HugeWithoutData",
                File("{" + Tensor("t", "[1000000000000]", "[0,4000000000000]") + "}"),
                "the file is not complete"},
        BadFile{"BytesAfter", File("{" + kGood + "}", 5), "1 bytes after the last tensor"},
        BadFile{"BytesOfNothing", File("{}", 1), "1 bytes after the last tensor"},
        BadFile{"GapInFront", File("{" + Tensor("t", "[1]", "[4,8]") + "}", 8),
                "begins at byte 4, but the one before ends at 0"},
        BadFile{"Gap", File("{" + kGood + "," + Tensor("u", "[1]", "[8,12]") + "}", 12),
                "tensor \"u\": begins at byte 8, but the one before ends at 4"},
        BadFile{
            "Overlap",
            File("{" + Tensor("t", "[2]", "[0,8]") + "," + Tensor("u", "[2]", "[4,12]") + "}", 12),
            "tensor \"u\": begins at byte 4, but the one before goes on to 8"},
        BadFile{"Shared", File("{" + kGood + "," + Tensor("u", "[1]", "[0,4]") + "}", 4),
                "tensor \"u\": begins at byte 0, but the one before goes on to 4"},
        BadFile{"EmptyInsideAnother",
                File("{" + kGood + "," + Tensor("u", "[0]", "[2,2]") + "}", 4),
                "tensor \"u\": begins at byte 2, but the one before goes on to 4"},
        BadFile{"EmptyBeyondTheEnd", File("{" + kGood + "," + Tensor("u", "[0]", "[8,8]") + "}", 4),
                "tensor \"u\": ends at byte 8"}),
    NameOf);

TEST(ParseSafetensors, MessagesAreShortWhateverIsInTheFile) {
  const std::string name(10000, 'x');
  const std::string shape = "[" + std::string(19998, '1') + "]";
  std::string sizes = "[1";
  for (int n = 0; n < 5000; ++n) sizes += ",1";
  for (const std::string& header :
       {"{" + Tensor(name, "[1]", "[0,4]") + "}", "{" + Tensor("t", shape, "[0,4]") + "}",
        "{" + Tensor("t", sizes + ",2]", "[0,4]") + "}", "{\"" + name + "\":\"" + name + "\"}",
        "{\"__metadata__\":{\"" + name + "\":0}}", "{\"t\":{\"" + name + "\":0}}"}) {
    try {
      ParseSafetensors(File(header));
      ADD_FAILURE() << "was read";
    } catch (const Error& error) {
      EXPECT_LT(std::string_view(error.what()).size(), 400u) << error.what();
    }
  }
}

}  // namespace
}  // namespace pushdown
