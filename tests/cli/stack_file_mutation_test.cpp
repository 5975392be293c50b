#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/stack_file_check.h"
#include "tests/mutation.h"

namespace pushdown::cli {
namespace {

using testing_mutation::Mutated;
using testing_mutation::SeedCorpus;

TEST(StackFileMutationTest, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_CORPUS);
  ASSERT_GE(corpus.size(), 5u);
  for (const std::string& text : corpus) {
    EXPECT_TRUE(CheckStackFileText<float>(text)) << text;
    EXPECT_TRUE(CheckStackFileText<double>(text)) << text;
  }
}

TEST(StackFileMutationTest, MutationsAreReadOrRefused) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_CORPUS);
  using std::literals::operator""sv;
  constexpr std::string_view kCharacters = "[]{}\":,-0123456789e. \n\\\0\xff"sv;
  Random random(1);
  int valid = 0;
  for (int n = 0; n < 20000; ++n) {
    const std::string text = Mutated(corpus, kCharacters, random);
    try {
      valid += CheckStackFileText<float>(text) ? 1 : 0;
      valid += CheckStackFileText<double>(text) ? 1 : 0;
    } catch (const std::exception& error) {
      FAIL() << error.what() << " for mutation " << n << ":\n" << text;
    }
  }
  // Both outcomes are exercised.
  EXPECT_GT(valid, 100);
  EXPECT_LT(valid, 39900);
}

}  // namespace
}  // namespace pushdown::cli
