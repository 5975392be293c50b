#include "pushdown/experiment/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/json.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"
#include "pushdown/run/parsed_file.h"

namespace pushdown {
namespace {

constexpr double kSignificant = 0.01;

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::MakeTable", message);
}

// All settings that distinguish cells, in the order in which they first appear.
std::vector<std::string> AllKeys(const ExperimentResults& results) {
  std::vector<std::string> keys;
  for (const CellResults& cell : results.cells) {
    for (const NamedSetting& key : cell.keys) {
      if (std::find(keys.begin(), keys.end(), key.name) == keys.end()) keys.push_back(key.name);
    }
  }
  return keys;
}

std::string ValueOf(const std::vector<NamedSetting>& settings, const std::string& key) {
  for (const NamedSetting& setting : settings) {
    if (setting.name == key) return setting.value;
  }
  return {};
}

// A row while runs are being added to it.
struct GrowingRow {
  TableRow row;
  std::vector<double> scores;
  double best = std::numeric_limits<double>::infinity();
  double epochs = 0;
  int solved = 0;

  void Add(const CellResults& cell, const ExperimentResults& results) {
    for (std::size_t n = 0; n < cell.runs.size(); ++n) {
      const RunRecord& record = cell.runs[n];
      ++row.runs;
      row.seconds += record.seconds;
      if (record.state == RunState::kFailed) ++row.failed;
      if (record.state != RunState::kFinished) continue;
      ++row.finished;
      epochs += record.epochs;
      const std::optional<double> score = ScoreOf(record, results.measure);
      if (!score || !std::isfinite(*score)) continue;
      scores.push_back(*score);
      if (*score < results.solved) ++solved;
      if (*score >= best) continue;
      best = *score;
      row.test = TestScoreOf(record, results.measure);
      row.best_run = RunNameOf(cell, n);
    }
  }

  TableRow Finished() {
    row.scores = Summarize(scores);
    if (row.finished > 0) {
      row.epochs = epochs / row.finished;
      row.solved = static_cast<double>(solved) / row.finished;
    }
    return row;
  }
};

// Whether a row is about what was published: it has all settings that the published cell names.
bool Matches(const PublishedCell& published, const std::vector<std::string>& keys,
             const std::vector<std::string>& values) {
  return std::all_of(published.keys.begin(), published.keys.end(), [&](const NamedSetting& wanted) {
    for (std::size_t n = 0; n < keys.size(); ++n) {
      if (keys[n] == wanted.name) return values[n] == wanted.value;
    }
    return false;
  });
}

void Compare(const std::vector<GrowingRow>& growing, ResultTable& table) {
  const PublishedResults& published = *table.published;
  std::vector<double> p_values;
  for (std::size_t n = 0; n < table.rows.size(); ++n) {
    TableRow& row = table.rows[n];
    double p = std::numeric_limits<double>::quiet_NaN();
    const auto found = std::find_if(
        published.cells.begin(), published.cells.end(),
        [&](const PublishedCell& cell) { return Matches(cell, table.keys, row.values); });
    if (found != published.cells.end()) {
      RowComparison& comparison = row.comparison.emplace();
      comparison.published = *found;
      if (!growing[n].scores.empty()) {
        comparison.mean_interval = BootstrapMean(growing[n].scores);
        comparison.best_interval = BootstrapBest(growing[n].scores, published.runs);
      }
      if (found->mean && found->sd) {
        comparison.test = CompareMeans(
            {row.scores.count, row.scores.mean, row.scores.sd},
            {published.runs, *found->mean, SampleFromPopulationSd(*found->sd, published.runs)});
      }
      if (comparison.test) p = comparison.test->p;
    }
    p_values.push_back(p);
  }
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  for (std::size_t n = 0; n < table.rows.size(); ++n) {
    if (!table.rows[n].comparison || std::isnan(adjusted[n])) continue;
    table.rows[n].comparison->adjusted_p = adjusted[n];
    table.rows[n].comparison->differs = adjusted[n] < kSignificant;
  }
}

}  // namespace

