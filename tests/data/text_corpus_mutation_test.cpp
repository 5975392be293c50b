#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/text_corpus_check.h"
#include "tests/mutation.h"

namespace pushdown {
namespace {

using testing_mutation::ExpectReadOrRefused;
using testing_mutation::SeedCorpus;

TEST(TextCorpusMutation, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_TEXT_CORPUS_CORPUS);
  ASSERT_GE(corpus.size(), 6u);
  for (const std::string& text : corpus) EXPECT_TRUE(CheckTextCorpus(text)) << text;
}

TEST(TextCorpusMutation, MutationsAreReadOrRefused) {
  using std::literals::operator""sv;
  ExpectReadOrRefused(SeedCorpus(PUSHDOWN_TEXT_CORPUS_CORPUS), "ab<>=\n\n\n \t\r\0\x7f\xff\xef"sv,
                      [](const std::string& text) { return CheckTextCorpus(text); });
}

}  // namespace
}  // namespace pushdown
