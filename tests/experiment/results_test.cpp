// Exports, and the results of runs that belong to no experiment.

#include "pushdown/experiment/results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/experiment/result_table.h"
#include "pushdown/version.h"
#include "tests/experiment/checks.h"
#include "tests/mutation.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;
using testing_experiment::ErrorMessage;
using testing_experiment::ExpectContains;
using testing_experiment::Replaced;
using testing_files::TemporaryDirectory;
using testing_runs::SmallRun;
using testing_runs::SmallTextRun;

RunRecord FinishedRun(int n) {
  RunRecord record;
  record.state = RunState::kFinished;
  record.epochs = 100;
  record.best_epoch = 90;
  record.validation_cross_entropy = 1.0 + 1.0 / (3 + n);
  record.difference = 1.0 / (3 + n);
  record.learning_rate = 0.01 / (3 + n);
  record.seconds = 1234.5678 / (1 + n);
  record.stopped_by = "no improvement";
  record.machine = "AMD EPYC 7543 32-Core Processor; SIMD target avx2, OpenBLAS for Zen";
  record.version = "0.1.0";
  record.revision = "de7aad8-dirty";
  record.begun = "2026-11-18T03:10:00Z";
  record.seed = 4294967295u;
  record.rates = {{1, 0.0033333}, {60, 0.0029999}};
  for (int epoch = 0; epoch < 100; ++epoch) record.curve.push_back(0.12345 + epoch * 0.00001);
  return record;
}

ExperimentResults ResultsInMemory(int cells, int runs) {
  ExperimentResults results;
  results.name = "large";
  results.source = "task = \"unmarked-reversal\"\n";
  for (int c = 0; c < cells; ++c) {
    const std::string symbols = std::to_string(c);
    CellResults& cell = results.cells.emplace_back();
    cell.name = "task=unmarked-reversal,symbols=" + symbols + ",model=vrns-2-1-3";
    cell.training_lengths = {40, 80};
    cell.keys = {{"task", "unmarked-reversal"}, {"symbols", symbols}, {"model", "vrns-2-1-3"}};
    for (int n = 0; n < runs; ++n) cell.runs.push_back(FinishedRun(c * runs + n));
  }
  return results;
}

// The paper's experiment on capacity, which is to be committed with its curves.
TEST(Export, IsSmall) {
  const std::string text = SerializeResults(ResultsInMemory(126, 10));
  EXPECT_LT(text.size(), 2100000u);
  // A line for each run, so that its changes can be read.
  EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 1260);
  EXPECT_EQ(ParseResults(text).cells[125].runs[9].curve.size(), 100u);
}

TEST(Export, HasWhatARunBeganWith) {
  ExperimentResults results = ResultsInMemory(1, 2);
  results.cells[0].runs[0].curve[1] = std::numeric_limits<double>::quiet_NaN();
  results.cells[0].runs[1].seed = 18446744073709551615u;
  const std::string text = SerializeResults(results);
  const CellResults cell = ParseResults(text).cells[0];
  ASSERT_TRUE(cell.training_lengths);
  EXPECT_EQ(cell.training_lengths->min, 40);
  EXPECT_EQ(cell.training_lengths->max, 80);
  const RunRecord& run = cell.runs[1];
  EXPECT_EQ(run.version, "0.1.0");
  EXPECT_EQ(run.revision, "de7aad8-dirty");
  EXPECT_EQ(run.begun, "2026-11-18T03:10:00Z");
  EXPECT_EQ(run.seed, 18446744073709551615u);
  EXPECT_EQ(run.rates, results.cells[0].runs[1].rates);
  // An epoch without a finite score keeps its place.
  EXPECT_TRUE(std::isnan(cell.runs[0].curve[1]));
  EXPECT_EQ(cell.runs[0].curve.size(), 100u);
  EXPECT_EQ(SerializeResults(ParseResults(text)), text);
}

// Before there were these fields.
TEST(Export, EarlierVersionsHadLess) {
  const ExperimentResults results = ParseResults(
      R"({"format": 1, "what": "pushdown experiment", "pushdown": "0.1.0", "experiment": "old",
          "title": "", "kind": "strings", "measure": "difference", "solved": 0.01, "source": "",
          "cells": [{"name": "model=lstm", "keys": {"model": "lstm"}, "runs": [
            {"state": "finished", "epochs": 2, "best_epoch": 1, "validation_cross_entropy": 1.5,
             "difference": 0.5, "seconds": 1, "curve": [0.75, 0.5]}]}]})");
  EXPECT_FALSE(results.cells[0].training_lengths);
  const RunRecord& run = results.cells[0].runs[0];
  EXPECT_EQ(run.version + run.revision + run.begun, "");
  EXPECT_FALSE(run.seed);
  EXPECT_TRUE(run.rates.empty());
  EXPECT_EQ(run.curve, (std::vector<double>{0.75, 0.5}));
}

