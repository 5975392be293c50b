#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/automaton_check.h"
#include "tests/mutation.h"

namespace pushdown {
namespace {

using testing_mutation::ExpectReadOrRefused;
using testing_mutation::SeedCorpus;

TEST(AutomatonMutationTest, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_AUTOMATON_CORPUS);
  ASSERT_GE(corpus.size(), 5u);
  for (const std::string& text : corpus) EXPECT_TRUE(CheckAutomatonFormat(text)) << text;
}

TEST(AutomatonMutationTest, MutationsAreReadOrRefused) {
  using std::literals::operator""sv;
  constexpr std::string_view kCharacters = "->|[]\"'#:,$qXYab eps01\n\\\0\xff\xe2\x86\x92"sv;
  ExpectReadOrRefused(SeedCorpus(PUSHDOWN_AUTOMATON_CORPUS), kCharacters, CheckAutomatonFormat);
}

}  // namespace
}  // namespace pushdown
