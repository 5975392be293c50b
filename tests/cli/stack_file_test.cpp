#include "cli/stack_file.h"

#include <gtest/gtest.h>

#include <string>

#include "cli/errors.h"
#include "cli/stack_run.h"

namespace pushdown::cli {
namespace {

StackFile<float> Read(const std::string& text) { return ReadStackFile<float>(text); }

int Window(const std::string& window) {
  const auto file = Read(R"({"stack": "rns-1-1", "window": )" + window +
                         R"(, "sequences": [{"push": [[[[[0]]]], [[[[0]]]]],
      "replace": [[[[[0]]]], [[[[0]]]]], "pop": [[[[0]]], [[[0]]]]}]})");
  return std::get<NondeterministicStackSpec>(file.spec).window;
}

TEST(StackFileTest, WindowIsAtMostWhatTheLongestSequenceCanUse) {
  EXPECT_EQ(Window("null"), 0);
  EXPECT_EQ(Window("2"), 2);
  EXPECT_EQ(Window("3"), 3);
  EXPECT_EQ(Window("4"), 3);
  EXPECT_EQ(Window("1000000000"), 3);
  EXPECT_EQ(Window("123456789012345678901234567890"), 3);
  EXPECT_EQ(Window("2.0"), 2);
}

TEST(StackFileTest, DepthLimitIsAtMostWhatTheLongestSequenceCanUse) {
  const auto depth_limit = [](const std::string& sequence) {
    const auto file =
        Read(R"({"stack": "sup-1", "depth_limit": 5000000000, "sequences": [)" + sequence + "]}");
    return std::get<SuperpositionStackSpec>(file.spec).depth_limit;
  };
  EXPECT_EQ(depth_limit(R"({"actions": [[[0, 0, 1]], [[0, 0, 1]]], "vectors": [[1], [1]]})"), 2);
  EXPECT_EQ(depth_limit(R"({"actions": [], "vectors": []})"), 1);
}

TEST(StackFileTest, LogitsAreInterleavedAsTheKernelsTakeThem) {
  const auto file = Read(R"({"stack": "rns-2-1", "sequences": [{
      "push": [[[[[1], [2]]], [[[3], [4]]]]], "replace": [[[[[5], [6]]], [[[7], [8]]]]],
      "pop": [[[[9, 10]], [[11, "-inf"]]]]}]})");
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(file.sequences[0].inputs.actions,
            (std::vector<float>{1, 2, 5, 6, 9, 10, 3, 4, 7, 8, 11, -infinity}));
}

TEST(StackFileTest, TheLargestFloatReadsBack) {
  const auto file = Read(R"({"stack": "sup-1", "sequences": [{"actions": [[[1, 0, 0]]],
      "vectors": [[3.4028235e+38]]}]})");
  EXPECT_EQ(file.sequences[0].inputs.vectors[0], std::numeric_limits<float>::max());
}

// json::parse with a callback takes time quadratic in the objects of an array: hours for this.
TEST(StackFileTest, ManySequencesAreRead) {
  constexpr int kSequences = 300000;
  std::string text = R"({"stack": "sup-1", "sequences": [{"actions": [], "vectors": []})";
  for (int n = 1; n < kSequences; ++n) text += R"(,{"actions": [], "vectors": []})";
  EXPECT_EQ(Read(text + "]}").sequences.size(), 300000u);
}

TEST(StackRunMemoryTest, MoreThanTheLimitIsRefused) {
  const auto file = Read(R"({"stack": "sup-100", "sequences": [{"actions": [], "vectors": []}]})");
  const double bytes = EstimateRunBytes(file, {});
  EXPECT_GE(bytes, 100 * sizeof(float));
  EXPECT_NO_THROW(RunStackFile(file, {.memory_limit = bytes}));
  EXPECT_THROW(RunStackFile(file, {.memory_limit = bytes - 1}), UsageError);
}

}  // namespace
}  // namespace pushdown::cli
