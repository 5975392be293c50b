#include "pushdown/analysis/inspection_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/analysis/inspected_models.h"

namespace pushdown {
namespace {

using testing_analysis::ModelOfStrings;

std::set<std::string> Fields(const Json& json) {
  std::set<std::string> fields;
  for (const auto& [key, value] : json.items()) fields.insert(key);
  return fields;
}

TEST(InspectionJson, HasWhatAnRnsDoes) {
  const Inspector inspector(ModelOfStrings("rns-1-1", 0), LengthRange{1, 5});
  const Json json = InspectionJson(inspector.Inspect("0 # 1", {.runs = 2, .samples = 3}),
                                   {.min_probability = 0.3});
  EXPECT_EQ(Fields(json),
            (std::set<std::string>{"kind", "model", "hidden_units", "string", "inputs",
                                   "predictions", "log_p", "optimum", "recognition", "readings",
                                   "automaton", "superposition"}));
  EXPECT_EQ(json["kind"], "strings");
  EXPECT_EQ(json["model"], "rns-1-1");
  EXPECT_EQ(json["string"], "0 # 1");
  EXPECT_EQ(json["inputs"], Json({"0", "#", "1"}));
  ASSERT_EQ(json["predictions"].size(), 4u);
  EXPECT_EQ(json["predictions"][1]["symbol"], "#");
  EXPECT_NEAR(json["predictions"][1]["log_p"], -std::log(4.0), 1e-6);
  EXPECT_NEAR(json["predictions"][1]["optimum_log_p"], std::log(0.5), 1e-12);
  EXPECT_EQ(json["predictions"][2]["optimum_log_p"], "-inf");
  EXPECT_EQ(json["predictions"][3]["symbol"], "<eos>");
  EXPECT_TRUE(json["predictions"][3]["optimum_log_p"].is_null()) << "no string begins so";
  EXPECT_NEAR(json["log_p"], -4 * std::log(4.0), 1e-5);
  EXPECT_EQ(json["optimum"]["lengths"], Json({1, 5}));
  EXPECT_EQ(json["optimum"]["log_p"], "-inf");
  EXPECT_EQ(json["optimum"]["member"], false);
  EXPECT_EQ(json["optimum"]["objection"], "position 3: found \"1\", expected \"0\"");
  EXPECT_TRUE(json["recognition"].is_null());
  EXPECT_TRUE(json["superposition"].is_null());
  EXPECT_EQ(json["readings"].size(), 3u);

  const Json& automaton = json["automaton"];
  EXPECT_EQ(Fields(automaton),
            (std::set<std::string>{"states", "symbols", "vector_size", "window", "log_weight",
                                   "tops", "tops_given_all", "transitions", "operations",
                                   "expected_heights", "expected_heights_given_all", "heights",
                                   "pushed_in", "runs", "samples"}));
  EXPECT_EQ(automaton["states"], Json({"q0"}));
  EXPECT_EQ(automaton["symbols"], Json({"⊥"}));
  EXPECT_EQ(automaton["tops"].size(), 3u);
  ASSERT_EQ(automaton["transitions"].size(), 2u);
  ASSERT_EQ(automaton["transitions"][1].size(), 2u) << "pop is less probable than 0.3";
  EXPECT_EQ(automaton["transitions"][1][0]["from"], Json({0, 0}));
  EXPECT_EQ(automaton["transitions"][1][0]["transition"], Json({"push", 0, 0}));
  EXPECT_NEAR(automaton["transitions"][1][0]["probability"], 0.4, 1e-6);
  // All transitions count here.
  ASSERT_EQ(automaton["operations"].size(), 2u);
  EXPECT_NEAR(automaton["operations"][1]["push"], 0.4, 1e-6);
  EXPECT_NEAR(automaton["operations"][1]["replace"], 0.4, 1e-6);
  EXPECT_NEAR(automaton["operations"][1]["pop"], 0.2, 1e-6);
  EXPECT_EQ(automaton["tops_given_all"].size(), 3u);
  EXPECT_EQ(automaton["heights"][2].size(), 3u);
  EXPECT_EQ(automaton["pushed_in"][1].size(), 2u);
  EXPECT_EQ(automaton["expected_heights"].size(), 3u);
  EXPECT_EQ(automaton["runs"].size(), 2u);
  EXPECT_EQ(automaton["samples"].size(), 3u);
}

TEST(InspectionJson, WhatIsNotKnownIsNull) {
  Inspection inspection;
  inspection.predictions.push_back({.symbol = "a", .log_p = -1});
  inspection.optimum.emplace();
  const Json json = InspectionJson(inspection);
  EXPECT_TRUE(json["predictions"][0]["optimum_log_p"].is_null());
  EXPECT_TRUE(json["optimum"]["log_p"].is_null());
  EXPECT_TRUE(json["optimum"]["member"].is_null());
  EXPECT_TRUE(json["optimum"]["objection"].is_null());
}

TEST(InspectionJson, HasWhatSuperpositionStacksDo) {
  const Json json =
      InspectionJson(Inspector(ModelOfStrings("sup-3-2", 1)).Inspect("0 1 # 1", {.depths = 2}));
  EXPECT_TRUE(json["automaton"].is_null());
  EXPECT_TRUE(json["optimum"].is_null());
  ASSERT_EQ(json["superposition"].size(), 2u);
  const Json& stack = json["superposition"][0];
  EXPECT_EQ(Fields(stack),
            (std::set<std::string>{"size", "actions", "weights", "norms", "elements"}));
  EXPECT_EQ(stack["size"], 3);
  EXPECT_EQ(stack["actions"].size(), 3u);
  EXPECT_EQ(stack["actions"][0].size(), 3u);
  EXPECT_EQ(stack["weights"].size(), 4u);
  EXPECT_EQ(stack["weights"][0].size(), 0u);
  EXPECT_EQ(stack["norms"][3].size(), 2u);
  EXPECT_EQ(stack["elements"][3].size(), 2u);
  EXPECT_EQ(stack["elements"][3][1].size(), 3u);
}

}  // namespace
}  // namespace pushdown
