#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/experiment_check.h"
#include "tests/mutation.h"

namespace pushdown {
namespace {

using testing_mutation::ExpectReadOrRefused;
using testing_mutation::SeedCorpus;

TEST(ExperimentFileMutation, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_EXPERIMENT_CORPUS);
  ASSERT_GE(corpus.size(), 5u);
  for (const std::string& text : corpus) EXPECT_TRUE(CheckExperiment(text)) << text;
}

TEST(ExperimentFileMutation, MutationsAreReadOrRefused) {
  using std::literals::operator""sv;
  ExpectReadOrRefused(SeedCorpus(PUSHDOWN_EXPERIMENT_CORPUS), "\"'=[]|,.-+/_0123456789e\n \0\xff"sv,
                      [](const std::string& text) { return CheckExperiment(text); });
}

}  // namespace
}  // namespace pushdown