TEST(Export, BytesThatAreNotUtf8AreReplaced) {
  ExperimentResults results = ResultsInMemory(1, 1);
  results.title = "caf\xe9";
  results.cells[0].name = "model=\xff";
  results.cells[0].keys[0].value = "\xff";
  results.cells[0].runs[0].failure = "\xff";
  EXPECT_EQ(ParseResults(SerializeResults(results)).title, "caf\xef\xbf\xbd");
}

TEST(Export, OtherFilesAreRefused) {
  const std::string good = SerializeResults(ResultsInMemory(2, 2));
  const struct {
    const char* from;
    const char* to;
    const char* message;
  } cases[] = {
      {"\"pushdown experiment\"", "\"pushdown\"", "is no export"},
      {"\"format\": 1", "\"format\": 7", "of another version"},
      {"\"format\": 1", "\"format\": 1, \"format\": 1", "given twice"},
      {"\"measure\": \"difference\"", "\"measure\": \"size\"", "difference"},
      {"\"kind\": \"strings\"", "\"kind\": \"pictures\"", "strings or text"},
      {"\"state\":\"finished\"", "\"state\":\"won\"", "finished"},
      {"\"epochs\":100", "\"epochs\":1e300", "epochs"},
      {"\"curve\":[0", "\"curve\":[[],0", "number"},
      {"\"rates\":[[1", "\"rates\":[[1e300", "rates"},
      {"\"training_lengths\": [40", "\"training_lengths\": [-40", "training_lengths"},
      {"symbols=1,", "symbols=0,", "two cells"},
      {"\"cells\": [", "\"cells\": [7,", "number"},
      {"\"solved\": 0.01", "\"solved\": 1e999", "solved"},
      {"\"title\": \"\"", "\"title\": [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]", "deep"},
  };
  EXPECT_NO_THROW(ParseResults(good));
  for (const auto& each : cases) {
    ExpectContains(ErrorMessage([&] { ParseResults(Replaced(good, each.from, each.to)); }),
                   each.message);
  }
  for (const char* text : {"", "null", "[]", "{}", "7", "\"what\"", "{\"what\": 7}"}) {
    EXPECT_NE(ErrorMessage([&] { ParseResults(text); }), "") << text;
  }
  const TemporaryDirectory directory;
  directory.Write("broken.json", good.substr(0, good.size() / 2));
  ExpectContains(ErrorMessage([&] { OpenResults(directory.path() + "/broken.json"); }),
                 directory.path() + "/broken.json: ");
}

TEST(Export, MutationsAreReadOrRefused) {
  ExperimentResults results = ResultsInMemory(2, 2);
  for (CellResults& cell : results.cells) {
    for (RunRecord& run : cell.runs) run.curve.resize(2);
    cell.runs[0].test = TestRecord{
        .cross_entropy = 1.5, .lower_bound = 1, .by_length = {{3, 2, 1.5, 1.25}, {5, 2, 1, {}}}};
    cell.runs[1].state = RunState::kFailed;
    cell.runs[1].failure = "why";
  }
  const std::vector<std::string> corpus = {SerializeResults(results)};
  testing_mutation::ExpectReadOrRefused(corpus, "{}[]\":,0123456789.-e\\ntruefalse",
                                        [](const std::string& text) {
                                          try {
                                            const ExperimentResults read = ParseResults(text);
                                            // What was read can be used.
                                            SerializeResults(read);
                                            MakeTable(read);
                                            return true;
                                          } catch (const Error&) {
                                            return false;
                                          }
                                        });
}

std::vector<std::string> KeysOf(const CellResults& cell) {
  std::vector<std::string> keys;
  for (const NamedSetting& key : cell.keys) keys.push_back(key.name + "=" + key.value);
  return keys;
}

class ResultsOfRunsTest : public ::testing::Test {
 protected:
  std::string Train(const std::string& name, const RunSettings& settings) const {
    pushdown::Run::Create(Path(name), settings).Train({.threads = 1});
    return Path(name);
  }
  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }

  TemporaryDirectory directory_;
};

