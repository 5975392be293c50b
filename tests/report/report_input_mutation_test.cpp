#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/report_input_check.h"
#include "tests/mutation.h"

namespace pushdown {
namespace {

using testing_mutation::ExpectReadOrRefused;
using testing_mutation::SeedCorpus;

TEST(ReportInputMutation, SeedsAreValid) {
  const std::vector<std::string> corpus = SeedCorpus(PUSHDOWN_REPORT_CORPUS);
  ASSERT_GE(corpus.size(), 7u);
  for (const std::string& text : corpus) EXPECT_TRUE(CheckReportInput(text)) << text;
}

TEST(ReportInputMutation, MutationsAreReadOrRefused) {
  using std::literals::operator""sv;
  ExpectReadOrRefused(SeedCorpus(PUSHDOWN_REPORT_CORPUS), "\"'=[]{}|,.:-+_0123456789e\n \0\xff"sv,
                      [](const std::string& text) { return CheckReportInput(text); });
}

}  // namespace
}  // namespace pushdown
