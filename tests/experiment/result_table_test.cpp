#include "pushdown/experiment/result_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/experiment/experiment_file.h"
#include "tests/experiment/checks.h"
#include "tests/mutation.h"

namespace pushdown {
namespace {

using testing_experiment::ErrorMessage;
using testing_experiment::ExpectContains;

RunRecord Finished(double difference, int epochs = 10, double seconds = 1) {
  RunRecord record;
  record.state = RunState::kFinished;
  record.difference = difference;
  record.validation_cross_entropy = difference + 1;
  record.epochs = epochs;
  record.seconds = seconds;
  return record;
}

RunRecord WithTest(RunRecord record, double cross_entropy) {
  record.test = TestRecord{.cross_entropy = cross_entropy, .lower_bound = 1};
  return record;
}

RunRecord Of(RunState state, RunRecord record = {}) {
  record.state = state;
  return record;
}

CellResults Cell(const std::string& task, const std::string& symbols, const std::string& model,
                 std::vector<RunRecord> runs) {
  return {"task=" + task + ",symbols=" + symbols + ",model=" + model,
          {{"task", task}, {"symbols", symbols}, {"model", model}},
          std::move(runs)};
}

ExperimentResults Results(std::vector<CellResults> cells) {
  ExperimentResults results;
  results.solved = 1.5;
  results.cells = std::move(cells);
  return results;
}

TEST(ResultTable, StatisticsAreThoseOfTheFinishedRuns) {
  const ResultTable table = MakeTable(Results(
      {Cell("dyck", "2", "lstm",
            {WithTest(Finished(8, 10, 1), 1.5), WithTest(Finished(1, 20, 2), 3.5),
             Of(RunState::kFailed, Finished(0.1, 40, 3)), Finished(4, 40, 4), Finished(2, 50, 5),
             Of(RunState::kBegun, Finished(0.01, 3, 6)), Of(RunState::kRunning), RunRecord()})}));
  EXPECT_EQ(table.keys, (std::vector<std::string>{"task", "symbols", "model"}));
  EXPECT_EQ(table.measure, Measure::kDifference);
  EXPECT_EQ(table.solved_below, 1.5);
  ASSERT_EQ(table.rows.size(), 1u);
  const TableRow& row = table.rows[0];
  EXPECT_EQ(row.values, (std::vector<std::string>{"dyck", "2", "lstm"}));
  EXPECT_EQ(row.runs, 8);
  EXPECT_EQ(row.finished, 4);
  EXPECT_EQ(row.failed, 1);
  // Of 1, 2, 4 and 8.
  EXPECT_EQ(row.scores.count, 4);
  EXPECT_EQ(row.scores.best, 1);
  EXPECT_EQ(row.scores.mean, 3.75);
  // The deviations are -2.75, -1.75, 0.25 and 4.25, and their squares sum to 28.75.
  EXPECT_NEAR(row.scores.sd, std::sqrt(28.75 / 3), 1e-14);
  EXPECT_EQ(row.scores.median, 3);
  EXPECT_EQ(row.scores.lower_quartile, 1.75);  // 3/4 of the way from 1 to 2
  EXPECT_EQ(row.scores.upper_quartile, 5);     // 1/4 of the way from 4 to 8
  EXPECT_EQ(row.solved, 0.25);
  EXPECT_EQ(row.epochs, 30);   // (10 + 20 + 40 + 50) / 4
  EXPECT_EQ(row.seconds, 21);  // of all runs
  // The test of the run with the best validation is not the best test.
  EXPECT_EQ(row.test, 2.5);
  EXPECT_EQ(row.best_run, "task=dyck,symbols=2,model=lstm/restart-2");
  EXPECT_FALSE(row.comparison);
}

TEST(ResultTable, ARunIsSolvedBelowTheThresholdOnly) {
  const ResultTable table =
      MakeTable(Results({Cell("dyck", "2", "lstm", {Finished(1.5), Finished(1.25)})}));
  EXPECT_EQ(table.rows[0].solved, 0.5);
}

TEST(ResultTable, WithoutFinishedRunsThereAreNoNumbers) {
  const ResultTable table =
      MakeTable(Results({Cell("dyck", "2", "lstm", {Of(RunState::kBegun, Finished(1)), {}})}));
  const TableRow& row = table.rows[0];
  EXPECT_EQ(row.runs, 2);
  EXPECT_EQ(row.finished, 0);
  EXPECT_EQ(row.scores.count, 0);
  EXPECT_EQ(row.solved, 0);
  EXPECT_FALSE(row.test);
  EXPECT_EQ(row.best_run, "");
}

TEST(ResultTable, ScoresAreOfTheMeasure) {
  ExperimentResults results =
      Results({Cell("dyck", "2", "lstm", {WithTest(Finished(std::log(8.0) - 1), std::log(9.0))})});
  results.measure = Measure::kCrossEntropy;
  EXPECT_NEAR(MakeTable(results).rows[0].scores.best, std::log(8.0), 1e-14);
  EXPECT_NEAR(*MakeTable(results).rows[0].test, std::log(9.0), 1e-14);
  results.measure = Measure::kPerplexity;
  EXPECT_NEAR(MakeTable(results).rows[0].scores.best, 8, 1e-13);
  EXPECT_NEAR(*MakeTable(results).rows[0].test, 9, 1e-13);
}

TEST(ResultTable, RunsWithoutAScoreAreFinishedAllTheSame) {
  RunRecord infinite = Finished(0);
  infinite.validation_cross_entropy = 1e6;  // no double has its perplexity
  RunRecord without = Finished(0);
  without.validation_cross_entropy.reset();
  ExperimentResults results =
      Results({Cell("dyck", "2", "lstm", {infinite, without, Finished(std::log(5.0) - 1)})});
  results.measure = Measure::kPerplexity;
  const TableRow row = MakeTable(results).rows[0];
  EXPECT_EQ(row.finished, 3);
  EXPECT_EQ(row.scores.count, 1);
  EXPECT_NEAR(row.scores.mean, 5, 1e-13);
  EXPECT_EQ(row.best_run, "task=dyck,symbols=2,model=lstm/restart-3");
}

ExperimentResults Grid() {
  return Results({Cell("dyck", "2", "lstm", {WithTest(Finished(1), 2), Finished(2)}),
                  Cell("dyck", "2", "sup-3", {Finished(5), Finished(7)}),
                  Cell("dyck", "40", "lstm", {WithTest(Finished(0.5), 8), Finished(8)}),
                  Cell("dyck", "40", "sup-3", {Finished(9), Of(RunState::kFailed)})});
}

TEST(ResultTable, CellsWithTheSameValuesArePooled) {
  const ResultTable table = MakeTable(Grid(), {"model"});
  EXPECT_EQ(table.keys, std::vector<std::string>{"model"});
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].values, std::vector<std::string>{"lstm"});
  EXPECT_EQ(table.rows[0].runs, 4);
  EXPECT_EQ(table.rows[0].scores.mean, 2.875);  // (1 + 2 + 0.5 + 8) / 4
  EXPECT_EQ(table.rows[0].scores.median, 1.5);
  EXPECT_EQ(table.rows[0].solved, 0.5);
  EXPECT_EQ(table.rows[0].test, 7);
  EXPECT_EQ(table.rows[0].best_run, "task=dyck,symbols=40,model=lstm/restart-1");
  EXPECT_EQ(table.rows[1].values, std::vector<std::string>{"sup-3"});
  EXPECT_EQ(table.rows[1].finished, 3);
  EXPECT_EQ(table.rows[1].failed, 1);
  EXPECT_EQ(table.rows[1].scores.mean, 7);
  // The order of the columns is that of the request.
  const ResultTable two = MakeTable(Grid(), {"model", "symbols"});
  ASSERT_EQ(two.rows.size(), 4u);
  EXPECT_EQ(two.rows[2].values, (std::vector<std::string>{"lstm", "40"}));
}