TEST_F(ResultsOfRunsTest, SeedsAndRestartsAreRunsOfOneCell) {
  const std::vector<std::string> paths = {
      Train("a", SmallRun({{"seed", "1"}}, "lstm")), Train("stack", SmallRun()),
      Train("b", SmallRun({{"seed", "2"}, {"restarts", "2"}}, "lstm"))};
  const ExperimentResults results = ResultsOfRuns(paths);
  EXPECT_EQ(results.measure, Measure::kDifference);
  ASSERT_EQ(results.cells.size(), 2u);
  EXPECT_EQ(results.cells[0].name, "model=lstm");
  EXPECT_EQ(KeysOf(results.cells[0]), std::vector<std::string>{"model=lstm"});
  EXPECT_EQ(results.cells[1].name, "model=rns-1-2");
  ASSERT_EQ(results.cells[0].runs.size(), 3u);
  EXPECT_EQ(results.cells[1].runs.size(), 1u);
  // Their names are their directories.
  EXPECT_EQ(RunNameOf(results.cells[0], 0), Path("a"));
  EXPECT_EQ(RunNameOf(results.cells[0], 2), Path("b/restart-2"));
  for (const RunRecord& run : results.cells[0].runs) {
    EXPECT_EQ(run.state, RunState::kFinished);
    EXPECT_EQ(run.epochs, 3);
    EXPECT_EQ(run.difference, ReadRunRecord(run.directory).difference);
  }
}

TEST_F(ResultsOfRunsTest, HaveCurvesIfTheyAreWanted) {
  const std::vector<std::string> paths = {
      Train("run", SmallRun({{"seed", "7"}, {"restarts", "2"}}, "lstm"))};
  EXPECT_TRUE(ResultsOfRuns(paths).cells[0].runs[0].curve.empty());
  const CellResults cell = ResultsOfRuns(paths, Curves::kIncluded).cells[0];
  ASSERT_TRUE(cell.training_lengths);
  EXPECT_EQ(cell.training_lengths->min, 3);
  EXPECT_EQ(cell.training_lengths->max, 7);
  for (const RunRecord& run : cell.runs) {
    EXPECT_EQ(run.curve.size(), 3u);
    EXPECT_EQ(run.rates, (std::vector<RateChange>{{1, 0.01}}));
    EXPECT_EQ(run.seed, 7u);
    EXPECT_EQ(run.version, kVersion);
    EXPECT_EQ(run.revision, Revision());
    // Such as 2026-11-18T03:10:00Z.
    ASSERT_EQ(run.begun.size(), 20u) << run.begun;
    EXPECT_EQ(run.begun.substr(0, 2) + run.begun[10] + run.begun[19], "20TZ") << run.begun;
    EXPECT_NE(run.machine.find("SIMD target"), run.machine.npos);
  }
}

TEST_F(ResultsOfRunsTest, RatesThatAreDrawnDistinguishNothing) {
  std::vector<NamedSetting> settings = testing_runs::SmallSettings("lstm");
  std::erase_if(settings, [](const NamedSetting& each) { return each.name == "learning-rate"; });
  const auto with = [&](const std::string& name, const std::string& value) {
    std::vector<NamedSetting> more = settings;
    more.push_back({name, value});
    return MakeSettings(DataKind::kStrings, more);
  };
  const std::vector<std::string> paths = {Train("drawn-1", with("seed", "1")),
                                          Train("drawn-2", with("seed", "2")),
                                          Train("given", with("learning-rate", "0.003"))};
  const ExperimentResults results = ResultsOfRuns(paths);
  ASSERT_EQ(results.cells.size(), 2u);
  EXPECT_EQ(results.cells[0].runs.size(), 2u);
  EXPECT_NE(results.cells[0].runs[0].learning_rate, results.cells[0].runs[1].learning_rate);
  EXPECT_EQ(results.cells[0].name, "model=lstm");
  EXPECT_EQ(results.cells[1].name, "model=lstm,learning-rate=0.003");
}

TEST_F(ResultsOfRunsTest, CellsAreNamedByWhatDiffers) {
  const std::vector<std::string> paths = {Train("a", SmallRun({}, "lstm")),
                                          Train("b", SmallRun({{"symbols", "3"}}, "lstm")),
                                          Train("c", SmallRun({{"batch-size", "5"}}, "lstm"))};
  const ExperimentResults results = ResultsOfRuns(paths);
  ASSERT_EQ(results.cells.size(), 3u);
  EXPECT_EQ(KeysOf(results.cells[0]),
            (std::vector<std::string>{"symbols=2", "model=lstm", "batch-size=10"}));
  EXPECT_EQ(KeysOf(results.cells[1]),
            (std::vector<std::string>{"symbols=3", "model=lstm", "batch-size=10"}));
  EXPECT_EQ(results.cells[2].name, "symbols=2,model=lstm,batch-size=5");
}