PublishedResults ParsePublished(const std::string& text) try {
  constexpr int kMostRuns = 10000;
  const auto refuse = [](const std::string& message) {
    throw Error("pushdown::ParsePublished", message);
  };
  ReadJson(text);  // complains in our words
  const Json value = Json::parse(text);
  if (!value.is_object() || !value.contains("runs") || !value.contains("cells")) {
    refuse("is no file of published numbers, which has runs and cells");
  }
  PublishedResults results;
  results.source = value.value("source", "");
  const double runs = value.at("runs").get<double>();
  if (!(1 <= runs && runs <= kMostRuns)) {
    refuse(fmt::format("runs: expected 1 to {}, found {}", kMostRuns, runs));
  }
  results.runs = static_cast<int>(runs);
  for (const Json& each : value.at("cells")) {
    if (!each.is_object()) refuse("cells: expected objects");
    PublishedCell& cell = results.cells.emplace_back();
    const std::map<std::string, std::optional<double>*> numbers = {{"mean", &cell.mean},
                                                                   {"sd", &cell.sd},
                                                                   {"best", &cell.best},
                                                                   {"validation", &cell.best},
                                                                   {"test", &cell.test}};
    for (const auto& [key, member] : each.items()) {
      const auto number = numbers.find(key);
      if (number != numbers.end()) {
        *number->second = member.get<double>();
      } else {
        cell.keys.push_back({key, member.is_string() ? member.get<std::string>() : member.dump()});
      }
    }
    if (cell.sd && *cell.sd < 0) refuse("sd: expected a standard deviation of at least 0");
    if (cell.sd && *cell.sd > 0 && results.runs == 1) refuse("sd: one run has none");
  }
  if (results.cells.empty()) refuse("cells: expected at least one");
  return results;
} catch (const nlohmann::json::exception& error) {
  throw Error("pushdown::ParsePublished", Printable(error.what(), 200));
}

PublishedResults ReadPublished(const std::string& path) {
  return ParseFile(path, 16e6, ParsePublished);
}

bool HasComparison(const ResultTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const TableRow& row) { return row.comparison.has_value(); });
}

std::string UnmatchedText(const PublishedResults& published) {
  std::string settings;
  for (const NamedSetting& key : published.cells.front().keys) {
    settings += fmt::format("{}{}={}", settings.empty() ? "" : ",", key.name, key.value);
  }
  return "no row has the settings of a published one, such as " + Printable(settings, 200);
}

ResultTable MakeTable(const ExperimentResults& results, const std::vector<std::string>& by,
                      const std::optional<PublishedResults>& published) {
  ResultTable table;
  table.measure = results.measure;
  table.solved_below = results.solved;
  table.published = published;
  const std::vector<std::string> known = AllKeys(results);
  for (const std::string& key : by) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    Refuse(fmt::format("the cells are not distinguished by {}{}; there are {}", Quoted(key),
                       Suggestion(key, known), fmt::join(known, ", ")));
  }
  table.keys = by.empty() ? known : by;
  std::vector<GrowingRow> growing;
  std::map<std::vector<std::string>, std::size_t> places;
  for (std::size_t n = 0; n < results.cells.size(); ++n) {
    const CellResults& cell = results.cells[n];
    std::vector<std::string> values;
    for (const std::string& key : table.keys) values.push_back(ValueOf(cell.keys, key));
    const auto [place, is_new] = places.try_emplace(values, growing.size());
    if (is_new) growing.emplace_back().row.values = values;
    growing[place->second].row.cells.push_back(n);
    growing[place->second].Add(cell, results);
  }
  for (GrowingRow& each : growing) table.rows.push_back(each.Finished());
  if (published) Compare(growing, table);
  return table;
}

}  // namespace pushdown
