// The runs that `pushdown stack run` prints, against an enumeration of all runs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/analysis/run_list.h"
#include "tests/cli/program.h"
#include "tests/cli/stack_json.h"
#include "tests/sanitized.h"

namespace pushdown::testing_cli {
namespace {

using testing_oracle::ListedRun;
using testing_oracle::RunList;

class StackRunsTest : public ProgramTest {
 protected:
  // The file of some sequences, with the logits of each as the library has them.
  std::string WriteStack(const std::string& name, const json& options,
                         const std::vector<int>& steps) {
    spec_ = std::get<NondeterministicStackSpec>(ParseStackSpec(name));
    spec_.window = options.value("window", 0);
    json file = options;
    file["stack"] = name;
    for (const int count : steps) {
      const SequenceArrays sequence = RandomSequence(spec_, count, 5 + logits_.size());
      file["sequences"].push_back(ToJson(sequence));
      std::vector<double> logits;
      for (std::size_t row = 0; row < static_cast<std::size_t>(count * spec_.pairs()); ++row) {
        for (std::size_t n = 0; n < 3; ++n) {
          const std::size_t size = static_cast<std::size_t>(n < 2 ? spec_.pairs() : spec_.states);
          const auto begin = sequence.arrays[n].begin() + static_cast<std::ptrdiff_t>(row * size);
          logits.insert(logits.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
        }
      }
      logits_.push_back(logits);
    }
    return WriteFile("in.json", file.dump());
  }

  static json TransitionsOf(const ListedRun& run) {
    json transitions = json::array();
    for (const RunTransition& each : run.transitions) {
      json transition = {each.operation == StackOperation::kPush      ? "push"
                         : each.operation == StackOperation::kReplace ? "replace"
                                                                      : "pop",
                         each.state};
      if (each.operation != StackOperation::kPop) transition.push_back(each.symbol);
      transitions.push_back(transition);
    }
    return transitions;
  }

  NondeterministicStackSpec spec_;
  std::vector<std::vector<double>> logits_;
};

TEST_F(StackRunsTest, RunsCalculatedByHand) {
  // Push with weight 3 or keep with weight 1; then pop, or keep.
  const std::string file = WriteFile("in.json", R"({"stack": "rns-1-2", "sequences": [{
      "push": [[[[["-inf", 1.0986122886681098]], [["-inf", "-inf"]]]],
               [[[["-inf", "-inf"]], [["-inf", "-inf"]]]]],
      "replace": [[[[[0, "-inf"]], [["-inf", "-inf"]]]], [[[[0, "-inf"]], [["-inf", "-inf"]]]]],
      "pop": [[[["-inf"], ["-inf"]]], [[["-inf"], [0]]]]}]})");
  const ProgramResult result = Run({"stack", "run", file, "--runs", "5"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json runs = json::parse(result.out)["runs"];
  ASSERT_EQ(runs.size(), 1u);
  ASSERT_EQ(runs[0].size(), 2u);
  EXPECT_EQ(runs[0][0]["transitions"], json::parse(R"([["push", 0, 1], ["pop", 0]])"));
  EXPECT_EQ(runs[0][1]["transitions"], json::parse(R"([["replace", 0, 0], ["replace", 0, 0]])"));
  EXPECT_EQ(runs[0][0]["stack"], json::parse("[0]"));
  EXPECT_EQ(runs[0][0]["state"], 0);
  EXPECT_NEAR(runs[0][0]["log_weight"].get<double>(), std::log(3), 1e-12);
  EXPECT_NEAR(runs[0][0]["probability"].get<double>(), 0.75, 1e-12);
  EXPECT_NEAR(runs[0][1]["probability"].get<double>(), 0.25, 1e-12);
}

TEST_F(StackRunsTest, AllThatIsAskedForIsThatOfTheEnumeration) {
  for (const json& options : {json::object(), json{{"window", 3}}}) {
    logits_.clear();
    const std::string file = WriteStack("vrns-2-2-2", options, {4, 0, 3});
    const ProgramResult result =
        Run({"stack", "run", file, "--runs", "50", "--samples", "7", "--seed", "3", "--marginals"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json out = json::parse(result.out);
    for (std::size_t n = 0; n < logits_.size(); ++n) {
      SCOPED_TRACE(n);
      const int steps = n == 0 ? 4 : n == 1 ? 0 : 3;
      const RunList list(spec_, steps, logits_[n]);
      std::vector<ListedRun> expected = list.runs();
      std::sort(expected.begin(), expected.end(),
                [](const ListedRun& a, const ListedRun& b) { return a.log_weight > b.log_weight; });
      const json& runs = out["runs"][n];
      ASSERT_EQ(runs.size(), std::min<std::size_t>(50, expected.size()));
      for (std::size_t k = 0; k < runs.size(); ++k) {
        EXPECT_NEAR(runs[k]["log_weight"].get<double>(), expected[k].log_weight, 1e-10);
        EXPECT_NEAR(runs[k]["probability"].get<double>(), list.Probability(expected[k]), 1e-10);
        // Multiples of 1/64 often have the same sum.
        const bool alone =
            (k == 0 || expected[k - 1].log_weight > expected[k].log_weight) &&
            (k + 1 >= expected.size() || expected[k + 1].log_weight < expected[k].log_weight);
        if (!alone) continue;
        EXPECT_EQ(runs[k]["transitions"], TransitionsOf(expected[k]));
        EXPECT_EQ(runs[k]["stack"], json(expected[k].stack));
      }
      EXPECT_EQ(out["samples"][n].size(), 7u);
      const json& marginals = out["marginals"][n];
      double pushed = 0;
      for (const ListedRun& run : expected) {
        if (steps == 0 || run.transitions[0].operation != StackOperation::kPush) continue;
        pushed += list.Probability(run);
      }
      std::vector<double> first_push;
      if (steps > 0) Flatten(marginals["push"][0], first_push);
      double sum = 0;
      for (const double each : first_push) sum += each;
      EXPECT_NEAR(sum, pushed, 1e-10);
      EXPECT_EQ(marginals["heights"].size(), static_cast<std::size_t>(steps) + 1);
      EXPECT_EQ(marginals["pushed_in"].size(), static_cast<std::size_t>(steps) + 1);
      EXPECT_NEAR(marginals["expected_heights"].back().get<double>(),
                  marginals["expected_heights_given_all"].back().get<double>(), 1e-10);
    }
  }
}

TEST_F(StackRunsTest, TheSameSeedGivesTheSameSamples) {
  const std::string file = WriteStack("rns-2-2", json::object(), {5});
  const auto samples = [&](const std::string& seed) {
    return json::parse(
        Run({"stack", "run", file, "--samples", "20", "--seed", seed}).out)["samples"];
  };
  EXPECT_EQ(samples("4"), samples("4"));
  EXPECT_NE(samples("4"), samples("5"));
}

TEST_F(StackRunsTest, SuperpositionStacksHaveNoRuns) {
  const std::string text = R"({"stack": "sup-1", "sequences": [
      {"actions": [[[1, 0, 0]]], "vectors": [[0.1]]}]})";
  const ProgramResult result = Run({"stack", "run", "-", "--runs", "2"}, text);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("sup-1 has no runs"), std::string::npos) << result.err;
}

TEST_F(StackRunsTest, ASeedWithoutSamplesIsRefused) {
  const std::string file = WriteStack("rns-1-2", json::object(), {2});
  const ProgramResult result = Run({"stack", "run", file, "--runs", "2", "--seed", "3"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--seed: only --samples"), std::string::npos) << result.err;
}

// What is kept of each sequence counts for each.
TEST_F(StackRunsTest, RunsOfManySequencesAreCounted) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs an address space of terabytes";
  const std::string file = WriteStack("rns-1-1", json::object(), std::vector<int>(300, 20));
  LimitAddressSpace(std::size_t{1} << 30);
  const ProgramResult result = Run({"stack", "run", file, "--samples", "20000"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("of memory"), std::string::npos) << result.err;
}

TEST_F(StackRunsTest, MoreRunsThanMemoryHoldsAreRefused) {
  const std::string file = WriteStack("rns-2-2", json::object(), {20});
  const ProgramResult result = Run({"stack", "run", file, "--runs", "2000000000"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("of memory"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace pushdown::testing_cli