TEST(ResultTable, UnknownSettingsAreRefused) {
  const std::string message = ErrorMessage([] { MakeTable(Grid(), {"model", "symbol"}); });
  ExpectContains(message, "not distinguished by \"symbol\" (did you mean symbols?)");
  ExpectContains(message, "there are task, symbols, model");
}

TEST(ResultTable, ACellWithoutASettingHasNoValueOfIt) {
  ExperimentResults results = Results({Cell("dyck", "2", "lstm", {Finished(1)})});
  results.cells.push_back(
      {"task=count-3,model=lstm", {{"task", "count-3"}, {"model", "lstm"}}, {Finished(2)}});
  const ResultTable table = MakeTable(results);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1].values, (std::vector<std::string>{"count-3", "", "lstm"}));
}

// Our runs have the mean 2 and the standard deviation 1. The numbers of the paper are of three
// runs, too, whose sample standard deviation is sqrt(3/2) times that of the population, also 1.
constexpr const char* kPublished = R"({"source": "a paper", "runs": 3, "cells": [
  {"task": "dyck", "symbols": 2, "model": "a", "mean": 20, "sd": 0.816496580927726, "best": 19},
  {"task": "dyck", "symbols": 2, "model": "b", "mean": 5, "sd": 0.816496580927726, "best": 4},
  {"task": "dyck", "symbols": 2, "model": "c", "mean": 3, "sd": 0.816496580927726, "test": 2},
  {"task": "dyck", "symbols": 2, "model": "d", "mean": 3, "best": 1},
  {"task": "dyck", "symbols": 40, "model": "a", "mean": 3, "sd": 1}
]})";

