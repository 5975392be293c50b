#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace pushdown::testing_cli {
namespace {

struct BadFile {
  std::string name;
  std::string text;
  std::string message;  // part of it; begins with the path of the field
  std::vector<std::string> options = {};
};

std::ostream& operator<<(std::ostream& out, const BadFile& bad) { return out << bad.name; }

// Files that are valid but for what is replaced in them.
const std::string kRns = R"({"stack": "rns-1-2", "sequences": [{
    "push": [[[[[0, 1]], [[2, 3]]]]],
    "replace": [[[[[0, 1]], [[2, 3]]]]],
    "pop": [[[[0], [1]]]]}],
    "coefficients": [[[1, 2], [3, 4]]]})";
const std::string kVrns = R"({"stack": "vrns-1-1-2", "sequences": [{
    "push": [[[[[0]]]]], "replace": [[[[[0]]]]], "pop": [[[[0]]]],
    "vectors": [[5, 6]], "bottom_vector": [7, 8]}]})";
const std::string kSup = R"({"stack": "sup-2", "sequences": [{
    "actions": [[[0.5, 0.25, 0.25]]], "vectors": [[5, 6]]}]})";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  if (place == std::string::npos) throw std::logic_error("nothing to replace: " + from);
  return text.replace(place, from.size(), to);
}

std::string Repeated(const std::string& part, int times) {
  std::string text;
  for (int n = 0; n < times; ++n) text += part;
  return text;
}

class BadFileTest : public ProgramTest, public ::testing::WithParamInterface<BadFile> {};

TEST_P(BadFileTest, IsRefusedNamingTheField) {
  const BadFile& bad = GetParam();
  WriteFile("in.json", bad.text);
  std::vector<std::string> arguments = {"stack", "run", Path("in.json"), "--out", Path("out")};
  arguments.insert(arguments.end(), bad.options.begin(), bad.options.end());
  const ProgramResult result = Run(arguments);
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "in.json: " + bad.message);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(Files(), std::vector<std::string>{"in.json"});
}

std::string TestName(const ::testing::TestParamInfo<BadFile>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Syntax, BadFileTest,
    ::testing::Values(
        BadFile{"Empty", "", "line 1, column 1: "}, BadFile{"NotAnObject", "[]", "expected an obj"},
        BadFile{"Null", "null", "expected an object"},
        BadFile{"Truncated", kRns.substr(0, kRns.find("[2, 3]") + 4),
                "sequences[0].push[0][0][1][0][1]: line 2, column "},
        BadFile{"TrailingText", kRns + "x", "line 5, column "},
        BadFile{"BareNan", Replaced(kRns, "[[2, 3]", "[[2, NaN]"),
                "sequences[0].push[0][0][1][0][1]: line 2, column "},
        BadFile{"NumberOverflow", Replaced(kRns, "[[2, 3]", "[[2, 1e999]"),
                "sequences[0].push[0][0][1][0][1]: number overflow at \"1e999\""},
        BadFile{"LongToken", Replaced(kSup, "\"sup-2\"", "\"" + Repeated("\x01", 5000)), "stack: "},
        BadFile{"BadUtf8", Replaced(kSup, "sup-2", "sup-\xff\xfe"), "stack: line 1, column "},
        BadFile{"NulByte", kSup + std::string(1, '\0') + "anything", "byte "},
        BadFile{"GivenTwice", Replaced(kSup, "\"vectors\"", "\"actions\""),
                "sequences[0].actions: given twice"},
        BadFile{"NestedDeeply", Repeated("[", 100000), "[0][0][0][0][0][0][0][0][0]"}),
    TestName);

