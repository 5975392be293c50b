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
#include "pushdown/experiment/result_columns.h"
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

std::string Shown(const ResultColumn& column, const TableRow& row) {
  if (column.text) return column.text(row);
  const Json value = column.value(row);
  if (value.is_null()) return "";
  return value.is_string() ? Printable(value.get<std::string>(), 200) : value.dump();
}

bool IsEmpty(const ResultColumn& column, const TableRow& row) {
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
std::vector<std::vector<std::string>> Cells(const ResultTable& table, const ResultColumns& columns,
                                            std::vector<TableColumn>& headings) {
  std::vector<std::vector<std::string>> rows(table.rows.size());
  for (const ResultColumn& column : columns.all()) {
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

std::string Csv(const ResultTable& table, const ResultColumns& columns) {
  std::string text;
  const auto add_row = [&](const auto& cell) {
    const char* separator = "";
    for (const ResultColumn& column : columns.all()) {
      if (column.name.empty()) continue;
      text += separator + CsvText(cell(column));
      separator = ",";
    }
    text += "\n";
  };
  add_row([](const ResultColumn& column) { return Json(column.name); });
  for (const TableRow& row : table.rows) {
    add_row([&row](const ResultColumn& column) { return column.value(row); });
  }
  return text;
}

}  // namespace

TableFormat ParseTableFormat(const std::string& name) {
  return static_cast<TableFormat>(ParseChoice(name, kFormats));
}

std::string Format(const ResultTable& table, TableFormat format) {
  if (format == TableFormat::kJson) return IndentedJson(ResultTableJson(table));
  const ResultColumns columns(table);
  if (format == TableFormat::kCsv) return Csv(table, columns);
  std::vector<TableColumn> headings;
  const std::vector<std::vector<std::string>> rows = Cells(table, columns, headings);
  if (format == TableFormat::kMarkdown) return Markdown(headings, rows);
  if (format == TableFormat::kLatex) return Latex(table, headings, rows);
  return TableText(headings, rows) + "\n" + Wrapped(CaptionText(table), DrawingWidth(100)) + "\n";
}

}  // namespace pushdown::cli
