#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/settings_check.h"
#include "tests/mutation.h"

namespace pushdown {
namespace {

using testing_mutation::ExpectReadOrRefused;
using testing_mutation::SeedCorpus;

TEST(SettingsMutation, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_SETTINGS_CORPUS);
  ASSERT_GE(corpus.size(), 5u);
  for (const std::string& text : corpus) EXPECT_TRUE(CheckSettings(text)) << text;
}

TEST(SettingsMutation, MutationsAreReadOrRefused) {
  using std::literals::operator""sv;
  ExpectReadOrRefused(SeedCorpus(PUSHDOWN_SETTINGS_CORPUS), "\"'={}[]:,.-0123456789e\n \0\xff"sv,
                      [](const std::string& text) { return CheckSettings(text); });
}

}  // namespace
}  // namespace pushdown
