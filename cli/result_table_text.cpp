#include "cli/result_table_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "cli/drawing.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "pushdown/escaped_text.h"
#include "pushdown/json.h"
#include "pushdown/printable.h"
#include "pushdown/run/setting_values.h"

namespace pushdown::cli {

const char* const kTableHelp =
    R"(Columns:
  runs       runs that are finished, of all; failed ones are not finished
  best       of the finished runs, by validation
  mean, sd   of the finished runs; the sample standard deviation, with n - 1
  median, quartiles   of the finished runs
  solved     the share of finished runs whose difference is below the experiment's `solved`
  epochs     the mean
  time       of all runs together
  test       of the run that is best by validation, on its test set
A column that is empty in all rows is left out of tables for people (text, md and latex).

By validation, a model of strings is measured by its difference from the optimum, in nats a symbol
(or by its cross-entropy, if the language is not known), and a model of text by its perplexity. The
difference on the test set is that from the optimum of a model that is told the lengths (`pushdown
evaluate --bound length`).)";

const char* const kAgainstHelp =
    R"(With --against FILE, the published numbers stand beside ours, and
  p          of Welch's test that both means are equal, corrected for all rows by Holm's method
  differs    * if p < 0.01
  our mean, our best of N   95 % bootstrap intervals: where our mean, and our best of as many runs
             as were published, would lie if the experiment were repeated
A published cell is compared with the row that has the settings which it names; whether all other
settings are those of the publication is for you to know.)";

namespace {

const std::array<std::string, 5> kFormats = {"text", "md", "csv", "json", "latex"};

struct Column {
  std::string heading;                                    // for people
  std::string name;                                       // for programs
  int rank = 0;                                           // see TableColumn
  std::function<Json(const TableRow&)> value;             // null: there is none
  std::function<std::string(const TableRow&)> text = {};  // for people; empty: the value
};

template <typename T>
Json Optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

std::string IntervalText(const std::optional<Interval>& interval, int digits) {
  if (!interval) return "";
  return fmt::format("{:.{}f} .. {:.{}f}", interval->low, digits, interval->high, digits);
}

class ShownColumns {
 public:
  explicit ShownColumns(const ResultTable& table)
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

  const std::vector<Column>& all() const { return columns_; }

 private:
  using Number = std::function<std::optional<double>(const TableRow&)>;

  void AddNumber(const std::string& heading, const std::string& name, int rank, int digits,
                 const Number& number) {
    columns_.push_back({heading, name, rank,
                        [number](const TableRow& row) { return Optional(number(row)); },
                        [number, digits](const TableRow& row) {
                          const std::optional<double> value = number(row);
                          return value ? fmt::format("{:.{}f}", *value, digits) : std::string();
                        }});
  }
  // Of the finished runs, of which there must be at least `least`.
  void AddScore(const std::string& heading, const std::string& name, int rank,
                double SampleSummary::*member, int least = 1) {
    AddNumber(heading, name, rank, digits_, [member, least](const TableRow& row) {
      return row.scores.count >= least ? std::optional(row.scores.*member) : std::nullopt;
    });
  }
  bool IsPublished(std::optional<double> PublishedCell::*member) const {
    const std::vector<PublishedCell>& cells = table_.published->cells;
    return std::any_of(cells.begin(), cells.end(),
                       [member](const PublishedCell& cell) { return (cell.*member).has_value(); });
  }
  void AddPublished(const std::string& heading, const std::string& name, int rank,
                    std::optional<double> PublishedCell::*member) {
    if (!IsPublished(member)) return;
    AddNumber(heading, name, rank, digits_, [member](const TableRow& row) {
      return row.comparison ? row.comparison->published.*member : std::nullopt;
    });
  }

  bool HasPublishedTest() const {
    if (!table_.published) return true;
    const std::vector<PublishedCell>& cells = table_.published->cells;
    return std::any_of(cells.begin(), cells.end(),
                       [](const PublishedCell& cell) { return cell.test.has_value(); });
  }

  void AddRuns() {
    columns_.push_back({"runs", "finished", 0, [](const TableRow& row) { return row.finished; },
                        [](const TableRow& row) {
                          return fmt::format("{}/{}{}", row.finished, row.runs,
                                             row.failed > 0 ? fmt::format(", {} failed", row.failed)
                                                            : std::string());
                        }});
    columns_.push_back({"", "runs", 0, [](const TableRow& row) { return row.runs; }});
    columns_.push_back({"", "failed", 0, [](const TableRow& row) { return row.failed; }});
  }

