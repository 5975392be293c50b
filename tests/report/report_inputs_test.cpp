// What models really print is read, and whatever the page could not rely on is refused.

#include "pushdown/report/report_inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/analysis/figures.h"
#include "pushdown/analysis/inspection_json.h"
#include "pushdown/analysis/vector_pca.h"
#include "pushdown/formal/automaton_format.h"
#include "pushdown/recognizer/compile.h"
#include "pushdown/report/inspection_input.h"
#include "pushdown/report/pca_input.h"
#include "tests/analysis/inspected_models.h"
#include "tests/experiment/checks.h"

namespace pushdown {
namespace {

using testing_analysis::ModelOfStrings;
using testing_analysis::ModelOfText;
using testing_experiment::ErrorMessage;
using testing_experiment::ExpectContains;
using testing_experiment::Replaced;

nlohmann::json Plain(const Json& json) { return nlohmann::json::parse(json.dump()); }

// The same fields and texts, and numbers that are close.
void ExpectClose(const nlohmann::json& read, const nlohmann::json& given,
                 const std::string& place = "") {
  if (given.is_number()) {
    ASSERT_TRUE(read.is_number()) << place;
    const double number = given.get<double>();
    EXPECT_NEAR(read.get<double>(), number, 1e-6 + 1e-3 * std::abs(number)) << place;
  } else if (given.is_structured()) {
    ASSERT_EQ(read.size(), given.size()) << place;
    for (const auto& [key, value] : given.items()) {
      if (given.is_object()) {
        ASSERT_TRUE(read.contains(key)) << place << "." << key;
        ExpectClose(read[key], value, place + "." + key);
      } else {
        const std::size_t n = std::stoul(key);
        ExpectClose(read[n], value, place + "[" + key + "]");
      }
    }
  } else {
    EXPECT_EQ(read, given) << place;
  }
}

// What the page has of an inspection: no figure shows heights.
nlohmann::json WithoutHeights(nlohmann::json inspection) {
  if (inspection["automaton"].is_null()) return inspection;
  for (const char* field : {"heights", "expected_heights", "expected_heights_given_all"}) {
    EXPECT_EQ(inspection["automaton"].erase(field), 1u) << field;
  }
  return inspection;
}

nlohmann::json InspectionOf(const TrainedModel& model, const std::string& string) {
  std::optional<LengthRange> lengths;
  if (model.language) lengths = LengthRange{1, 5};
  const Inspector inspector(model, lengths);
  return Plain(InspectionJson(inspector.Inspect(string, {.runs = 3, .samples = 2})));
}

nlohmann::json RecognizerInspection(const std::string& string) {
  const PushdownAutomaton automaton = ParseAutomaton(
      "bottom: $\naccept: q\nq \"(\" $ -> q $ X\nq \"(\" X -> q X X\nq \")\" X -> q eps\n");
  const LanguageSource sources[] = {{"brackets", automaton}};
  const Inspector inspector(CompileRecognizer(sources));
  return Plain(InspectionJson(inspector.Inspect(string, {.runs = 3})));
}

TEST(InspectionInput, EverythingThatInspectPrintsIsRead) {
  std::vector<nlohmann::json> inspections;
  for (const char* model : {"lstm", "rns-2-3", "vrns-1-2-3", "sup-3", "sup-2-3"}) {
    for (const char* string : {"0 1 # 1 0", "0 1", "#", ""}) {
      inspections.push_back(InspectionOf(ModelOfStrings(model, 1), string));
    }
  }
  for (const char* model : {"lstm", "rns-2-2", "sup-3"}) {
    for (const char* string : {"a b c", "a"}) {
      inspections.push_back(InspectionOf(ModelOfText(model, 1), string));
    }
  }
  for (const char* string : {"( ) ( ( ) )", "(", ""}) {
    inspections.push_back(RecognizerInspection(string));
  }
  for (const nlohmann::json& inspection : inspections) {
    EXPECT_TRUE(IsInspection(inspection));
    const nlohmann::json read = Plain(ReadInspection(inspection));
    ExpectClose(read, WithoutHeights(inspection));
    // What is read once more stays what it is.
    EXPECT_EQ(Plain(ReadInspection(read)), read);
  }
}

TEST(InspectionInput, WhatThePageReliesOnIsChecked) {
  const nlohmann::json good = InspectionOf(ModelOfStrings("vrns-1-2-3", 1), "0 1 # 1 0");
  using Pointer = nlohmann::json::json_pointer;
  const struct {
    const char* place;
    nlohmann::json value;
    const char* message;
  } cases[] = {
      {"/kind", "music", "kind: expected strings, text, recognizer, found \"music\""},
      {"/kind", 7, "kind: expected a string, found 7"},
      {"/model", nullptr, "model: expected a string, found null"},
      {"/hidden_units", 1e300, "hidden_units: expected an integer"},
      {"/hidden_units", -1, "hidden_units: expected an integer"},
      {"/inputs", "0", "inputs: expected an array, found \"0\""},
      {"/inputs/1", 7, "inputs[1]: expected a string, found 7"},
      {"/predictions/5", nullptr, "predictions[5]: expected an object, found null"},
      {"/predictions", nlohmann::json::array(), "predictions: expected an array of 6"},
      {"/predictions/0/log_p", "0", "predictions[0].log_p: expected a number, found \"0\""},
      {"/predictions/0/optimum_log_p", "inf", "predictions[0].optimum_log_p: expected"},
      {"/optimum/lengths", {1}, "optimum.lengths: expected an array of 2"},
      {"/optimum/member", 1, "optimum.member: expected true or false, found 1"},
      {"/recognition", nlohmann::json::object(), "recognition: expected of a recognizer"},
      {"/readings/4", {1, 2}, "readings[4]: expected an array of 6, found an array of 2"},
      {"/readings/4/2", nullptr, "readings[4][2]: expected a number, found null"},
      {"/readings", nlohmann::json::array(), "readings: expected an array of 5"},
      {"/automaton/states", nlohmann::json::array(), "automaton.states: expected at least one"},
      {"/automaton/symbols/0", 0, "automaton.symbols[0]: expected a string"},
      {"/automaton/vector_size", 4, "readings[0]: expected an array of 8"},
      {"/automaton/window", -1, "automaton.window"},
      {"/automaton/tops/2", {1}, "automaton.tops[2]: expected an array of 2"},
      {"/automaton/transitions/3/0/from/0", 1, "automaton.transitions[3][0].from[0]: expected"},
      {"/automaton/transitions/3/0/transition/1", 1, "automaton.transitions[3][0].transition[1]"},
      {"/automaton/transitions/3/0/probability", "1", "probability: expected a number"},
      {"/automaton/transitions/3/0/probability", 1e300, "probability: expected a number from 0"},
      {"/automaton/tops/2/1", -3, "automaton.tops[2][1]: expected a number from 0 to 1"},
      {"/automaton/tops_given_all/2", {1}, "automaton.tops_given_all[2]: expected an array of 2"},
      {"/automaton/operations/3/pop", 2, "automaton.operations[3].pop: expected a number from 0"},
      {"/automaton/operations/3", 1, "automaton.operations[3]: expected an object"},
      {"/automaton/pushed_in/0", nlohmann::json::array(), "automaton.pushed_in[0]: expected"},
      {"/automaton/runs/0/transitions/0",
       {"pop", 0},
       "automaton.runs[0].transitions[0]: the bottom symbol cannot be popped"},
      {"/automaton/runs/0/transitions/0",
       {"push", 0},
       "automaton.runs[0].transitions[0]: expected an array of 3"},
      {"/automaton/runs/0/transitions/0", {"drop", 0, 0}, "transitions[0][0]: expected push"},
      {"/automaton/runs/0/transitions/0", {"push", 0, 2}, "transitions[0][2]: expected an integer"},
      {"/automaton/runs/0/transitions/0", {"push", 0.5, 1}, "transitions[0][1]: expected"},
      {"/automaton/runs/0/probability", nullptr, "automaton.runs[0].probability: expected"},
      {"/automaton/samples/1/transitions", {1}, "automaton.samples[1].transitions: expected"},
      {"/superposition", nlohmann::json::array(), "superposition: expected null beside"},
  };
  EXPECT_NO_THROW(ReadInspection(good));
  for (const auto& each : cases) {
    nlohmann::json broken = good;
    broken[Pointer(each.place)] = each.value;
    ExpectContains(ErrorMessage([&] { ReadInspection(broken); }), each.message);
  }
  for (const auto& field : good.items()) {
    nlohmann::json broken = good;
    broken.erase(field.key());
    EXPECT_EQ(ErrorMessage([&] { ReadInspection(broken); }), field.key() + ": missing");
  }
  for (const auto& field : good["automaton"].items()) {
    if (field.key().find("heights") != std::string::npos) continue;  // which no figure shows
    nlohmann::json broken = good;
    broken["automaton"].erase(field.key());
    EXPECT_EQ(ErrorMessage([&] { ReadInspection(broken); }),
              "automaton." + field.key() + ": missing");
  }
}

TEST(InspectionInput, SuperpositionStacksAreChecked) {
  const nlohmann::json good = InspectionOf(ModelOfStrings("sup-2-3", 1), "0 1 # 1 0");
  const struct {
    const char* place;
    nlohmann::json value;
    const char* message;
  } cases[] = {
      {"/superposition/1/size", 2, "superposition[1].elements[1][0]: expected an array of 2"},
      {"/superposition/0/actions/0", {1, 0}, "superposition[0].actions[0]: expected an array of 3"},
      {"/superposition/0/weights/2", {1}, "superposition[0].elements[2]: expected an array of 1"},
      {"/superposition/0/norms/2", {1}, "superposition[0].norms[2]: expected an array of 2"},
      {"/superposition/0/elements", 1, "superposition[0].elements: expected an array"},
  };
  for (const auto& each : cases) {
    nlohmann::json broken = good;
    broken[nlohmann::json::json_pointer(each.place)] = each.value;
    ExpectContains(ErrorMessage([&] { ReadInspection(broken); }), each.message);
  }
}

// The state and the stack at the end of a run follow from its transitions.
TEST(InspectionInput, TheEndsOfRunsAreWorkedOut) {
  nlohmann::json inspection = InspectionOf(ModelOfStrings("rns-2-3", 1), "0 1 # 1 0");
  inspection["automaton"]["runs"][0]["transitions"] = {
      {"push", 1, 2}, {"replace", 0, 1}, {"push", 0, 0}, {"pop", 1}};
  inspection["automaton"]["runs"][0]["stack"] = {0, 0, 0, 0, 0, 0};
  const Json run = ReadInspection(inspection)["automaton"]["runs"][0];
  EXPECT_EQ(run["state"], 1);
  EXPECT_EQ(run["stack"], Json({0, 1}));
}

TEST(PcaInput, WhatAnalyzePrintsIsReadAndChecked) {
  const TrainedModel model = ModelOfStrings("rns-1-3", 1);
  const std::vector<std::vector<int>> strings = {{0, 1, 2, 1, 0}, {1, 1, 2, 1, 1}};
  const VectorPca pca = AnalyzeVectors(model, strings, {.components = 2});
  const nlohmann::json good = nlohmann::json::parse(PcaFigure(model, pca, FigureFormat::kJson));
  EXPECT_TRUE(IsPca(good));
  const nlohmann::json read = Plain(ReadPca(good));
  ExpectClose(read, good);
  EXPECT_EQ(Plain(ReadPca(read)), read);
  const struct {
    const char* place;
    nlohmann::json value;
    const char* message;
  } cases[] = {
      {"/model", "rns", "model: expected an object"},
      {"/model/name", 1, "model.name: expected a string"},
      {"/names", {"a"}, "components[0].direction: expected an array of 1"},
      {"/mean", {1}, "mean: expected an array of 3"},
      {"/variances/0", nullptr, "variances[0]: expected a number"},
      {"/components", nlohmann::json::array(), "components: expected at least one"},
      {"/components/0/variance", nullptr, "components[0].variance: expected a number"},
      {"/points/0/projected", {1}, "points[0].projected: expected an array of 2"},
      {"/points/0/symbol", 0, "points[0].symbol: expected a string"},
      {"/points/0/position", -1, "points[0].position: expected an integer"},
      {"/separability/components", nullptr, "separability.components: expected an object"},
      {"/separability/components/silhouette", "1", "silhouette: expected a number"},
  };
  for (const auto& each : cases) {
    nlohmann::json broken = good;
    broken[nlohmann::json::json_pointer(each.place)] = each.value;
    ExpectContains(ErrorMessage([&] { ReadPca(broken); }), each.message);
  }
}

constexpr const char* kEvaluation = R"({"run": "runs/dyck", "split": "test", "whole_set": true,
  "bound": "length", "cross_entropy": 1.5, "lower_bound": 1.25, "by_length": [
    {"length": 3, "strings": 2, "cross_entropy": 1.75, "lower_bound": 1},
    {"length": 5, "strings": 4, "cross_entropy": null, "lower_bound": null}]})";