// Student's distribution with 4 degrees of freedom, which two samples of three with equal standard
// deviations have, is elementary: P(|T| > t) = 1 - t (t^2 + 6) / (t^2 + 4)^(3/2).
double TwoSidedP(double published_mean) {
  const double t = (published_mean - 2) / std::sqrt(1.0 / 3 + 1.0 / 3);
  return 1 - t * (t * t + 6) / std::pow(t * t + 4, 1.5);
}

ExperimentResults ThreeRunsEach() {
  const std::vector<RunRecord> runs = {Finished(3), Finished(1), Of(RunState::kBegun, Finished(0)),
                                       Finished(2)};
  return Results({Cell("dyck", "2", "c", runs), Cell("dyck", "2", "a", runs),
                  Cell("dyck", "2", "b", runs), Cell("dyck", "2", "d", runs),
                  Cell("dyck", "2", "e", runs)});
}

TEST(Comparison, RowsAreMatchedByTheirSettings) {
  const ResultTable table = MakeTable(ThreeRunsEach(), {}, ParsePublished(kPublished));
  ASSERT_TRUE(table.published);
  EXPECT_EQ(table.published->source, "a paper");
  ASSERT_EQ(table.rows.size(), 5u);
  for (std::size_t n = 0; n < 4; ++n) ASSERT_TRUE(table.rows[n].comparison) << n;
  EXPECT_EQ(table.rows[0].comparison->published.mean, 3);
  EXPECT_EQ(table.rows[0].comparison->published.test, 2);
  EXPECT_FALSE(table.rows[0].comparison->published.best);
  EXPECT_EQ(table.rows[1].comparison->published.mean, 20);
  EXPECT_EQ(table.rows[1].comparison->published.best, 19);
  EXPECT_EQ(table.rows[2].comparison->published.mean, 5);
  EXPECT_EQ(table.rows[3].comparison->published.best, 1);
  // Nothing is published of the last one.
  EXPECT_FALSE(table.rows[4].comparison);
}