INSTANTIATE_TEST_SUITE_P(
    Options, BadFileTest,
    ::testing::Values(
        BadFile{"NoStack", R"({"sequences": []})", "stack: missing"},
        BadFile{"NullStack", R"({"stack": null, "sequences": []})", "stack: missing"},
        BadFile{"StackIsNumber", R"({"stack": 3, "sequences": []})", "stack: expected a name"},
        BadFile{"UnknownStack", R"({"stack": "lstm", "sequences": []})", "stack: unknown stack"},
        BadFile{"StackWithLineBreak", R"({"stack": "rns\n-1", "sequences": []})",
                "stack: unknown stack \"rns?-1\""},
        BadFile{"LongStack", R"({"stack": ")" + Repeated("sup-", 5000) + R"(", "sequences": []})",
                "stack: \"sup-sup-"},
        BadFile{"HugeStack", R"({"stack": "rns-99999-99999", "sequences": []})", "stack: "},
        BadFile{"HugeNumber", R"({"stack": "sup-99999999999999999999", "sequences": []})",
                "stack: "},
        BadFile{"HugeReading", R"({"stack": "vrns-64-64-1048576", "sequences": []})", "stack: "},
        BadFile{"ZeroStates", R"({"stack": "rns-0-3", "sequences": []})", "stack: "},
        BadFile{"UnknownField", R"({"stack": "sup-2", "windw": 5, "sequences": []})",
                "windw: unknown field"},
        BadFile{"UnknownNullField", R"({"stack": "sup-2", "windw": null, "sequences": []})",
                "windw: unknown field"},
        BadFile{"WindowOfSup", R"({"stack": "sup-2", "window": 5, "sequences": []})",
                "window: does not apply to sup-2"},
        BadFile{"BottomOfSup", R"({"stack": "sup-2", "bottom": "old", "sequences": []})",
                "bottom: does not apply to sup-2"},
        BadFile{"DepthLimitOfRns", R"({"stack": "rns-2-2", "depth_limit": 5, "sequences": []})",
                "depth_limit: does not apply to rns-2-2"},
        BadFile{"InitialVectorOfRns",
                R"({"stack": "rns-2-2", "initial_vector": "correct", "sequences": []})",
                "initial_vector: does not apply to rns-2-2"},
        BadFile{"ZeroWindow", R"({"stack": "rns-2-2", "window": 0, "sequences": []})",
                "window: expected an integer of at least 1, found 0"},
        BadFile{"FractionalWindow", R"({"stack": "rns-2-2", "window": 2.5, "sequences": []})",
                "window: expected an integer of at least 1, found 2.5"},
        BadFile{"WindowIsString", R"({"stack": "rns-2-2", "window": "5", "sequences": []})",
                "window: expected an integer of at least 1, found \"5\""},
        BadFile{"NegativeDepthLimit", R"({"stack": "sup-2", "depth_limit": -1, "sequences": []})",
                "depth_limit: expected an integer of at least 1, found -1"},
        BadFile{"UnknownBottom", R"({"stack": "rns-2-2", "bottom": "new", "sequences": []})",
                R"(bottom: expected "fixed" or "old", found "new")"},
        BadFile{"UnknownInitialVector",
                R"({"stack": "vrns-2-2-2", "initial_vector": 1, "sequences": []})",
                R"(initial_vector: expected "correct" or "paper-code", found 1)"},
        BadFile{"PaperCodeWithOldBottom",
                R"({"stack": "vrns-1-1-1", "initial_vector": "paper-code", "bottom": "old",
                    "sequences": []})",
                "initial_vector: "},
        BadFile{"NoSequences", R"({"stack": "sup-2"})", "sequences: missing"},
        BadFile{"SequencesIsObject", R"({"stack": "sup-2", "sequences": {}})",
                "sequences: expected an array, found an object"},
        BadFile{"GradientsWithoutCoefficients", kSup, "coefficients: missing", {"--gradients"}}),
    TestName);