TEST(EvaluationInput, IsAResultOnTheTestSet) {
  const EvaluationInput evaluation = ReadEvaluation(nlohmann::json::parse(kEvaluation));
  EXPECT_EQ(evaluation.run, "runs/dyck");
  EXPECT_EQ(evaluation.test.cross_entropy, 1.5);
  EXPECT_EQ(evaluation.test.lower_bound, 1.25);
  ASSERT_EQ(evaluation.test.by_length.size(), 2u);
  EXPECT_EQ(evaluation.test.by_length[0].length, 3);
  EXPECT_EQ(evaluation.test.by_length[0].strings, 2);
  EXPECT_EQ(evaluation.test.by_length[0].lower_bound, 1);
  EXPECT_TRUE(std::isnan(evaluation.test.by_length[1].cross_entropy));
  EXPECT_FALSE(evaluation.test.by_length[1].lower_bound);
  // Without a bound, if the language is not known.
  const std::string unbounded = Replaced(kEvaluation, "\"length\",", "null,");
  EXPECT_NO_THROW(ReadEvaluation(nlohmann::json::parse(unbounded)));
  const EvaluationInput text = ReadEvaluation(nlohmann::json::parse(
      R"({"run": "lm", "split": "test", "whole_set": true, "tokens": 7, "cross_entropy": 2.5})"));
  EXPECT_EQ(text.test.cross_entropy, 2.5);
  EXPECT_TRUE(text.test.by_length.empty());
  const struct {
    const char* from;
    const char* to;
    const char* message;
  } cases[] = {
      {"\"test\"", "\"validation\"", "--split test"},
      {"true", "false", "evaluate without --lengths and --data"},
      {"\"length\",", "\"set\",", "--bound length"},
      {"\"runs/dyck\"", "7", "run: expected a string"},
      {"\"strings\": 4", "\"strings\": -4", "by_length[1].strings: expected an integer"},
      {"\"lower_bound\": 1}", "\"lower_bound\": []}", "by_length[0].lower_bound: expected"},
      {"\"by_length\"", "\"by_width\"", "by_length: missing"},
      {"\"cross_entropy\": 1.5,", "", "cross_entropy: missing"},
  };
  for (const auto& each : cases) {
    const std::string broken = Replaced(kEvaluation, each.from, each.to);
    ExpectContains(ErrorMessage([&] { ReadEvaluation(nlohmann::json::parse(broken)); }),
                   each.message);
  }
}

