#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/token_text_check.h"
#include "tests/mutation.h"

namespace pushdown {
namespace {

using testing_mutation::Mutated;
using testing_mutation::SeedCorpus;

TEST(TokenTextMutation, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_TOKEN_TEXT_CORPUS);
  ASSERT_GE(corpus.size(), 5u);
  for (const std::string& text : corpus) EXPECT_TRUE(CheckTokenText(text)) << text;
}

TEST(TokenTextMutation, MutationsAreReadOrRefused) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_TOKEN_TEXT_CORPUS);
  using std::literals::operator""sv;
  constexpr std::string_view kCharacters = "ab()\n\n\n \t\r\0\xff\xef"sv;
  Random random(1);
  int valid = 0;
  for (int n = 0; n < 20000; ++n) {
    const std::string text = Mutated(corpus, kCharacters, random);
    try {
      valid += CheckTokenText(text) ? 1 : 0;
    } catch (const std::exception& error) {
      FAIL() << error.what() << " for mutation " << n << ":\n" << text;
    }
  }
  // Both outcomes are exercised.
  EXPECT_GT(valid, 200);
  EXPECT_LT(valid, 19800);
}

}  // namespace
}  // namespace pushdown
