#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/token_text_check.h"
#include "tests/mutation.h"

namespace pushdown {
namespace {

using testing_mutation::ExpectReadOrRefused;
using testing_mutation::SeedCorpus;

TEST(TokenTextMutation, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_TOKEN_TEXT_CORPUS);
  ASSERT_GE(corpus.size(), 5u);
  for (const std::string& text : corpus) EXPECT_TRUE(CheckTokenText(text)) << text;
}

TEST(TokenTextMutation, MutationsAreReadOrRefused) {
  using std::literals::operator""sv;
  ExpectReadOrRefused(SeedCorpus(PUSHDOWN_TOKEN_TEXT_CORPUS), "ab()\n\n\n \t\r\0\xff\xef"sv,
                      [](const std::string& text) { return CheckTokenText(text); });
}

}  // namespace
}  // namespace pushdown
