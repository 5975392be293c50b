#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/grammar_check.h"
#include "tests/mutation.h"

namespace pushdown {
namespace {

using testing_mutation::Mutated;
using testing_mutation::SeedCorpus;

TEST(GrammarMutationTest, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_GRAMMAR_CORPUS);
  ASSERT_GE(corpus.size(), 5u);
  for (const std::string& text : corpus) EXPECT_TRUE(CheckGrammarFormat(text)) << text;
}

TEST(GrammarMutationTest, MutationsAreReadOrRefused) {
  using std::literals::operator""sv;
  constexpr std::string_view kCharacters = "->|[]\"'#:SAab eps0123456789./\n\\\0\xff\xe2\x86\x92"sv;
  constexpr int kMutations = 10000;
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_GRAMMAR_CORPUS);
  Random random(1);
  int valid = 0;
  for (int n = 0; n < kMutations; ++n) {
    const std::string text = Mutated(corpus, kCharacters, random);
    try {
      valid += CheckGrammarFormat(text) ? 1 : 0;
    } catch (const std::exception& error) {
      FAIL() << error.what() << " for mutation " << n << ":\n" << text;
    }
  }
  // Both outcomes are exercised.
  EXPECT_GT(valid, kMutations / 20);
  EXPECT_LT(valid, kMutations - kMutations / 20);
}

}  // namespace
}  // namespace pushdown
