// What is known of a run, from files that are written by hand.

#include "pushdown/experiment/run_record.h"
#include "pushdown/experiment/run_record_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "tests/experiment/checks.h"
#include "tests/temporary_directory.h"

namespace pushdown {
namespace {

using testing_experiment::ErrorMessage;
using testing_experiment::ExpectContains;
using testing_files::TemporaryDirectory;

constexpr const char* kSummary = R"({
  "model": "lstm", "finished": true, "stopped_by": "patience", "epochs": 7,
  "learning_rate": 0.0025, "seconds": 12.5, "best_epoch": 4,
  "validation_cross_entropy": 1.25, "difference": 0.75
})";
constexpr const char* kTest = R"({
  "split": "test", "cross_entropy": 1.5, "lower_bound": 0.5,
  "columns": ["length", "strings", "cross_entropy", "lower_bound"],
  "by_length": [[3, 2, 1.25, 0.25], [5, 4, 1.75]]
})";

class RunRecordTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) const {
    directory_.Write("run/" + name, text);
  }
  std::string Path(const std::string& name = "") const {
    return directory_.path() + "/run" + (name.empty() ? "" : "/" + name);
  }
  RunRecord Record() const { return ReadRunRecord(Path()); }

 private:
  TemporaryDirectory directory_;
};

TEST_F(RunRecordTest, ARunWithoutADirectoryIsToDo) {
  EXPECT_EQ(Record().state, RunState::kToDo);
  Write("metrics.jsonl", "{\"epoch\": 1}\n");  // not a run without config.json
  EXPECT_EQ(Record().state, RunState::kToDo);
  EXPECT_EQ(Record().epochs, 0);
}

TEST_F(RunRecordTest, ARunWithoutAnEpochHasBegun) {
  Write("config.json", "{}");
  const RunRecord record = Record();
  EXPECT_EQ(record.state, RunState::kBegun);
  EXPECT_EQ(record.epochs, 0);
  EXPECT_EQ(record.best_epoch, 0);
  EXPECT_FALSE(record.validation_cross_entropy);
  EXPECT_FALSE(record.difference);
  EXPECT_FALSE(record.test);
}