INSTANTIATE_TEST_SUITE_P(
    Arrays, BadFileTest,
    ::testing::Values(
        BadFile{"SequenceIsArray", R"({"stack": "sup-2", "sequences": [[]]})",
                "sequences[0]: expected an object, found an array of 0"},
        BadFile{"UnknownFieldOfSequence", Replaced(kSup, "\"vectors\"", "\"vector\""),
                "sequences[0].vector: unknown field"},
        BadFile{"MissingPop", Replaced(kRns, "\"pop\": [[[[0], [1]]]]", "\"pop\": null"),
                "sequences[0].pop: missing"},
        BadFile{"MissingBottomVector", Replaced(kVrns, ", \"bottom_vector\": [7, 8]", ""),
                "sequences[0].bottom_vector: missing, and needed for vrns-1-1-2"},
        BadFile{"VectorsOfRns", Replaced(kVrns, "vrns-1-1-2", "rns-1-1"),
                "sequences[0].bottom_vector: does not apply to rns-1-1"},
        BadFile{"PushOfSup", Replaced(kVrns, "vrns-1-1-2", "sup-2"),
                "sequences[0].bottom_vector: does not apply to sup-2"},
        BadFile{"FewerSteps", Replaced(kVrns, "[[5, 6]]", "[]"),
                "sequences[0].vectors: expected 1 rows (steps, as in push), found 0"},
        BadFile{"FewerStates", Replaced(kVrns, "vrns-1-1-2", "vrns-2-1-2"),
                "sequences[0].push[0]: expected 2 rows (states), found 1"},
        BadFile{"MoreSymbols", Replaced(kRns, "[[2, 3]]", "[[2, 3, 4]]"),
                "sequences[0].push[0][0][1][0]: expected 2 numbers (stack symbols), found 3"},
        BadFile{"LevelMissing", Replaced(kRns, "[[2, 3]]", "[2, 3]"),
                "sequences[0].push[0][0][1]: expected 1 rows (states), found 2"},
        BadFile{"LevelTooMany", Replaced(kRns, "[[2, 3]]", "[[2, [3]]]"),
                "sequences[0].push[0][0][1][0][1]: expected a finite number or \"-inf\", found an "
                "array of 1"},
        BadFile{"PushIsNumber", Replaced(kRns, "[[[[[0, 1]], [[2, 3]]]]]", "5"),
                "sequences[0].push: expected an array"},
        BadFile{"ManyZerosForAHugeStack", Replaced(kRns, "rns-1-2", "rns-64-64"),
                "sequences[0].push[0]: expected 64 rows (states), found 1"},
        BadFile{"NanString", Replaced(kRns, "[[2, 3]", "[[2, \"nan\"]"),
                "sequences[0].push[0][0][1][0][1]: expected a finite number or \"-inf\", found "
                "\"nan\""},
        BadFile{"InfString", Replaced(kRns, "[[2, 3]", "[[2, \"inf\"]"),
                "sequences[0].push[0][0][1][0][1]: expected a finite number"},
        BadFile{"NullElement", Replaced(kVrns, "[5, 6]", "[5, null]"),
                "sequences[0].vectors[0][1]: expected a finite number, found null"},
        BadFile{"MinusInfinityInVectors", Replaced(kVrns, "[7, 8]", "[7, \"-inf\"]"),
                "sequences[0].bottom_vector[1]: expected a finite number, found \"-inf\""},
        BadFile{"MinusInfinityInActions", Replaced(kSup, "0.5", "\"-inf\""),
                "sequences[0].actions[0][0][0]: expected a finite number, found \"-inf\""},
        BadFile{"TooLargeForFloat", Replaced(kSup, "0.5", "1e300"),
                "sequences[0].actions[0][0][0]: 1e+300 does not fit a float; --dtype double"},
        BadFile{"FourActions", Replaced(kSup, "[0.5, ", "[0.5, 0.5, "),
                "sequences[0].actions[0][0]: expected 3 numbers (push, no-op, pop), found 4"},
        BadFile{"CoefficientsOfOtherSequences", Replaced(kRns, "[[[1, 2], [3, 4]]]", "[]"),
                "coefficients: expected 1 arrays (sequences), found 0"},
        BadFile{"CoefficientsIsNumber", Replaced(kRns, "[[[1, 2], [3, 4]]]", "1"),
                "coefficients: expected an array"},
        BadFile{"CoefficientsOfFewerSteps", Replaced(kRns, "[1, 2], ", ""),
                "coefficients[0]: expected 2 rows"},
        BadFile{"CoefficientsOfSmallerReading", Replaced(kRns, "[1, 2]", "[1]"),
                "coefficients[0][0]: expected 2 numbers (the reading, flat), found 1"},
        BadFile{"InfiniteCoefficient", Replaced(kRns, "[1, 2]", "[1, \"-inf\"]"),
                "coefficients[0][0][1]: expected a finite number"}),
    TestName);

