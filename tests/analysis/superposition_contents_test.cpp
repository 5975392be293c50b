#include "pushdown/analysis/superposition_contents.h"

#include <gtest/gtest.h>

#include <vector>

namespace pushdown {
namespace {

using Elements = std::vector<std::vector<double>>;

// Push 2; push 4 with weight 1/2, keep with 1/4, pop with 1/4; pop.
const std::vector<double> kActions[] = {{1, 0, 0}, {0.5, 0.25, 0.25}, {0, 0, 1}};
const std::vector<double> kVectors[] = {{2}, {4}, {8}};

std::vector<InspectedSuperposition> Contents(int depth_limit, int depths) {
  std::vector<SuperpositionStep> steps;
  for (int t = 0; t < 3; ++t) steps.push_back({kActions[t], kVectors[t]});
  return SuperpositionContents({.sizes = {1}, .depth_limit = depth_limit}, steps, depths);
}

TEST(SuperpositionContents, AreThoseByHand) {
  const std::vector<InspectedSuperposition> stacks = Contents(0, 10);
  ASSERT_EQ(stacks.size(), 1u);
  EXPECT_EQ(stacks[0].size, 1);
  EXPECT_EQ(stacks[0].actions[1], (std::array<double, 3>{0.5, 0.25, 0.25}));
  // The second step: 4 / 2 + 2 / 4 on top, and 2 / 2 below it.
  EXPECT_EQ(stacks[0].elements, (std::vector<Elements>{{}, {{2}}, {{2.5}, {1}}, {{1}, {0}, {0}}}));
  EXPECT_EQ(stacks[0].norms, (Elements{{}, {2}, {2.5, 1}, {1, 0, 0}}));
  EXPECT_EQ(stacks[0].weights, (Elements{{}, {1}, {0.75, 0.5}, {0.5, 0, 0}}));
}

TEST(SuperpositionContents, AreCutAtTheDepthLimitAndAtTheDepthsThatAreWanted) {
  EXPECT_EQ(Contents(1, 10)[0].elements, (std::vector<Elements>{{}, {{2}}, {{2.5}}, {{0}}}));
  EXPECT_EQ(Contents(0, 1)[0].elements, (std::vector<Elements>{{}, {{2}}, {{2.5}}, {{1}}}));
}

TEST(SuperpositionContents, OfSeveralStacksHaveTheirPartsOfActionsAndVectors) {
  const std::vector<double> actions = {0.5, 0, 0, 0.25, 0, 0};
  const std::vector<double> vector = {3, 4, 8};
  const std::vector<SuperpositionStep> steps = {{actions, vector}};
  const auto stacks = SuperpositionContents({.sizes = {2, 1}, .depth_limit = 0}, steps, 10);
  ASSERT_EQ(stacks.size(), 2u);
  EXPECT_EQ(stacks[0].elements[1], (Elements{{1.5, 2}}));
  EXPECT_EQ(stacks[0].norms[1], std::vector<double>{2.5});
  EXPECT_EQ(stacks[0].weights[1], std::vector<double>{0.5});
  EXPECT_EQ(stacks[1].elements[1], (Elements{{2}}));
  EXPECT_EQ(stacks[1].weights[1], std::vector<double>{0.25});
}

}  // namespace
}  // namespace pushdown
