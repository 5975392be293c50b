#include "cli/bench_table.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "cli/text_table.h"

namespace pushdown::cli {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

double Quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  const double place = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double Median(const std::vector<double>& values) { return Quantile(values, 0.5); }

double SpreadPercent(const std::vector<double>& values) {
  return 100 * (Quantile(values, 0.75) - Quantile(values, 0.25)) / Median(values);
}

void MeasureFor(double seconds, const std::function<void()>& work, std::vector<double>& times) {
  const Clock::time_point start = Clock::now();
  Clock::time_point now = start;
  do {
    const Clock::time_point before = now;
    work();
    now = Clock::now();
    times.push_back(std::chrono::duration<double>(now - before).count());
    ThrowIfInterrupted();
  } while (std::chrono::duration<double>(now - start).count() < seconds);
}

double PeakResidentBytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * static_cast<double>(usage.ru_maxrss);
}

std::string MarkdownText(std::span<const BenchColumn> columns,
                         const std::vector<std::string>& circumstances,
                         const std::vector<Json>& results) {
  constexpr std::size_t kBetween = 3;  // "| " and a space
  const std::size_t width = TerminalWidth(STDOUT_FILENO);
  std::string text;
  for (const std::string& line : circumstances) {
    text += Wrapped(line, width) + "  \n";  // keeps the end of the line
  }
  text += "\n";
  std::vector<std::vector<std::string>> rows(1 + results.size());
  std::vector<std::size_t> widths;
  std::vector<int> ranks;
  for (const BenchColumn& column : columns) {
    rows[0].emplace_back(column.heading);
    for (std::size_t n = 0; n < results.size(); ++n) {
      const Json& value = results[n][column.key];
      rows[n + 1].push_back(value.is_null() ? "-"
                            : value.is_string()
                                ? value.get<std::string>()
                                : fmt::format("{:.{}f}", value.get<double>(), column.decimals));
    }
    std::size_t widest = 0;
    for (const auto& row : rows) widest = std::max(widest, row.back().size());
    widths.push_back(widest + kBetween);
    ranks.push_back(column.rank);
  }
  const std::vector<std::size_t> kept = FittingColumns(widths, ranks, width - 1);  // the last |
  const auto line = [&](const auto& cell) {
    for (const std::size_t c : kept) text += cell(c, widths[c] - kBetween);
    text += "|\n";
  };
  for (std::size_t n = 0; n < rows.size(); ++n) {
    line([&](std::size_t c, std::size_t size) {
      return c == 0 ? fmt::format("| {:<{}} ", rows[n][c], size)
                    : fmt::format("| {:>{}} ", rows[n][c], size);
    });
    if (n > 0) continue;
    line([](std::size_t c, std::size_t size) {
      return c == 0 ? fmt::format("|{:-<{}}", "", size + 2)
                    : fmt::format("|{:->{}}:", "", size + 1);
    });
  }
  const std::string left_out = LeftOutText(rows[0], kept, width);
  return text + (left_out.empty() ? "" : "\n" + left_out);
}

std::string CsvText(std::span<const BenchColumn> columns,
                    const std::vector<std::string>& circumstances,
                    const std::vector<Json>& results) {
  std::string text;
  for (const std::string& line : circumstances) text += "# " + line + "\n";
  std::vector<std::string> cells;
  for (const BenchColumn& column : columns) cells.emplace_back(column.key);
  text += fmt::format("{}\n", fmt::join(cells, ","));
  for (const Json& result : results) {
    cells.clear();
    for (const BenchColumn& column : columns) {
      const Json& value = result[column.key];
      cells.push_back(value.is_null()     ? ""
                      : value.is_string() ? value.get<std::string>()
                                          : value.dump());
    }
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace pushdown::cli
