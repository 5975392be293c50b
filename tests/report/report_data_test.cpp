// The data of a page, beside numbers that are worked out by hand.

#include "pushdown/report/report_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/formal/automaton_format.h"
#include "pushdown/report/json_field.h"
#include "pushdown/report/report_page.h"

namespace pushdown {
namespace {

RunRecord Finished(double difference) {
  RunRecord record;
  record.state = RunState::kFinished;
  record.epochs = 3;
  record.best_epoch = 2;
  record.validation_cross_entropy = 1 + difference;
  record.difference = difference;
  record.learning_rate = 0.0123456;
  record.seconds = 2.5;
  record.stopped_by = "patience";
  return record;
}

ResultsInput OneCell(std::vector<RunRecord> runs) {
  ResultsInput input;
  input.results.name = "one";
  input.results.title = "One cell";
  input.results.solved = 0.05;
  input.results.cells = {{.name = "task=dyck,model=lstm",
                          .keys = {{"task", "dyck"}, {"model", "lstm"}},
                          .runs = std::move(runs)}};
  input.path = "runs/one";
  return input;
}

Json DataOf(const ResultsInput& input,
            const std::optional<PublishedResults>& published = std::nullopt) {
  return ResultsJson(input, MakeTable(input.results, {}, published));
}

TEST(ReportNumbers, AreShort) {
  EXPECT_EQ(ShortNumber(0.1234567).dump(), "0.12346");
  EXPECT_EQ(ShortNumber(0.1234567, 4).dump(), "0.1235");
  EXPECT_EQ(ShortNumber(0).dump(), "0");
  EXPECT_EQ(ShortNumber(-2).dump(), "-2");
  EXPECT_EQ(ShortNumber(1e300).dump(), "1e+300");
  EXPECT_EQ(ShortNumber(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(ShortNumber(std::nan("")).dump(), "null");
  EXPECT_EQ(ShortNumber(1e-9).dump(), "1e-09");
  // In tables of probabilities, nobody can see so little.
  EXPECT_EQ(ShortNumbers(std::vector<double>{1e-9, 0.25, 1}).dump(), "[0,0.25,1]");
}

// Lengths 3, 5 and 9 of a set: the bound of a model that must predict the length, too, is higher by
// log(3) / (length + 1).
TEST(ReportData, TheBoundOfTheSetFollowsFromThatOfEachLength) {
  RunRecord record;
  record.test =
      TestRecord{.cross_entropy = 1.5,
                 .by_length = {{3, 10, 1.25, 0.25}, {5, 20, 0.75, 0.5}, {9, 30, 0.5, {}}}};
  const Json columns = ByLengthJson(record);
  EXPECT_EQ(columns["lengths"], Json({3, 5, 9}));
  EXPECT_EQ(columns["strings"], Json({10, 20, 30}));
  EXPECT_EQ(columns["cross_entropy"], Json({1.25, 0.75, 0.5}));
  EXPECT_EQ(columns["difference_length"], Json({1, 0.25, nullptr}));
  ASSERT_EQ(columns["difference_set"].size(), 3u);
  // 1 - 1.098612 / 4 = 0.7253 and 0.25 - 1.098612 / 6 = 0.0669.
  EXPECT_NEAR(columns["difference_set"][0], 0.7253, 1e-4);
  EXPECT_NEAR(columns["difference_set"][1], 0.0669, 1e-4);
  EXPECT_TRUE(columns["difference_set"][2].is_null());
  record.test->by_length.clear();
  EXPECT_TRUE(ByLengthJson(record).is_null());
  EXPECT_TRUE(ByLengthJson(RunRecord()).is_null());
}

TEST(ReportData, ACellHasItsSummaryAndItsRuns) {
  RunRecord first = Finished(0.25);
  first.rates = {{1, 0.0123456}, {3, 0.005}};
  first.curve = {1, 0.25, std::nan("")};
  first.machine = "a CPU";
  first.version = "0.1.0";
  first.revision = "de7aad8";
  first.begun = "2026-11-18T03:10:00Z";
  first.seed = 7;
  first.test = TestRecord{.cross_entropy = 2, .lower_bound = 1.5};
  RunRecord best = Finished(0.01);
  best.test = TestRecord{.cross_entropy = 1.75, .lower_bound = 1.5};
  best.seed = 18446744073709551615u;
  RunRecord failed;
  failed.state = RunState::kFailed;
  failed.failure = "why";
  ResultsInput input = OneCell({first, best, failed});
  input.results.cells[0].training_lengths = {40, 80};
  const Json data = DataOf(input);
  EXPECT_EQ(data["name"], "one");
  EXPECT_EQ(data["title"], "One cell");
  EXPECT_EQ(data["kind"], "strings");
  EXPECT_EQ(data["measure"], "difference");
  EXPECT_EQ(data["solved"], 0.05);
  EXPECT_EQ(data["path"], "runs/one");
  EXPECT_EQ(data["keys"], Json({"task", "model"}));
  EXPECT_TRUE(data["published"].is_null());
  ASSERT_EQ(data["cells"].size(), 1u);
  const Json& cell = data["cells"][0];
  EXPECT_EQ(cell["name"], "task=dyck,model=lstm");
  EXPECT_EQ(cell["values"], Json({{"task", "dyck"}, {"model", "lstm"}}));
  EXPECT_EQ(cell["training_lengths"], Json({40, 80}));
  EXPECT_EQ(cell["runs"], 3);
  EXPECT_EQ(cell["finished"], 2);
  EXPECT_EQ(cell["failed"], 1);
  EXPECT_EQ(cell["best"], 0.01);
  EXPECT_EQ(cell["mean"], 0.13);
  EXPECT_NEAR(cell["sd"], 0.24 / std::sqrt(2.0), 1e-5);
  EXPECT_EQ(cell["median"], 0.13);
  EXPECT_EQ(cell["solved"], 0.5);
  EXPECT_EQ(cell["epochs"], 3);
  EXPECT_EQ(cell["seconds"], 5);
  EXPECT_EQ(cell["test"], 0.25);
  EXPECT_EQ(cell["best_run"], 1);
  EXPECT_TRUE(cell["comparison"].is_null());
  ASSERT_EQ(cell["restarts"].size(), 3u);
  const Json& run = cell["restarts"][0];
  EXPECT_EQ(run["name"], "task=dyck,model=lstm/restart-1");
  EXPECT_EQ(run["state"], "finished");
  EXPECT_EQ(run["epochs"], 3);
  EXPECT_EQ(run["best_epoch"], 2);
  EXPECT_EQ(run["score"], 0.25);
  EXPECT_EQ(run["test_score"], 0.5);
  EXPECT_EQ(run["learning_rate"], 0.012346);
  EXPECT_EQ(run["rates"].dump(), "[[1,0.012346],[3,0.005]]");
  EXPECT_TRUE(run["clipping"].is_null());
  EXPECT_EQ(run["seed"], 7);
  EXPECT_EQ(run["stopped_by"], "patience");
  EXPECT_EQ(run["machine"], "a CPU");
  EXPECT_EQ(run["version"], "0.1.0");
  EXPECT_EQ(run["revision"], "de7aad8");
  EXPECT_EQ(run["begun"], "2026-11-18T03:10:00Z");
  EXPECT_EQ(run["curve"].dump(), "[1,0.25,null]");
  EXPECT_TRUE(run["by_length"].is_null());
  // JavaScript would round it.
  EXPECT_EQ(cell["restarts"][1]["seed"], "18446744073709551615");
  EXPECT_EQ(cell["restarts"][2]["state"], "failed");
  EXPECT_EQ(cell["restarts"][2]["failure"], "why");
  EXPECT_TRUE(cell["restarts"][2]["score"].is_null());
}

TEST(ReportData, ACellWithoutFinishedRunsHasNoNumbers) {
  const Json cell = DataOf(OneCell({RunRecord()}))["cells"][0];
  for (const char* name : {"best", "mean", "sd", "median", "lower_quartile", "upper_quartile",
                           "solved", "epochs", "test", "best_run", "training_lengths"}) {
    EXPECT_TRUE(cell[name].is_null()) << name;
  }
  EXPECT_EQ(cell["restarts"][0]["state"], "to do");
}

TEST(ReportData, OneRunHasNoDeviation) {
  const Json cell = DataOf(OneCell({Finished(0.25)}))["cells"][0];
  EXPECT_EQ(cell["mean"], 0.25);
  EXPECT_TRUE(cell["sd"].is_null());
}

TEST(ReportData, TextIsMeasuredByPerplexityAndSolvesNothing) {
  ResultsInput input = OneCell({Finished(0)});
  input.results.kind = DataKind::kText;
  input.results.measure = Measure::kPerplexity;
  const Json data = DataOf(input);
  EXPECT_EQ(data["kind"], "text");
  EXPECT_EQ(data["cells"][0]["best"], 2.7183);
  EXPECT_TRUE(data["cells"][0]["solved"].is_null());
}

TEST(ReportData, PublishedNumbersAreBesideOurs) {
  const PublishedResults published = {
      .source = "a paper",
      .runs = 10,
      .cells = {{.keys = {{"task", "dyck"}, {"model", "lstm"}}, .mean = 0.5, .sd = 0.1},
                {.keys = {{"task", "dyck"}, {"model", "rns-2-3"}}, .best = 0.125, .test = 0.25}}};
  const Json data = DataOf(OneCell({Finished(0.25), Finished(0.125)}), published);
  EXPECT_EQ(data["published"]["source"], "a paper");
  EXPECT_EQ(data["published"]["runs"], 10);
  ASSERT_EQ(data["published"]["cells"].size(), 2u);
  EXPECT_EQ(data["published"]["cells"][1].dump(),
            R"({"values":{"task":"dyck","model":"rns-2-3"},"mean":null,"sd":null,)"
            R"("best":0.125,"test":0.25})");
  const Json& comparison = data["cells"][0]["comparison"];
  EXPECT_EQ(comparison["mean"], 0.5);
  EXPECT_TRUE(comparison["best"].is_null());
  EXPECT_LT(comparison["t"].get<double>(), 0);
  EXPECT_TRUE(comparison["p"].is_number());
  EXPECT_EQ(comparison["adjusted_p"], comparison["p"]);  // of one test
  EXPECT_TRUE(comparison["differs"].is_boolean());
  EXPECT_EQ(comparison["mean_interval"].dump(), "[0.125,0.25]");
  // Without a test, there is no p.
  const Json untested = DataOf(OneCell({Finished(0.25)}), published);
  EXPECT_TRUE(untested["cells"][0]["comparison"]["adjusted_p"].is_null());
  EXPECT_EQ(untested["cells"][0]["comparison"]["differs"], false);
}

// An export may have cells that differ in nothing which it says. Tables take them together.
TEST(ReportData, CellsOfTheSameSettingsAreOne) {
  ResultsInput input = OneCell({Finished(0.25)});
  CellResults other = input.results.cells[0];
  other.name = "other";
  other.runs = {Finished(0.125)};
  input.results.cells.push_back(other);
  const Json data = DataOf(input);
  ASSERT_EQ(data["cells"].size(), 1u);
  EXPECT_EQ(data["cells"][0]["best_run"], 1);
  EXPECT_EQ(data["cells"][0]["restarts"][1]["name"], "other/restart-1");
}

TEST(ReportData, AnAutomatonIsInNumbers) {
  const AutomatonInput input = {
      .name = "n",
      .source = "n.pda",
      .recognizer = true,
      .automaton = ParseAutomaton("bottom: $\naccept: q, r X\nq a $ -> q $ X\nq eps X -> r eps\n")};
  const Json data = AutomatonJson(input, 10);
  EXPECT_EQ(data["kind"], "recognizer");
  EXPECT_EQ(data["inputs"], Json({"a"}));
  EXPECT_EQ(data["states"], Json({"q", "r"}));
  EXPECT_EQ(data["stack_symbols"], Json({"$", "X"}));
  EXPECT_EQ(data["transitions"].dump(), R"([{"from":[0,0],"input":0,"to":0,"pushed":[0,1]},)"
                                        R"({"from":[0,1],"input":null,"to":1,"pushed":[]}])");
  EXPECT_EQ(data["accepting"].dump(), "[[[0,0],[1,1]]]");
  EXPECT_NE(data["layout"].is_null(), data["note"].is_null());
  if (data["layout"].is_null()) GTEST_SKIP() << data["note"];
  const Json& layout = data["layout"];
  EXPECT_EQ(layout["states"].size(), 2u);
  EXPECT_EQ(layout["start"]["path"].get<std::string>().substr(0, 1), "M");
  ASSERT_EQ(layout["edges"].size(), 2u);
  EXPECT_EQ(layout["edges"][1]["from"], 0);
  EXPECT_EQ(layout["edges"][1]["to"], 1);
  EXPECT_EQ(layout["edges"][1]["transitions"], Json({1}));
  EXPECT_EQ(layout["edges"][1]["tip"].size(), 2u);
  EXPECT_EQ(layout["edges"][1]["label"].size(), 2u);
  EXPECT_NE(layout["edges"][1]["path"].get<std::string>().find("C"), std::string::npos);
}

// A hundred runs of 200 epochs, tested on 61 lengths.
TEST(ReportData, IsSmall) {
  ResultsInput input;
  for (int n = 0; n < 10; ++n) {
    CellResults& cell = input.results.cells.emplace_back();
    const std::string model = "vrns-2-1-" + std::to_string(n);
    cell.name = "task=unmarked-reversal,model=" + model;
    cell.keys = {{"task", "unmarked-reversal"}, {"model", model}};
    for (int restart = 0; restart < 10; ++restart) {
      RunRecord& record = cell.runs.emplace_back(Finished(1.0 / (3 + n + restart)));
      record.machine = "AMD EPYC 7543 32-Core Processor; SIMD target avx2, OpenBLAS for Zen";
      record.revision = "de7aad8";
      record.begun = "2026-11-18T03:10:00Z";
      record.seed = 4294967295u;
      for (int change = 1; change < 10; ++change) {
        record.rates.push_back({20 * change, 0.0012345 / change});
      }
      for (int epoch = 1; epoch <= 200; ++epoch) record.curve.push_back(0.123451 / epoch);
      TestRecord& test = record.test.emplace();
      for (int length = 40; length <= 100; ++length) {
        test.by_length.push_back({length, 100, 1.234567 / length, 1.111111 / length});
      }
    }
  }
  EXPECT_LT(FillTemplate("PUSHDOWN-TITLEPUSHDOWN-DATA", "", DataOf(input)).size(), 700000u);
}

}  // namespace
}  // namespace pushdown
