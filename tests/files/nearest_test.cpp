#include "pushdown/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pushdown {
namespace {

using Names = std::vector<std::string>;

TEST(EditDistance, CountsInsertionsRemovalsReplacementsAndSwaps) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("model", "model"), 0u);
  EXPECT_EQ(EditDistance("modle", "model"), 1u);
  EXPECT_EQ(EditDistance("mdel", "model"), 1u);
  EXPECT_EQ(EditDistance("modell", "model"), 1u);
  EXPECT_EQ(EditDistance("modal", "model"), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(EditDistance("abcd", "badc"), 2u);
  EXPECT_EQ(EditDistance("ca", "abc"), 3u) << "nothing is changed twice";
}

TEST(NearestNames, AreTheNearestFirst) {
  const Names known = {"train", "tasks", "data", "score", "stack"};
  EXPECT_EQ(NearestNames("trian", known), Names{"train"});
  EXPECT_EQ(NearestNames("TRAIN", known), Names{"train"});
  EXPECT_EQ(NearestNames("date", {"late", "data", "gate"}, 2), (Names{"late", "data"}));
  EXPECT_EQ(NearestNames("scores", {"store", "score"}), (Names{"score", "store"}));
  EXPECT_EQ(NearestNames("tests", {"text", "test"}), Names{"test"}) << "two of five are too many";
}

TEST(NearestNames, ContainTheName) {
  const Names known = {"max-epochs", "batch-size", "test-size", "lm"};
  EXPECT_EQ(NearestNames("epochs", known), Names{"max-epochs"});
  EXPECT_EQ(NearestNames("size", known), (Names{"batch-size", "test-size"}));
  EXPECT_EQ(NearestNames("siz", known), Names{}) << "short texts are in many names";
}

TEST(NearestNames, HaveItForInitials) {
  EXPECT_EQ(NearestNames("lr", {"lengths", "learning-rate", "min-learning-rate"}),
            Names{"learning-rate"});
  EXPECT_EQ(NearestNames("l", {"lengths", "learning-rate"}), Names{});
}

TEST(NearestNames, AreNotNonsense) {
  const Names known = {"rns", "lstm", "a", ""};
  EXPECT_EQ(NearestNames("gru", known), Names{});
  EXPECT_EQ(NearestNames("b", known), Names{}) << "one letter is not near another";
  EXPECT_EQ(NearestNames("", {"rns"}), Names{});
  EXPECT_EQ(NearestNames(std::string(5000, 'x'), {std::string(5000, 'x')}), Names{});
}

TEST(Suggestion, FollowsAName) {
  EXPECT_EQ(Suggestion("dick", {"dyck"}), " (did you mean dyck?)");
  EXPECT_EQ(Suggestion("bat", {"cat", "hat", "rat", "dog"}), " (did you mean cat, hat or rat?)");
  EXPECT_EQ(Suggestion("bat", {"dog"}), "");
}

}  // namespace
}  // namespace pushdown
