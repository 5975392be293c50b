#include "pushdown/fingerprint.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

namespace pushdown {
namespace {

std::uint64_t Of(std::string_view bytes) {
  Fingerprint fingerprint;
  fingerprint.Add(bytes);
  return fingerprint.value();
}

// From the authors' list of test vectors, http://www.isthe.com/chongo/src/fnv/test_fnv.c.
TEST(Fingerprint, IsFnv1a) {
  EXPECT_EQ(Of(""), 0xcbf29ce484222325u);
  EXPECT_EQ(Of("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(Of("foobar"), 0x85944171f73967e8u);
}

TEST(Fingerprint, BytesBeyondAsciiAreNotSigned) {
  // By hand: (offset xor 0xff) * prime, modulo 2^64.
  EXPECT_EQ(Of("\xff"), (0xcbf29ce484222325u ^ 0xffu) * 0x100000001b3u);
}

TEST(Fingerprint, IntegersAreEightBytesTheLowestFirst) {
  using std::literals::operator""sv;
  Fingerprint fingerprint;
  fingerprint.Add(0x0102);
  EXPECT_EQ(fingerprint.value(), Of("\x02\x01\0\0\0\0\0\0"sv));
  Fingerprint negative;
  negative.Add(-1);
  EXPECT_EQ(negative.value(), Of("\xff\xff\xff\xff\xff\xff\xff\xff"sv));
}

TEST(Fingerprint, TextIsSixteenDigits) {
  Fingerprint fingerprint;
  fingerprint.Add("a");
  EXPECT_EQ(fingerprint.Text(), "af63dc4c8601ec8c");
  Fingerprint empty;
  EXPECT_EQ(empty.Text(), "cbf29ce484222325");
}

}  // namespace
}  // namespace pushdown