// Different languages must not be taken together in one row of a table.
TEST_F(ResultsOfRunsTest, GrammarsAndParametersDistinguishCells) {
  directory_.Write("a.cfg", "S -> a S | a\n");
  directory_.Write("b.cfg", "S -> a S | b\n");
  const auto grammar = [&](const std::string& name) {
    std::vector<NamedSetting> settings = testing_runs::SmallSettings("lstm");
    settings[0] = {"grammar", Path(name)};
    return MakeSettings(DataKind::kStrings, settings);
  };
  const std::vector<std::string> grammars = {Train("a", grammar("a.cfg")),
                                             Train("b", grammar("b.cfg"))};
  EXPECT_EQ(MakeTable(ResultsOfRuns(grammars)).rows.size(), 2u);
  std::vector<std::string> paths = {Train("p-1", SmallRun({{"param", "p=0.25"}}, "lstm")),
                                    Train("p-2", SmallRun({{"param", "p=0.5"}}, "lstm"))};
  const ExperimentResults results = ResultsOfRuns(paths);
  EXPECT_EQ(MakeTable(results).rows.size(), 2u);
  EXPECT_EQ(results.cells[0].name, "param=p=0.25,model=lstm");
  // Tasks have different parameters anyway.
  paths = {paths[0], Train("dyck", SmallRun({{"task", "dyck"}, {"lengths", "4:8"}}, "lstm"))};
  for (const CellResults& cell : ResultsOfRuns(paths).cells) {
    for (const NamedSetting& key : cell.keys) EXPECT_NE(key.name, "param");
  }
}

TEST_F(ResultsOfRunsTest, ARunThatIsGivenTwiceCountsOnce) {
  const std::string run = Train("run", SmallRun({{"restarts", "2"}}, "lstm"));
  const std::vector<std::string> paths = {run, run + "/", directory_.path() + "/./run",
                                          run + "/restart-2"};
  const ExperimentResults results = ResultsOfRuns(paths);
  ASSERT_EQ(results.cells.size(), 1u);
  EXPECT_EQ(results.cells[0].runs.size(), 2u);
}

TEST_F(ResultsOfRunsTest, RunsThatHaveNotBegunAreToDo) {
  const std::string run = Train("run", SmallRun({{"restarts", "2"}}, "lstm"));
  fs::remove_all(run + "/restart-2");
  const ExperimentResults results = ResultsOfRuns(std::vector{run});
  ASSERT_EQ(results.cells[0].runs.size(), 2u);
  EXPECT_EQ(results.cells[0].runs[0].state, RunState::kFinished);
  EXPECT_EQ(results.cells[0].runs[1].state, RunState::kToDo);
}

TEST_F(ResultsOfRunsTest, TextHasAMeasureOfItsOwn) {
  testing_runs::WriteText(directory_, "text");
  const std::string text = Train("lm", SmallTextRun(Path("text")));
  const ExperimentResults results = ResultsOfRuns(std::vector{text});
  EXPECT_EQ(results.measure, Measure::kPerplexity);
  EXPECT_EQ(results.kind, DataKind::kText);
  const std::vector<std::string> both = {text, Train("run", SmallRun({}, "lstm"))};
  ExpectContains(ErrorMessage([&] { ResultsOfRuns(both); }), "no measure in common");
}

// A difference and a cross-entropy cannot be compared.
TEST_F(ResultsOfRunsTest, TheMeasureIsTheCrossEntropyIfALanguageIsUnknown) {
  std::string strings;
  for (int n = 0; n < 10; ++n) strings += "a b\nb a a\n";
  directory_.Write("data/main.vocab", "a\nb\n");
  for (const char* name : {"main.tok", "datasets/validation/main.tok", "datasets/test/main.tok"}) {
    directory_.Write(std::string("data/") + name, strings);
  }
  const std::vector<NamedSetting> settings = {
      {"data", Path("data")}, {"model", "lstm"}, {"max-epochs", "1"}};
  const std::string unknown = Train("unknown", MakeSettings(DataKind::kStrings, settings));
  const std::string known = Train("known", SmallRun({}, "lstm"));
  for (const auto& paths : {std::vector{known, unknown}, {unknown, known}}) {
    const ExperimentResults results = ResultsOfRuns(paths);
    EXPECT_EQ(results.measure, Measure::kCrossEntropy);
    for (const CellResults& cell : results.cells) {
      EXPECT_TRUE(ScoreOf(cell.runs[0], results.measure)) << cell.name;
    }
  }
}

TEST_F(ResultsOfRunsTest, OtherDirectoriesAreRefused) {
  fs::create_directory(Path("empty"));
  for (const char* name : {"empty", "nothing"}) {
    ExpectContains(ErrorMessage([&] { ResultsOfRuns(std::vector{Path(name)}); }), Path(name));
  }
}

}  // namespace
}  // namespace pushdown