TEST(Comparison, MeansAreTestedAndCorrectedForAllRows) {
  const ResultTable table = MakeTable(ThreeRunsEach(), {}, ParsePublished(kPublished));
  const auto& c = *table.rows[0].comparison;
  const auto& a = *table.rows[1].comparison;
  const auto& b = *table.rows[2].comparison;
  ASSERT_TRUE(a.test && b.test && c.test);
  EXPECT_NEAR(c.test->degrees_of_freedom, 4, 1e-12);
  EXPECT_NEAR(a.test->p, TwoSidedP(20), 1e-12);
  EXPECT_NEAR(b.test->p, TwoSidedP(5), 1e-12);
  EXPECT_NEAR(c.test->p, TwoSidedP(3), 1e-12);
  // By Holm's method, the smallest is multiplied by 3, the next by 2, the largest by 1.
  EXPECT_NEAR(a.adjusted_p, 3 * TwoSidedP(20), 1e-12);
  EXPECT_NEAR(b.adjusted_p, 2 * TwoSidedP(5), 1e-12);
  EXPECT_NEAR(c.adjusted_p, TwoSidedP(3), 1e-12);
  EXPECT_TRUE(a.differs);   // 0.00007
  EXPECT_FALSE(b.differs);  // 0.043
  EXPECT_FALSE(c.differs);  // 0.29
  // Without a published standard deviation, there is no test.
  EXPECT_FALSE(table.rows[3].comparison->test);
  EXPECT_FALSE(table.rows[3].comparison->differs);
}

TEST(Comparison, IntervalsAreOfOurRuns) {
  const ResultTable table = MakeTable(ThreeRunsEach(), {}, ParsePublished(kPublished));
  for (std::size_t n = 0; n < 4; ++n) {
    const RowComparison& comparison = *table.rows[n].comparison;
    ASSERT_TRUE(comparison.mean_interval && comparison.best_interval) << n;
    // A resample of 1, 2 and 3 has the mean 1 or 3 with a probability of 1/27 each, which is more
    // than 2.5 %.
    EXPECT_EQ(comparison.mean_interval->low, 1);
    EXPECT_EQ(comparison.mean_interval->high, 3);
    // The smallest of three is 1 with a probability of 19/27, and 3 with 1/27.
    EXPECT_EQ(comparison.best_interval->low, 1);
    EXPECT_EQ(comparison.best_interval->high, 3);
  }
}

TEST(Comparison, OurBestIsOfAsManyRunsAsWerePublished) {
  const ResultTable table =
      MakeTable(ThreeRunsEach(), {},
                ParsePublished(R"({"runs": 10, "cells": [{"model": "a", "best": 19}]})"));
  ASSERT_TRUE(table.rows[1].comparison);
  // The smallest of ten is 1 with a probability of 1 - (2/3)^10, which is more than 97.5 %.
  EXPECT_EQ(table.rows[1].comparison->best_interval->low, 1);
  EXPECT_EQ(table.rows[1].comparison->best_interval->high, 1);
}

TEST(Comparison, ACellWithoutFinishedRunsHasNeitherTestNorIntervals) {
  const ResultTable table = MakeTable(
      Results({Cell("dyck", "2", "a", {RunRecord()}), Cell("dyck", "2", "b", {Finished(1)})}), {},
      ParsePublished(kPublished));
  ASSERT_TRUE(table.rows[0].comparison);
  EXPECT_FALSE(table.rows[0].comparison->test);
  EXPECT_FALSE(table.rows[0].comparison->mean_interval);
  EXPECT_FALSE(table.rows[0].comparison->best_interval);
  // One run is enough for an interval, of which nothing can be expected, but not for a test.
  EXPECT_FALSE(table.rows[1].comparison->test);
  EXPECT_TRUE(table.rows[1].comparison->mean_interval);
}

TEST(Comparison, PooledRowsHaveNoPublishedPartner) {
  const ResultTable table = MakeTable(ThreeRunsEach(), {"model"}, ParsePublished(kPublished));
  for (const TableRow& row : table.rows) EXPECT_FALSE(row.comparison);
}