class StackRunFailureTest : public ProgramTest {};

TEST_F(StackRunFailureTest, NoRunSurvives) {
  // Symbol 1, pushed at step 1, can be neither popped nor replaced nor covered at step 2.
  WriteFile("in.json", R"({"stack": "rns-1-2", "sequences": [
      {"push": [], "replace": [], "pop": []}, {
      "push": [[[[["-inf", 0]], [[0, 0]]]], [[[[0, 0]], [["-inf", "-inf"]]]]],
      "replace": [[[[["-inf", "-inf"]], [[0, 0]]]], [[[[0, 0]], [["-inf", "-inf"]]]]],
      "pop": [[[["-inf"], [0]]], [[[0], ["-inf"]]]]}]})");
  const ProgramResult result = Run({"stack", "run", Path("in.json"), "--out", Path("out")});
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "in.json: sequences[1]: no run of the automaton survives step 2");
  EXPECT_EQ(Files(), std::vector<std::string>{"in.json"});
}

TEST_F(StackRunFailureTest, ReadingOverflows) {
  WriteFile("in.json", R"({"stack": "sup-1", "sequences": [{"actions": [[[1e30, 0, 0]]],
      "vectors": [[1e30]]}]})");
  const ProgramResult result = Run({"stack", "run", Path("in.json")});
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "sequences[0]: the reading of step 1 is not finite");
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(Run({"stack", "run", Path("in.json"), "--dtype", "double"}).exit_code, 0);
}

TEST_F(StackRunFailureTest, GradientOverflows) {
  WriteFile("in.json", R"({"stack": "sup-1", "sequences": [{"actions": [[[1e-10, 0, 0]]],
      "vectors": [[1e30]]}], "coefficients": [[[0], [1e30]]]})");
  EXPECT_EQ(Run({"stack", "run", Path("in.json")}).exit_code, 0);
  const ProgramResult result = Run({"stack", "run", Path("in.json"), "--gradients"});
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "sequences[0]: a gradient is not finite");
}

TEST_F(StackRunFailureTest, PaperCodeOverflows) {
  // Runs that start in symbol 1, which only the numerator has, weigh e^200 times as much.
  WriteFile("in.json", R"({"stack": "vrns-1-2-1", "initial_vector": "paper-code", "sequences": [{
      "push": [[[[[0, 0]], [[0, 0]]]]], "replace": [[[[[0, 0]], [[200, 200]]]]],
      "pop": [[[[0], [0]]]], "vectors": [[1]], "bottom_vector": [1]}]})");
  const ProgramResult result = Run({"stack", "run", Path("in.json")});
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "sequences[0]: ");
  EXPECT_NE(result.err.find("step 1 "), std::string::npos) << result.err;
}

TEST_F(StackRunFailureTest, MemoryThatNoMachineHasIsRefused) {
  const auto array = [](const std::string& element, int steps) {
    std::string text = "[" + element;
    for (int n = 1; n < steps; ++n) text += "," + element;
    return text + "]";
  };
  constexpr int kSteps = 400000;  // half a terabyte without a window
  WriteFile("in.json", R"({"stack": "rns-1-1", "sequences": [{"push": )" +
                           array("[[[[0]]]]", kSteps) + R"(, "replace": )" +
                           array("[[[[0]]]]", kSteps) + R"(, "pop": )" + array("[[[0]]]", kSteps) +
                           "}]}");
  const ProgramResult result = Run({"stack", "run", Path("in.json"), "--out", Path("out")});
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "in.json: stack: rns-1-1 with sequences of up to 400000 steps needs ");
  EXPECT_NE(result.err.find("a window, shorter sequences"), std::string::npos) << result.err;
  EXPECT_EQ(Files(), std::vector<std::string>{"in.json"});
}

}  // namespace
}  // namespace pushdown::testing_cli
