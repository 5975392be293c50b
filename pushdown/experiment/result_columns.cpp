#include "pushdown/experiment/result_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pushdown/printable.h"

namespace pushdown {
namespace {

template <typename T>
Json Optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

std::string IntervalText(const std::optional<Interval>& interval, int digits) {
  if (!interval) return "";
  return fmt::format("{:.{}f} .. {:.{}f}", interval->low, digits, interval->high, digits);
}

}  // namespace

ResultColumns::ResultColumns(const ResultTable& table)
    : table_(table),
      digits_(table.measure == Measure::kPerplexity ? 2 : 4),
      means_published_(table.published && IsPublished(&PublishedCell::mean)) {
  for (std::size_t n = 0; n < table.keys.size(); ++n) {
    columns_.push_back({table.keys[n], table.keys[n], 0, [n](const TableRow& row) {
                          return row.values[n].empty() ? Json() : Json(row.values[n]);
                        }});
  }
  AddRuns();
  AddScores();
  if (table.published) AddComparison();
  AddCosts();
}

void ResultColumns::AddNumber(const std::string& heading, const std::string& name, int rank,
                              int digits, const Number& number) {
  columns_.push_back({heading, name, rank,
                      [number](const TableRow& row) { return Optional(number(row)); },
                      [number, digits](const TableRow& row) {
                        const std::optional<double> value = number(row);
                        return value ? fmt::format("{:.{}f}", *value, digits) : std::string();
                      }});
}

void ResultColumns::AddScore(const std::string& heading, const std::string& name, int rank,
                             double SampleSummary::*member, int least) {
  AddNumber(heading, name, rank, digits_, [member, least](const TableRow& row) {
    return row.scores.count >= least ? std::optional(row.scores.*member) : std::nullopt;
  });
}

bool ResultColumns::IsPublished(std::optional<double> PublishedCell::*member) const {
  const std::vector<PublishedCell>& cells = table_.published->cells;
  return std::any_of(cells.begin(), cells.end(),
                     [member](const PublishedCell& cell) { return (cell.*member).has_value(); });
}

void ResultColumns::AddPublished(const std::string& heading, const std::string& name, int rank,
                                 std::optional<double> PublishedCell::*member) {
  if (!IsPublished(member)) return;
  AddNumber(heading, name, rank, digits_, [member](const TableRow& row) {
    return row.comparison ? row.comparison->published.*member : std::nullopt;
  });
}

bool ResultColumns::HasPublishedTest() const {
  if (!table_.published) return true;
  const std::vector<PublishedCell>& cells = table_.published->cells;
  return std::any_of(cells.begin(), cells.end(),
                     [](const PublishedCell& cell) { return cell.test.has_value(); });
}

void ResultColumns::AddRuns() {
  columns_.push_back({"runs", "finished", 0, [](const TableRow& row) { return row.finished; },
                      [](const TableRow& row) {
                        return fmt::format("{}/{}{}", row.finished, row.runs,
                                           row.failed > 0 ? fmt::format(", {} failed", row.failed)
                                                          : std::string());
                      }});
  columns_.push_back({"", "runs", 0, [](const TableRow& row) { return row.runs; }});
  columns_.push_back({"", "failed", 0, [](const TableRow& row) { return row.failed; }});
}

void ResultColumns::AddScores() {
  AddScore("best", "best", means_published_ ? 3 : 0, &SampleSummary::best);
  AddScore("mean", "mean", means_published_ ? 0 : 1, &SampleSummary::mean);
  AddScore("sd", "sd", 6, &SampleSummary::sd, 2);
  AddScore("median", "median", 8, &SampleSummary::median);
  columns_.push_back({"quartiles", "", 11, {}, [this](const TableRow& row) {
                        if (row.scores.count == 0) return std::string();
                        return IntervalText(
                            Interval{row.scores.lower_quartile, row.scores.upper_quartile},
                            digits_);
                      }});
  AddScore("", "lower_quartile", 0, &SampleSummary::lower_quartile);
  AddScore("", "upper_quartile", 0, &SampleSummary::upper_quartile);
  if (table_.measure == Measure::kDifference) {
    columns_.push_back(
        {"solved", "solved", 7,
         [](const TableRow& row) { return row.finished > 0 ? Json(row.solved) : Json(); },
         [](const TableRow& row) {
           return row.finished > 0 ? fmt::format("{:.0f} %", 100 * row.solved) : std::string();
         }});
  }
  // Beside published numbers, what has no partner there is least important.
  AddNumber("test", "test", HasPublishedTest() ? 2 : 9, digits_,
            [](const TableRow& row) { return row.test; });
  columns_.push_back({"", "best_run", 0, [](const TableRow& row) {
                        return row.best_run.empty() ? Json() : Json(row.best_run);
                      }});
}

void ResultColumns::AddComparison() {
  AddPublished("paper's best", "published_best", means_published_ ? 4 : 1, &PublishedCell::best);
  AddPublished("paper's mean", "published_mean", 1, &PublishedCell::mean);
  AddPublished("paper's sd", "published_sd", 7, &PublishedCell::sd);
  AddPublished("paper's test", "published_test", 2, &PublishedCell::test);
  const auto tested = [](const TableRow& row) { return row.comparison && row.comparison->test; };
  columns_.push_back({"", "welch_p", 0, [tested](const TableRow& row) {
                        return tested(row) ? Json(row.comparison->test->p) : Json();
                      }});
  columns_.push_back({"p", "p", 5,
                      [tested](const TableRow& row) {
                        return tested(row) ? Json(row.comparison->adjusted_p) : Json();
                      },
                      [tested](const TableRow& row) {
                        return tested(row) ? fmt::format("{:.2g}", row.comparison->adjusted_p)
                                           : std::string();
                      }});
  columns_.push_back({"differs", "differs", 2,
                      [tested](const TableRow& row) {
                        return tested(row) ? Json(row.comparison->differs) : Json();
                      },
                      [tested](const TableRow& row) {
                        return tested(row) && row.comparison->differs ? "*" : "";
                      }});
  AddInterval("our mean", "mean", &RowComparison::mean_interval);
  AddInterval(fmt::format("our best of {}", table_.published->runs), "best",
              &RowComparison::best_interval);
}

void ResultColumns::AddInterval(const std::string& heading, const std::string& name,
                                std::optional<Interval> RowComparison::*member) {
  const auto interval = [member](const TableRow& row) {
    return row.comparison ? (*row.comparison).*member : std::nullopt;
  };
  columns_.push_back({heading, "", 10, {}, [this, interval](const TableRow& row) {
                        return IntervalText(interval(row), digits_);
                      }});
  for (const bool low : {true, false}) {
    columns_.push_back(
        {"", name + (low ? "_low" : "_high"), 0, [interval, low](const TableRow& row) {
           const std::optional<Interval> found = interval(row);
           if (!found) return Json();
           return Json(low ? found->low : found->high);
         }});
  }
}

void ResultColumns::AddCosts() {
  AddNumber("epochs", "epochs", 8, 0, [](const TableRow& row) {
    return row.finished > 0 ? std::optional(row.epochs) : std::nullopt;
  });
  columns_.push_back({"time", "seconds", 9, [](const TableRow& row) { return row.seconds; },
                      [](const TableRow& row) {
                        return row.seconds > 0 ? DurationText(row.seconds) : std::string();
                      }});
}

Json ResultTableJson(const ResultTable& table) {
  const ResultColumns columns(table);
  Json rows = Json::array();
  for (const TableRow& row : table.rows) {
    Json object = Json::object();
    for (const ResultColumn& column : columns.all()) {
      if (!column.name.empty()) object[column.name] = column.value(row);
    }
    rows.push_back(std::move(object));
  }
  return {{"measure", MeasureName(table.measure)},
          {"solved_below", table.solved_below},
          {"keys", table.keys},
          {"rows", std::move(rows)}};
}

}  // namespace pushdown