class FileTextTest : public ::testing::Test {
 protected:
  void Add(const std::string& text, const std::string& path = "dir/file.json") {
    AddFileText(text, path, inputs_, evaluations_);
  }

  ReportInputs inputs_;
  std::vector<EvaluationInput> evaluations_;
};

TEST_F(FileTextTest, TheContentSaysWhatAFileIs) {
  const std::string inspection = JsonLine(InspectionOf(ModelOfStrings("lstm", 1), "0 # 0"));
  Add(inspection);
  Add("\ufeff \n" + inspection + "\n" + inspection + "\r\n", "two");
  Add(kEvaluation, "test.json");
  Add("# Comment\nbottom: $\naccept: q\nq a $ -> q $\n", "dir/plain.pda");
  ExperimentResults results;
  results.name = "exported";
  Add(SerializeResults(results), "export.json");
  ASSERT_EQ(inputs_.inspections.size(), 3u);
  EXPECT_EQ(inputs_.inspections[0]["source"], "dir/file.json");
  EXPECT_EQ(inputs_.inspections[1]["source"], "two, line 2");
  EXPECT_EQ(inputs_.inspections[2]["source"], "two, line 4");
  EXPECT_EQ(inputs_.inspections[2]["string"], "0 # 0");
  ASSERT_EQ(evaluations_.size(), 1u);
  EXPECT_EQ(evaluations_[0].source, "test.json");
  ASSERT_EQ(inputs_.automata.size(), 1u);
  EXPECT_EQ(inputs_.automata[0].name, "plain");
  EXPECT_EQ(inputs_.automata[0].source, "dir/plain.pda");
  ASSERT_EQ(inputs_.results.size(), 1u);
  EXPECT_EQ(inputs_.results[0].results.name, "exported");
  EXPECT_EQ(inputs_.results[0].path, "export.json");
}

