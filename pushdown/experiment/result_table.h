#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/experiment/results.h"
#include "pushdown/experiment/statistics.h"

namespace pushdown {

// What a paper says of one cell. Numbers that it does not give are missing.
struct PublishedCell {
  std::vector<NamedSetting> keys;
  std::optional<double> mean = {};
  std::optional<double> sd = {};    // the population standard deviation
  std::optional<double> best = {};  // of all runs, by validation
  std::optional<double> test = {};  // of the best run by validation
};

struct PublishedResults {
  std::string source = {};
  int runs = 10;  // of each cell
  std::vector<PublishedCell> cells = {};
};

// Reads published numbers, such as experiments/paper/capacity.json. Throws Error.
PublishedResults ReadPublished(const std::string& path);
PublishedResults ParsePublished(const std::string& text);

// A cell beside what was published of it.
struct RowComparison {
  PublishedCell published = {};
  std::optional<WelchTest> test = {};          // of the means
  double adjusted_p = 1;                       // by Holm's method, over all rows with a test
  bool differs = false;                        // whether the adjusted p is below 0.01
  std::optional<Interval> mean_interval = {};  // of our mean
  std::optional<Interval> best_interval = {};  // of our best of as many runs as were published
};

// A row of a table: the runs of one cell, or of all cells that have the same values of some
// settings.
struct TableRow {
  std::vector<std::string> values = {};  // of ResultTable::keys; empty where a cell has none
  std::vector<std::size_t> cells = {};   // of the results
  int runs = 0;
  int finished = 0;
  int failed = 0;
  // Of the finished runs, by validation.
  SampleSummary scores = {};
  double solved = 0;   // the share of finished runs whose difference is below the threshold
  double epochs = 0;   // the mean
  double seconds = 0;  // of all runs together
  // Of the best run by validation.
  std::optional<double> test = {};
  std::string best_run = {};  // its name, see RunNameOf
  std::optional<RowComparison> comparison = {};
};

struct ResultTable {
  std::vector<std::string> keys = {};
  Measure measure = Measure::kDifference;
  double solved_below = 0;
  std::vector<TableRow> rows = {};
  std::optional<PublishedResults> published = {};
};

// Whether some row was compared with what was published of it, and what to say if none was.
bool HasComparison(const ResultTable& table);
std::string UnmatchedText(const PublishedResults& published);

// Makes a table. With `by`, cells that have the same values of these settings are one row; without,
// every cell is. Throws Error if no cell has one of these settings.
ResultTable MakeTable(const ExperimentResults& results, const std::vector<std::string>& by = {},
                      const std::optional<PublishedResults>& published = {});

}  // namespace pushdown