TEST(Published, OtherFilesAreRefused) {
  const auto message = [](const std::string& text) {
    return ErrorMessage([&] { ParsePublished(text); });
  };
  for (const char* text : {"", "[]", "{}", "{\"runs\": 3}", "{\"runs\": \"3\", \"cells\": [{}]}",
                           "{\"runs\": 3, \"cells\": [{\"mean\": \"1\"}]}"}) {
    EXPECT_NE(message(text), "") << text;
  }
  ExpectContains(message(R"({"runs": 0, "cells": [{"mean": 1}]})"), "runs: expected 1 to 10000");
  // They are drawn ten thousand times each.
  ExpectContains(message(R"({"runs": 2000000000, "cells": [{"mean": 1}]})"), "runs: expected 1");
  ExpectContains(message(R"({"runs": 1e300, "cells": [{"mean": 1}]})"), "runs: expected 1");
  ExpectContains(message(R"({"runs": 3, "cells": []})"), "cells: expected at least one");
  ExpectContains(message(R"({"runs": 3, "cells": [7]})"), "cells: expected objects");
  ExpectContains(message(R"({"runs": 3, "cells": [{"mean": 1, "sd": -1}]})"), "sd: ");
  ExpectContains(message(R"({"runs": 1, "cells": [{"mean": 1, "sd": 1}]})"), "sd: ");
  ExpectContains(ErrorMessage([] { ReadPublished("/nonexistent/paper.json"); }),
                 "/nonexistent/paper.json: ");
}

TEST(Published, MutationsAreReadOrRefused) {
  testing_mutation::ExpectReadOrRefused({kPublished}, "{}[]\":,0123456789.-e",
                                        [](const std::string& text) {
                                          try {
                                            ParsePublished(text);
                                            return true;
                                          } catch (const Error&) {
                                            return false;
                                          }
                                        });
}

// The results of an experiment whose runs are all to do.
ExperimentResults ToDo(const std::string& name) {
  const ExperimentPlan plan =
      ReadExperimentFile(std::string(PUSHDOWN_EXPERIMENTS) + "/" + name, {{"max-epochs", "1"}});
  ExperimentResults results;
  for (const pushdown::Cell& cell : plan.cells) {
    results.cells.push_back({cell.name, cell.keys, {RunRecord()}});
  }
  return results;
}

TEST(Published, TheFiguresOfCapacityAreOfAllCellsOfTheExperiment) {
  const PublishedResults published =
      ReadPublished(std::string(PUSHDOWN_EXPERIMENTS) + "/paper/capacity.json");
  EXPECT_EQ(published.runs, 10);
  ASSERT_EQ(published.cells.size(), 126u);
  for (const PublishedCell& cell : published.cells) {
    ASSERT_TRUE(cell.mean && cell.sd && cell.best);
    EXPECT_FALSE(cell.test);
    EXPECT_LE(*cell.best, *cell.mean);
    EXPECT_EQ(cell.keys.size(), 3u);
  }
  const ResultTable table = MakeTable(ToDo("capacity.toml"), {}, published);
  ASSERT_EQ(table.rows.size(), 126u);
  std::set<double> means;
  for (const TableRow& row : table.rows) {
    ASSERT_TRUE(row.comparison);
    means.insert(*row.comparison->published.mean);
  }
  EXPECT_EQ(means.size(), 126u);  // every cell has its own
}

TEST(Published, TheTableOfThePennTreebankHasNoDeviations) {
  const PublishedResults published =
      ReadPublished(std::string(PUSHDOWN_EXPERIMENTS) + "/paper/penn-treebank.json");
  EXPECT_EQ(published.runs, 10);
  ASSERT_EQ(published.cells.size(), 11u);
  for (const PublishedCell& cell : published.cells) {
    EXPECT_TRUE(cell.best && cell.test);
    EXPECT_FALSE(cell.mean || cell.sd);
  }
  // Table 1 of the paper.
  EXPECT_EQ(published.cells[0].best, 129.99);
  EXPECT_EQ(published.cells[0].test, 125.90);
  ExperimentResults results;
  results.measure = Measure::kPerplexity;
  for (const PublishedCell& cell : published.cells) {
    results.cells.push_back({"model=" + cell.keys[0].value, cell.keys, {Finished(4), Finished(5)}});
  }
  for (const TableRow& row : MakeTable(results, {}, published).rows) {
    ASSERT_TRUE(row.comparison);
    EXPECT_FALSE(row.comparison->test);
    EXPECT_FALSE(row.comparison->differs);
    EXPECT_TRUE(row.comparison->best_interval);
  }
}

}  // namespace
}  // namespace pushdown
