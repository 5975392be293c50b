#include "pushdown/analysis/position_rule.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "tests/analysis/small_models.h"

namespace pushdown {
namespace {

using testing_analysis::ZeroModel;

SymbolTable Vocabulary() { return ZeroModel("lstm").vocabulary; }

std::string Selected(const std::string& rule, const std::string& string) {
  const TrainedModel model = ZeroModel("lstm");
  const PositionRange range =
      SelectPositions(ParsePositionRule(rule, model.vocabulary), model.Encode(string));
  std::string text;
  for (int p = range.first; p <= range.last; ++p) text += std::to_string(p) + " ";
  return text;
}

TEST(PositionRules, SelectWhatTheySay) {
  const std::vector<std::vector<std::string>> cases = {
      {"all", "a b # b a", "1 2 3 4 5 "},
      {"first-half", "a b # b a", "1 2 3 "},  // w # w^R: the marker belongs to the first half
      {"second-half", "a b # b a", "4 5 "},   // p = |w|+2 .. 2|w|+1
      {"first-half", "a b b a", "1 2 "},
      {"second-half", "a b b a", "3 4 "},
      {"second-half", "#", ""},
      {"until:#", "a # b # a", "1 2 "},
      {"after:#", "a # b # a", "3 4 5 "},
      {"after:#", "a b", ""},
      {"until:#", "a b", "1 2 "},
      {"all", "", ""},
      {"second-half", "", ""},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(Selected(each[0], each[1]), each[2]) << each[0] << ": " << each[1];
  }
}

TEST(PositionRules, AreReadAndWritten) {
  for (const char* text : {"all", "first-half", "second-half", "until:a", "after:#"}) {
    EXPECT_EQ(PositionRuleText(ParsePositionRule(text, Vocabulary()), Vocabulary()), text);
  }
  for (const char* text : {"", "half", "after:", "after:c", "ALL"}) {
    EXPECT_THROW(ParsePositionRule(text, Vocabulary()), Error) << text;
  }
}

TEST(PositionRules, HaveAnOther) {
  const auto other = [](const char* text) {
    return PositionRuleText(OtherPositions(ParsePositionRule(text, Vocabulary())), Vocabulary());
  };
  EXPECT_EQ(other("second-half"), "first-half");
  EXPECT_EQ(other("first-half"), "second-half");
  EXPECT_EQ(other("after:#"), "until:#");
  EXPECT_EQ(other("until:#"), "after:#");
  EXPECT_EQ(other("all"), "all");
}

TEST(PositionRules, FollowFromTheLanguage) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"marked-reversal", "second-half"},
      {"unmarked-copy", "second-half"},
      {"marked-copy", "second-half"},
      {"marked-reverse-and-copy", "after:#"},
      {"count-and-copy", "after:#"},
      {"dyck", "all"},
      {"count-3", "all"},
      {"unmarked-reverse-and-copy", "all"}};
  for (const auto& [task, rule] : cases) {
    TrainedModel model;
    model.language = ChooseTask(task);
    model.vocabulary = MakeLanguage(*model.language, 5)->alphabet();
    EXPECT_EQ(PositionRuleText(DefaultPositionRule(model), model.vocabulary), rule) << task;
  }
  TrainedModel text = ZeroModel("lstm");  // which has a word #
  EXPECT_EQ(PositionRuleText(DefaultPositionRule(text), text.vocabulary), "after:#");
  text.kind = DataKind::kText;
  EXPECT_EQ(PositionRuleText(DefaultPositionRule(text), text.vocabulary), "all");
}

}  // namespace
}  // namespace pushdown