  // In a narrow window, what was published stands beside the same number of ours.
  void AddScores() {
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

  void AddComparison() {
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

  void AddInterval(const std::string& heading, const std::string& name,
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

  void AddCosts() {
    AddNumber("epochs", "epochs", 8, 0, [](const TableRow& row) {
      return row.finished > 0 ? std::optional(row.epochs) : std::nullopt;
    });
    columns_.push_back({"time", "seconds", 9, [](const TableRow& row) { return row.seconds; },
                        [](const TableRow& row) {
                          return row.seconds > 0 ? DurationText(row.seconds) : std::string();
                        }});
  }

  const ResultTable& table_;
  int digits_;
  bool means_published_;
  std::vector<Column> columns_;
};

std::string Shown(const Column& column, const TableRow& row) {
  if (column.text) return column.text(row);
  const Json value = column.value(row);
  if (value.is_null()) return "";
  return value.is_string() ? Printable(value.get<std::string>(), 200) : value.dump();
}

bool IsEmpty(const Column& column, const TableRow& row) {
  return column.value ? column.value(row).is_null() : column.text(row).empty();
}

std::string CsvText(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  return CsvField(value.get<std::string>());
}

std::string CaptionText(const ResultTable& table) {
  std::string text = fmt::format("By validation: {}", MeasureName(table.measure));
  if (table.measure == Measure::kDifference) {
    text += fmt::format(" in nats a symbol; solved: below {}", table.solved_below);
  } else if (table.measure == Measure::kCrossEntropy) {
    text += " in nats a symbol";
  }
  if (table.published && !table.published->source.empty()) {
    text += ". Paper: " + Printable(table.published->source, 1000);
  }
  return text;
}

// The columns that people see, as rows of texts.
std::vector<std::vector<std::string>> Cells(const ResultTable& table, const ShownColumns& columns,
                                            std::vector<TableColumn>& headings) {
  std::vector<std::vector<std::string>> rows(table.rows.size());
  for (const Column& column : columns.all()) {
    if (column.heading.empty()) continue;
    if (std::all_of(table.rows.begin(), table.rows.end(),
                    [&column](const TableRow& row) { return IsEmpty(column, row); })) {
      continue;
    }
    const bool key = column.heading == column.name && !column.text;
    headings.push_back({.heading = Printable(column.heading), .rank = column.rank, .left = key});
    for (std::size_t n = 0; n < rows.size(); ++n) rows[n].push_back(Shown(column, table.rows[n]));
  }
  return rows;
}

std::string MarkdownText(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\|`<").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string Markdown(const std::vector<TableColumn>& headings,
                     const std::vector<std::vector<std::string>>& rows) {
  std::string text = "|";
  std::string line = "\n|";
  for (const TableColumn& column : headings) {
    text += fmt::format(" {} |", MarkdownText(column.heading));
    line += column.left ? "---|" : "---:|";
  }
  text += line + "\n";
  for (const std::vector<std::string>& row : rows) {
    text += "|";
    for (const std::string& each : row) text += fmt::format(" {} |", MarkdownText(each));
    text += "\n";
  }
  return text;
}

std::string Latex(const ResultTable& table, const std::vector<TableColumn>& headings,
                  const std::vector<std::vector<std::string>>& rows) {
  std::string text = fmt::format("% {}\n\\begin{{tabular}}{{", CaptionText(table));
  for (const TableColumn& column : headings) text += column.left ? 'l' : 'r';
  text += "}\n\\hline\n";
  const auto add = [&text](const auto& cells, const auto& of) {
    const char* separator = "";
    for (const auto& each : cells) {
      text += separator + LatexText(of(each));
      separator = " & ";
    }
    text += " \\\\\n";
  };
  add(headings, [](const TableColumn& column) { return column.heading; });
  text += "\\hline\n";
  for (const std::vector<std::string>& row : rows) {
    add(row, [](const std::string& each) { return each; });
  }
  return text + "\\hline\n\\end{tabular}\n";
}

std::string Csv(const ResultTable& table, const ShownColumns& columns) {
  std::string text;
  const auto add_row = [&](const auto& cell) {
    const char* separator = "";
    for (const Column& column : columns.all()) {
      if (column.name.empty()) continue;
      text += separator + CsvText(cell(column));
      separator = ",";
    }
    text += "\n";
  };
  add_row([](const Column& column) { return Json(column.name); });
  for (const TableRow& row : table.rows) {
    add_row([&row](const Column& column) { return column.value(row); });
  }
  return text;
}

Json ResultTableJson(const ResultTable& table) {
  const ShownColumns columns(table);
  Json rows = Json::array();
  for (const TableRow& row : table.rows) {
    Json object = Json::object();
    for (const Column& column : columns.all()) {
      if (!column.name.empty()) object[column.name] = column.value(row);
    }
    rows.push_back(std::move(object));
  }
  return {{"measure", MeasureName(table.measure)},
          {"solved_below", table.solved_below},
          {"keys", table.keys},
          {"rows", std::move(rows)}};
}

}  // namespace

TableFormat ParseTableFormat(const std::string& name) {
  return static_cast<TableFormat>(ParseChoice(name, kFormats));
}

std::string Format(const ResultTable& table, TableFormat format) {
  if (format == TableFormat::kJson) return IndentedJson(ResultTableJson(table));
  const ShownColumns columns(table);
  if (format == TableFormat::kCsv) return Csv(table, columns);
  std::vector<TableColumn> headings;
  const std::vector<std::vector<std::string>> rows = Cells(table, columns, headings);
  if (format == TableFormat::kMarkdown) return Markdown(headings, rows);
  if (format == TableFormat::kLatex) return Latex(table, headings, rows);
  return TableText(headings, rows) + "\n" + Wrapped(CaptionText(table), DrawingWidth(100)) + "\n";
}

}  // namespace pushdown::cli
