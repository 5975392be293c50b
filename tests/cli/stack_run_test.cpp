#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/cli/stack_json.h"

namespace pushdown::testing_cli {
namespace {

class StackRunTest : public ProgramTest {};

TEST_F(StackRunTest, SuperpositionStackCalculatedByHand) {
  // V_1 = [2]; the reading of step 2 is 0.5 * 4 + 0.25 * 2 + 0.25 * 0.
  const std::string file = WriteFile("in.json", R"({"stack": "sup-1", "sequences": [
      {"actions": [[[1, 0, 0]], [[0.5, 0.25, 0.25]]], "vectors": [[2], [4]]}],
      "coefficients": [[[7], [0], [1]]]})");
  const ProgramResult result = Run({"stack", "run", file, "--gradients"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(json::parse(result.out), json::parse(R"({"readings": [[[0], [2], [2.5]]],
      "gradients": [{"actions": [[[0.5, 0, 0]], [[4, 2, 0]]], "vectors": [[0.25], [0.5]]}]})"));
}

TEST_F(StackRunTest, PushThenPopUncoversTheBottomSymbol) {
  // Symbol 1 is pushed with certainty, then popped with certainty.
  const std::string file = WriteFile("in.json", R"({"stack": "rns-1-2", "sequences": [{
      "push": [[[[["-inf", 3]], [[0, 0]]]], [[[["-inf", "-inf"]], [["-inf", "-inf"]]]]],
      "replace": [[[[["-inf", "-inf"]], [[0, 0]]]], [[[["-inf", "-inf"]], [["-inf", "-inf"]]]]],
      "pop": [[[["-inf"], [0]]], [[["-inf"], [-5]]]]}]})");
  const ProgramResult result = Run({"stack", "run", file});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out), json::parse(R"({"readings": [[[1, 0], [0, 1], [1, 0]]]})"));
}

TEST_F(StackRunTest, FloatsArePrintedAsShortAsTheyReadBack) {
  const std::string text = R"({"stack": "sup-1", "sequences": [
      {"actions": [[[1, 0, 0]]], "vectors": [[0.1]]}]})";
  EXPECT_EQ(Run({"stack", "run", "-"}, text).out, "{\"readings\": [[[0],\n[0.1]]]}\n");
  EXPECT_EQ(Run({"stack", "run", "-", "--dtype", "double"}, text).out,
            "{\"readings\": [[[0],\n[0.1]]]}\n");
}

TEST_F(StackRunTest, NoStepsGiveTheInitialReading) {
  const std::string text = R"({"stack": "vrns-2-1-2", "window": 1, "sequences": [
      {"push": [], "replace": [], "pop": [], "vectors": [], "bottom_vector": [3, -4]}],
      "coefficients": [[[10, 20, 30, 40]]]})";
  const ProgramResult result = Run({"stack", "run", "-", "--gradients", "--chunk", "2"}, text);
  EXPECT_EQ(json::parse(result.out), json::parse(R"({"readings": [[[3, -4, 0, 0]]], "gradients": [
      {"push": [], "replace": [], "pop": [], "vectors": [], "bottom_vector": [10, 20]}]})"));
  const std::string superposition =
      R"({"stack": "sup-2", "depth_limit": 3, "sequences": [{"actions": [], "vectors": []}]})";
  EXPECT_EQ(json::parse(Run({"stack", "run", "-"}, superposition).out),
            json::parse(R"({"readings": [[[0, 0]]]})"));
}

TEST_F(StackRunTest, NoSequencesGiveNoReadings) {
  const std::string text = R"({"stack": "rns-64-64", "sequences": [], "coefficients": []})";
  EXPECT_EQ(json::parse(Run({"stack", "run", "-"}, text).out), json::parse(R"({"readings": []})"));
  EXPECT_EQ(json::parse(Run({"stack", "run", "-", "--gradients"}, text).out),
            json::parse(R"({"readings": [], "gradients": []})"));
}

struct Problem {
  std::string stack;
  json options = json::object();
  int chunk = 0;
  std::vector<int> steps = {6, 3, 0};  // of each sequence
};

std::ostream& operator<<(std::ostream& out, const Problem& problem) {
  return out << problem.stack << " " << problem.options << " chunk " << problem.chunk;
}

class StackRunProblemTest : public StackRunTest, public ::testing::WithParamInterface<Problem> {
 protected:
  StackRunProblemTest() : spec_(ParseStackSpec(GetParam().stack)) {
    const json& options = GetParam().options;
    if (auto* superposition = std::get_if<SuperpositionStackSpec>(&spec_)) {
      superposition->depth_limit = std::min(options.value("depth_limit", 0), 1000);
    } else {
      auto& nondeterministic = std::get<NondeterministicStackSpec>(spec_);
      nondeterministic.window = std::min(options.value("window", 0), 1000);
      if (options.value("bottom", "") == "old") nondeterministic.bottom = Bottom::kOld;
      if (options.value("initial_vector", "") == "paper-code") {
        nondeterministic.initial_vector = InitialVector::kPaperCode;
      }
    }
    reading_size_ = std::visit([](const auto& spec) { return spec.reading_size(); }, spec_);
    json file = options;
    file["stack"] = GetParam().stack;
    file["sequences"] = json::array();
    file["coefficients"] = json::array();
    for (int steps : GetParam().steps) {
      const std::uint64_t seed = 100 * (1 + sequences_.size());
      sequences_.push_back(RandomSequence(spec_, steps, seed));
      const std::vector<int> shape = {steps + 1, reading_size_};
      coefficients_.push_back(RandomSixtyFourths(seed + 50, Count(shape), -1, 1));
      file["sequences"].push_back(ToJson(sequences_.back()));
      file["coefficients"].push_back(Nested(coefficients_.back(), shape));
    }
    path_ = WriteFile("in.json", file.dump());
  }