TEST_F(FileTextTest, ErrorsNameTheFileTheLineAndTheField) {
  std::string inspection = JsonLine(InspectionOf(ModelOfStrings("lstm", 1), "0 # 0"));
  const std::string broken = Replaced(inspection, "\"hidden_units\":5", "\"hidden_units\":[]");
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {inspection + broken, "dir/file.json: line 2: hidden_units: expected an integer"},
      {inspection + "{\"kind\": ", "dir/file.json: line 2: kind: "},
      {"{\n\"run\": \"a\",\n\"split\": 7}", "dir/file.json: split: expected a string, found 7"},
      {"", "dir/file.json: is empty"},
      {" \n\t", "dir/file.json: is empty"},
      {"\xff", "dir/file.json: is no text"},
      {std::string("{\0}", 3), "dir/file.json: is no text"},
      {"{}", "dir/file.json: line 1: is JSON of another kind; a page is made of"},
      {"{\"names\": [], \"strings\": []}", "`pushdown inspect MODEL STRING --json`"},
      {"{\"parts\": []}", "`pushdown inspect MODEL STRING --json`"},
      {"{\"runs\": 10, \"cells\": []}", "--against"},
      {"{\"what\": \"else\"}", "is no export"},
      {"task = \"dyck\"\n", "dir/file.json:1:"},
      {"[1]", "is read as an automaton"},
      {"{\"a\": [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]}", "deep"},
  };
  for (const auto& each : cases) {
    ExpectContains(ErrorMessage([&] { Add(each.text); }), each.message);
  }
}

}  // namespace
}  // namespace pushdown
