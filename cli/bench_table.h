#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pushdown/json.h"

namespace pushdown::cli {

// What benchmarks share: measurements that take turns, and the forms of their output.

inline constexpr int kBenchRounds = 8;

struct BenchCommand {
  std::vector<std::string> models;
  std::vector<int> lengths;  // of strings, or of chunks of text
  std::vector<int> threads;
  int batch = 1;  // strings, or rows of text
  int hidden_units = 1;
  int vocabulary = 1;  // text only
  double seconds = 0;
  std::string format = "md";
};

// Of values in any order, interpolated.
double Quantile(std::vector<double> values, double fraction);
double Median(const std::vector<double>& values);
// The width of the middle half, in percent of the median.
double SpreadPercent(const std::vector<double>& values);

// Works for so many seconds, at least once, and adds how long it took each time. Throws
// Interrupted.
void MeasureFor(double seconds, const std::function<void()>& work, std::vector<double>& times);

double PeakResidentBytes();

struct BenchColumn {
  const char* key;
  const char* heading;  // in md
  int decimals;         // in md
  int rank;             // in md: those with the largest are left out first on narrow terminals
};

// Results have the keys of the columns; a value may be null. Circumstances are lines.
std::string MarkdownText(std::span<const BenchColumn> columns,
                         const std::vector<std::string>& circumstances,
                         const std::vector<Json>& results);
std::string CsvText(std::span<const BenchColumn> columns,
                    const std::vector<std::string>& circumstances,
                    const std::vector<Json>& results);

}  // namespace pushdown::cli