  json RunProblem(const std::string& dtype) {
    std::vector<std::string> arguments = {"stack", "run", path_, "--gradients", "--dtype", dtype};
    if (GetParam().chunk > 0) {
      arguments.insert(arguments.end(), {"--chunk", std::to_string(GetParam().chunk)});
    }
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out);
  }

  // Same shape, and elements that differ by less than the tolerance.
  static void ExpectNear(const json& actual, const std::vector<double>& expected,
                         const std::vector<int>& shape, double tolerance, const std::string& name) {
    std::vector<double> values;
    Flatten(actual, values);
    ASSERT_EQ(values.size(), expected.size()) << name;
    EXPECT_EQ(actual, Nested(values, shape)) << name << " has another shape";
    for (std::size_t n = 0; n < values.size(); ++n) {
      EXPECT_NEAR(values[n], expected[n], tolerance) << name << " at " << n;
    }
  }

  // The logits, the vectors and their sums are of the order of one, so errors are absolute.
  void ExpectOracleResults(const std::string& dtype, double tolerance) {
    const json results = RunProblem(dtype);
    ASSERT_EQ(results.size(), 2u);
    ASSERT_EQ(results["readings"].size(), sequences_.size());
    ASSERT_EQ(results["gradients"].size(), sequences_.size());
    for (std::size_t n = 0; n < sequences_.size(); ++n) {
      const int steps = GetParam().steps[n];
      const SequenceArrays& sequence = sequences_[n];
      ExpectNear(results["readings"][n], OracleReadings<double>(spec_, steps, sequence.arrays),
                 {steps + 1, reading_size_}, tolerance, "readings");
      const json& gradients = results["gradients"][n];
      EXPECT_EQ(gradients.size(), sequence.names.size());
      for (std::size_t a = 0; a < sequence.names.size(); ++a) {
        ExpectNear(gradients.at(sequence.names[a]),
                   OracleGradient(spec_, steps, sequence, a, coefficients_[n], GetParam().chunk),
                   sequence.shapes[a], tolerance, "gradient of " + sequence.names[a]);
      }
    }
  }

  StackSpec spec_;
  int reading_size_ = 0;
  std::vector<SequenceArrays> sequences_;
  std::vector<std::vector<double>> coefficients_;
  std::string path_;
};

TEST_P(StackRunProblemTest, DoubleAgreesWithTheOracle) { ExpectOracleResults("double", 1e-11); }
TEST_P(StackRunProblemTest, FloatAgreesWithTheOracle) { ExpectOracleResults("float", 1e-4); }

INSTANTIATE_TEST_SUITE_P(Rns, StackRunProblemTest,
                         ::testing::Values(Problem{"rns-2-3"},
                                           Problem{"rns-2-2", {{"bottom", "old"}}},
                                           Problem{"rns-2-2", {{"window", 2}}},
                                           Problem{"rns-2-2", {{"window", 1000000000}}},
                                           Problem{"rns-1-3", {{"window", 3}, {"bottom", "old"}}},
                                           Problem{"rns-2-2", json::object(), 2},
                                           Problem{"rns-2-2", {{"window", 2}}, 4},
                                           Problem{"rns-2-2", {{"window", 3}}, 1},
                                           Problem{"rns-2-2", json::object(), 100}));
INSTANTIATE_TEST_SUITE_P(
    Vrns, StackRunProblemTest,
    ::testing::Values(Problem{"vrns-2-2-3"}, Problem{"vrns-2-1-2", {{"bottom", "old"}}},
                      Problem{"vrns-2-2-2", {{"initial_vector", "paper-code"}}},
                      Problem{"vrns-2-2-2", {{"initial_vector", "correct"}, {"window", 3}}},
                      Problem{"vrns-2-2-2", {{"initial_vector", "paper-code"}, {"window", 3}}, 2},
                      Problem{"vrns-1-2-2", {{"bottom", "old"}, {"window", 2}}, 4},
                      Problem{"vrns-2-1-2", json::object(), 2}));
INSTANTIATE_TEST_SUITE_P(Sup, StackRunProblemTest,
                         ::testing::Values(Problem{"sup-3"}, Problem{"sup-1-2-3"},
                                           Problem{"jm-2", json::object(), 2},
                                           Problem{"sup-3", {{"depth_limit", 2}}},
                                           Problem{"sup-3-1", {{"depth_limit", 3}}, 2},
                                           Problem{"sup-2", {{"depth_limit", 1000000000}}, 4}));

}  // namespace
}  // namespace pushdown::testing_cli