TEST_F(RunRecordTest, ARunThatHasBegunIsKnownByItsMetrics) {
  Write("config.json", "{}");
  // The second epoch is the best one, and the last line is half written.
  Write("metrics.jsonl",
        R"({"epoch":1,"validation_cross_entropy":2.5,"difference":1.5,"learning_rate":0.01}
{"epoch":2,"validation_cross_entropy":1.5,"difference":0.5,"learning_rate":0.009}
{"epoch":3,"validation_cross_entropy":1.75,"difference":0.75,"learning_rate":0.008}
{"epoch":4,"validation_cross_)");
  const RunRecord record = Record();
  EXPECT_EQ(record.state, RunState::kBegun);
  EXPECT_EQ(record.epochs, 3);
  EXPECT_EQ(record.best_epoch, 2);
  EXPECT_EQ(record.validation_cross_entropy, 1.5);
  EXPECT_EQ(record.difference, 0.5);
  EXPECT_EQ(record.learning_rate, 0.01);
}

TEST_F(RunRecordTest, AFinishedRunIsKnownByItsSummary) {
  Write("config.json", "{}");
  Write("summary.json", kSummary);
  Write("test.json", kTest);
  // It is not read again.
  Write("metrics.jsonl", R"({"epoch":1,"validation_cross_entropy":0.1,"difference":0.1})");
  const RunRecord record = Record();
  EXPECT_EQ(record.state, RunState::kFinished);
  EXPECT_EQ(record.epochs, 7);
  EXPECT_EQ(record.best_epoch, 4);
  EXPECT_EQ(record.validation_cross_entropy, 1.25);
  EXPECT_EQ(record.difference, 0.75);
  EXPECT_EQ(record.learning_rate, 0.0025);
  EXPECT_FALSE(record.clipping);
  EXPECT_EQ(record.seconds, 12.5);
  EXPECT_EQ(record.stopped_by, "patience");
  ASSERT_TRUE(record.test);
  EXPECT_EQ(record.test->cross_entropy, 1.5);
  EXPECT_EQ(record.test->lower_bound, 0.5);
  ASSERT_EQ(record.test->by_length.size(), 2u);
  EXPECT_EQ(record.test->by_length[0].length, 3);
  EXPECT_EQ(record.test->by_length[0].strings, 2);
  EXPECT_EQ(record.test->by_length[0].cross_entropy, 1.25);
  EXPECT_EQ(record.test->by_length[0].lower_bound, 0.25);
  EXPECT_EQ(record.test->by_length[1].length, 5);
  EXPECT_FALSE(record.test->by_length[1].lower_bound);
}

TEST_F(RunRecordTest, ASummaryOfARunThatIsNotFinishedDoesNotFinishIt) {
  Write("config.json", "{}");
  Write("summary.json", R"({"finished": false, "epochs": 2})");
  EXPECT_EQ(Record().state, RunState::kBegun);
  EXPECT_EQ(Record().epochs, 2);
}

TEST_F(RunRecordTest, ATestFileWithoutATestSetIsNoResult) {
  Write("config.json", "{}");
  Write("summary.json", kSummary);
  Write("test.json", R"({"split": null})");
  EXPECT_EQ(Record().state, RunState::kFinished);
  EXPECT_FALSE(Record().test);
}

// JSON has no infinity; a table of many runs must not be lost to one of them.
TEST_F(RunRecordTest, ATestResultThatIsNotFiniteIsNoScore) {
  Write("config.json", "{}");
  Write("summary.json", kSummary);
  Write("test.json",
        R"({"cross_entropy": null, "lower_bound": 0.5, "by_length": [[3, 2, null, 0.5]]})");
  const RunRecord record = Record();
  ASSERT_TRUE(record.test);
  for (const Measure measure :
       {Measure::kDifference, Measure::kCrossEntropy, Measure::kPerplexity}) {
    EXPECT_FALSE(TestScoreOf(record, measure));
  }
  EXPECT_EQ(TestRecordJson(*record.test)["cross_entropy"].dump(), "null");
  const RunRecord again = ReadRunRecordJson(nlohmann::json::parse(RunRecordJson(record).dump()));
  EXPECT_FALSE(TestScoreOf(again, Measure::kCrossEntropy));
  ASSERT_EQ(again.test->by_length.size(), 1u);
  EXPECT_TRUE(std::isnan(again.test->by_length[0].cross_entropy));
}

TEST_F(RunRecordTest, BrokenFilesAreErrorsThatNameThem) {
  Write("config.json", "{}");
  Write("summary.json", kSummary);
  Write("test.json", kTest);
  const struct {
    const char* file;
    const char* text;
  } cases[] = {
      {"summary.json", ""},
      {"summary.json", "{\"finished\": tr"},
      {"summary.json", "[1]"},
      {"summary.json", "{\"finished\": 1}"},
      {"summary.json", "{\"finished\": true, \"epochs\": 1e300}"},
      {"summary.json", "{\"finished\": true, \"best_epoch\": -1}"},
      {"summary.json", "{\"seconds\": 1e999}"},
      {"test.json", "{\"cross_entropy\": 1"},
      {"test.json", "null"},
      {"test.json", "{\"cross_entropy\": \"1\"}"},
      {"test.json", "{\"cross_entropy\": 1, \"by_length\": 3}"},
      {"test.json", "{\"cross_entropy\": 1, \"by_length\": [[3]]}"},
      {"test.json", "{\"cross_entropy\": 1, \"by_length\": [[1e300, 2, 1]]}"},
  };
  for (const auto& each : cases) {
    const std::string good = std::string(each.file) == "test.json" ? kTest : kSummary;
    Write(each.file, each.text);
    ExpectContains(ErrorMessage([&] { Record(); }), Path(each.file) + ": ");
    Write(each.file, good);
    EXPECT_EQ(Record().state, RunState::kFinished) << each.text;
  }
}

// The curve, as JSON writes it.
class RunDetailsTest : public RunRecordTest {
 protected:
  RunRecord Details(Measure measure) const {
    RunRecord record;
    ReadRunDetails(Path(), measure, record);
    return record;
  }
  std::string Curve(Measure measure) const { return Json(Details(measure).curve).dump(); }
};

TEST_F(RunDetailsTest, CurvesAreOfTheMeasure) {
  EXPECT_EQ(Curve(Measure::kDifference), "[]");
  Write("config.json", "{}");
  Write("metrics.jsonl",
        R"({"epoch":1,"validation_cross_entropy":2.123456789,"difference":1.000004}
{"epoch":2,"validation_cross_entropy":1,"difference":-0.1}
[]
{"epoch":3,"valid)");
  // Five digits, which is enough for charts.
  EXPECT_EQ(Curve(Measure::kDifference), "[1.0,-0.1]");
  EXPECT_EQ(Curve(Measure::kCrossEntropy), "[2.1235,1.0]");
  // e^2.123456789 = 8.35999..., e = 2.71828...
  EXPECT_EQ(Curve(Measure::kPerplexity), "[8.36,2.7183]");
}

// The others stay at their epochs.
TEST_F(RunDetailsTest, ACurveHasNoInfinitePerplexities) {
  Write("config.json", "{}");
  Write("metrics.jsonl", R"({"epoch":1,"validation_cross_entropy":1e5}
{"epoch":2,"validation_cross_entropy":0})");
  EXPECT_EQ(Curve(Measure::kPerplexity), "[null,1.0]");
}

TEST_F(RunDetailsTest, RatesAreThoseThatChange) {
  Write("config.json", "{}");
  Write("metrics.jsonl", R"({"epoch":1,"learning_rate":0.5}
{"epoch":2,"learning_rate":0.5}
{"epoch":3,"learning_rate":0.25}
{"epoch":4,"learning_rate":0.25}
{"epoch":5,"learning_rate":0.5})");
  EXPECT_EQ(Details(Measure::kDifference).rates,
            (std::vector<RateChange>{{1, 0.5}, {3, 0.25}, {5, 0.5}}));
}

TEST_F(RunDetailsTest, SayWhatTheRunBeganWith) {
  Write("config.json", R"({"settings": {"seed": 9007199254740993}, "kernels": "SIMD target avx3",
                           "machine": {"cpu": "a CPU"}})");
  // The first line is of an earlier version, which did not say when; the second session is another.
  Write("timing.jsonl", R"({"event": "session", "pushdown": "0.1.0"}
{"event": "session", "pushdown": "0.2.0", "revision": "abcdef0", "begun": "2026-11-18T03:10:00Z"})");
  RunRecord record = Details(Measure::kDifference);
  EXPECT_EQ(record.seed, 9007199254740993u);
  EXPECT_EQ(record.machine, "a CPU; SIMD target avx3");
  EXPECT_EQ(record.version, "0.1.0");
  EXPECT_EQ(record.revision, "");
  EXPECT_EQ(record.begun, "");
  Write("timing.jsonl", R"({"event": "ses
{"event": "session", "pushdown": "0.2.0", "revision": "abcdef0", "begun": "2026-11-18T03:10:00Z"})");
  record = Details(Measure::kDifference);
  EXPECT_EQ(record.version, "0.2.0");
  EXPECT_EQ(record.revision, "abcdef0");
  EXPECT_EQ(record.begun, "2026-11-18T03:10:00Z");
}

TEST_F(RunDetailsTest, ABrokenConfigurationIsAnError) {
  for (const char* text : {"", "[]", "{\"machine\": {\"cpu\": 1"}) {
    Write("config.json", text);
    ExpectContains(ErrorMessage([&] { Details(Measure::kDifference); }),
                   Path("config.json") + ": ");
  }
  Write("config.json", R"({"machine": 7, "settings": [], "kernels": null})");
  EXPECT_EQ(Details(Measure::kDifference).machine, "");
}

TEST(Measures, AreThoseOfTheValidationAndTheTestSet) {
  RunRecord record;
  for (const Measure measure :
       {Measure::kDifference, Measure::kCrossEntropy, Measure::kPerplexity}) {
    EXPECT_FALSE(ScoreOf(record, measure));
    EXPECT_FALSE(TestScoreOf(record, measure));
  }
  record.validation_cross_entropy = std::log(20.0);
  record.difference = 0.25;
  record.test = TestRecord{.cross_entropy = std::log(30.0)};
  EXPECT_EQ(ScoreOf(record, Measure::kDifference), 0.25);
  EXPECT_EQ(ScoreOf(record, Measure::kCrossEntropy), std::log(20.0));
  EXPECT_NEAR(*ScoreOf(record, Measure::kPerplexity), 20, 1e-12);
  EXPECT_NEAR(*TestScoreOf(record, Measure::kPerplexity), 30, 1e-12);
  EXPECT_EQ(TestScoreOf(record, Measure::kCrossEntropy), std::log(30.0));
  EXPECT_FALSE(TestScoreOf(record, Measure::kDifference));  // the bound is not known
  record.test->lower_bound = std::log(10.0);
  EXPECT_NEAR(*TestScoreOf(record, Measure::kDifference), std::log(3.0), 1e-12);
}

TEST(Measures, HaveNames) {
  for (const Measure measure :
       {Measure::kDifference, Measure::kCrossEntropy, Measure::kPerplexity}) {
    EXPECT_EQ(ParseMeasure(MeasureName(measure)), measure);
  }
  EXPECT_EQ(MeasureName(Measure::kCrossEntropy), std::string("cross-entropy"));
  ExpectContains(ErrorMessage([] { ParseMeasure("accuracy"); }),
                 "difference, cross-entropy or perplexity");
}

}  // namespace
}  // namespace pushdown
