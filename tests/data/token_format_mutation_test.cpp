#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/token_format_check.h"
#include "tests/mutation.h"

namespace pushdown {
namespace {

using testing_mutation::ExpectReadOrRefused;
using testing_mutation::SeedCorpus;

TEST(TokenFormatMutation, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_TOKEN_FORMAT_CORPUS);
  ASSERT_GE(corpus.size(), 5u);
  for (const std::string& text : corpus) EXPECT_TRUE(CheckTokenFormat(text)) << text;
}

TEST(TokenFormatMutation, MutationsAreReadOrRefused) {
  using std::literals::operator""sv;
  ExpectReadOrRefused(SeedCorpus(PUSHDOWN_TOKEN_FORMAT_CORPUS), "ab()\n\n\n \t\r\0\xff\xef"sv,
                      [](const std::string& text) { return CheckTokenFormat(text); });
}

}  // namespace
}  // namespace pushdown
