#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/text_corpus_check.h"
#include "tests/mutation.h"

namespace pushdown {
namespace {

using testing_mutation::Mutated;
using testing_mutation::SeedCorpus;

TEST(TextCorpusMutation, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_TEXT_CORPUS_CORPUS);
  ASSERT_GE(corpus.size(), 6u);
  for (const std::string& text : corpus) EXPECT_TRUE(CheckTextCorpus(text)) << text;
}

TEST(TextCorpusMutation, MutationsAreReadOrRefused) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_TEXT_CORPUS_CORPUS);
  using std::literals::operator""sv;
  constexpr std::string_view kCharacters = "ab<>=\n\n\n \t\r\0\x7f\xff\xef"sv;
  Random random(1);
  int valid = 0;
  for (int n = 0; n < 20000; ++n) {
    const std::string text = Mutated(corpus, kCharacters, random);
    try {
      valid += CheckTextCorpus(text) ? 1 : 0;
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
