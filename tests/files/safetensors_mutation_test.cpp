#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/safetensors_check.h"
#include "tests/mutation.h"

namespace pushdown {
namespace {

using testing_mutation::Mutated;
using testing_mutation::SeedCorpus;

TEST(SafetensorsMutation, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_SAFETENSORS_CORPUS);
  ASSERT_GE(corpus.size(), 5u);
  for (const std::string& text : corpus) EXPECT_TRUE(CheckSafetensorsText(text)) << text;
}

TEST(SafetensorsMutation, MutationsAreReadOrRefused) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_SAFETENSORS_CORPUS);
  using std::literals::operator""sv;
  constexpr std::string_view kCharacters = "[]{}\":,-0123456789eF. \n\\\0\xff"sv;
  Random random(1);
  int valid = 0;
  for (int n = 0; n < 40000; ++n) {
    std::string text = Mutated(corpus, kCharacters, random);
    // Most changes move the end of the header, and nothing behind it would be reached.
    if (text.size() >= 8 && n % 2 == 0) {
      const std::size_t end = text.rfind('}');
      const std::uint64_t size = end == std::string::npos || end < 8 ? 0 : end - 7;
      for (std::size_t byte = 0; byte < 8; ++byte) {
        text[byte] = static_cast<char>((size >> (8 * byte)) & 0xff);
      }
    }
    try {
      valid += CheckSafetensorsText(text) ? 1 : 0;
    } catch (const std::exception& error) {
      FAIL() << error.what() << " for mutation " << n << ":\n" << text;
    }
  }
  // Both outcomes are exercised.
  EXPECT_GT(valid, 400);
  EXPECT_LT(valid, 39600);
}

}  // namespace
}  // namespace pushdown
