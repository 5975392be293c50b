#include "pushdown/experiment/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "pushdown/error.h"
#include "pushdown/experiment/cost.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/run/settings_format.h"

namespace pushdown {
namespace {

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::CellSelector", message);
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.npos) return parts;
    begin = end + 1;
  }
}

const std::string* ValueOf(const Cell& cell, const std::string& key) {
  for (const NamedSetting& setting : cell.keys) {
    if (setting.name == key) return &setting.value;
  }
  return nullptr;
}

// The settings that distinguish cells, and the values of one of them, each once and in the order of
// the cells.
std::vector<std::string> KeysOf(const std::vector<Cell>& cells) {
  std::vector<std::string> keys;
  std::set<std::string> known;
  for (const Cell& cell : cells) {
    for (const NamedSetting& setting : cell.keys) {
      if (known.insert(setting.name).second) keys.push_back(setting.name);
    }
  }
  return keys;
}
std::vector<std::string> ValuesOf(const std::vector<Cell>& cells, const std::string& key) {
  std::vector<std::string> values;
  std::set<std::string> known;
  for (const Cell& cell : cells) {
    const std::string* value = ValueOf(cell, key);
    if (value != nullptr && known.insert(*value).second) values.push_back(*value);
  }
  return values;
}

}  // namespace

std::string RunName(const ExperimentPlan& plan, const RunId& run) {
  return plan.cells[run.cell].name + "/" + RestartName(run.restart);
}

RunSettings SettingsOfRun(const ExperimentPlan& plan, const RunId& run) {
  return SettingsOfRestart(plan.cells[run.cell].settings, run.restart);
}

CellSelector::CellSelector(const std::string& text) {
  std::set<std::string> keys;
  for (const std::string& part : Split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == part.npos || equals == 0 || equals + 1 == part.size()) {
      Refuse(
          fmt::format("expected SETTING=VALUE[,SETTING=VALUE...], such as task=dyck,symbols=2, "
                      "found {}",
                      Quoted(text, 200)));
    }
    const std::string key = part.substr(0, equals);
    if (!keys.insert(key).second) {
      Refuse(fmt::format("{0} is there twice; {0}=A|B chooses cells that have either value",
                         Printable(key)));
    }
    const std::vector<std::string> values = Split(part.substr(equals + 1), '|');
    conditions_.push_back({key, {values.begin(), values.end()}});
  }
}

bool CellSelector::Chooses(const Cell& cell) const {
  return std::all_of(conditions_.begin(), conditions_.end(), [&cell](const Condition& condition) {
    const std::string* value = ValueOf(cell, condition.key);
    return value != nullptr && condition.values.contains(*value);
  });
}

void CellSelector::Check(const std::vector<Cell>& cells) const {
  for (const Condition& condition : conditions_) {
    const std::vector<std::string> values = ValuesOf(cells, condition.key);
    if (values.empty()) {
      const std::vector<std::string> keys = KeysOf(cells);
      Refuse(fmt::format("the cells are not distinguished by {}{}; there are {}",
                         Quoted(condition.key), Suggestion(condition.key, keys),
                         fmt::join(keys, ", ")));
    }
    const std::set<std::string> known(values.begin(), values.end());
    for (const std::string& value : condition.values) {
      if (known.contains(value)) continue;
      Refuse(fmt::format("no cell has {}={}{}; there are {}", condition.key, Printable(value),
                         Suggestion(value, values),
                         Printable(fmt::format("{}", fmt::join(values, ", ")), 400)));
    }
  }
}

std::vector<RunId> OrderedRuns(const ExperimentPlan& plan, int restarts,
                               const CellSelector& selector) {
  std::vector<std::size_t> order;
  std::vector<double> costs;
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    costs.push_back(ApproximateRunSeconds(plan.cells[cell].settings));
    if (selector.Chooses(plan.cells[cell])) order.push_back(cell);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&costs](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  std::vector<RunId> runs;
  for (int restart = 1; restart <= restarts; ++restart) {
    for (const std::size_t cell : order) runs.push_back({cell, restart});
  }
  return runs;
}

std::string DifferenceFrom(const ExperimentPlan& plan, const ExperimentPlan& other) {
  if (plan.kind != other.kind) return "it trains models of another kind";
  if (plan.seed != other.seed) {
    return fmt::format("its seed is {}, not {}", other.seed, plan.seed);
  }
  if (plan.test != other.test) return "only one of them evaluates on test sets";
  std::map<std::string, const Cell*> cells;
  for (const Cell& cell : other.cells) cells[cell.name] = &cell;
  for (const Cell& cell : plan.cells) {
    const auto found = cells.find(cell.name);
    if (found == cells.end()) return fmt::format("it has no cell {}", cell.name);
    const Json expected = FixedSettingsJson(cell.settings);
    const Json settings = FixedSettingsJson(found->second->settings);
    const std::string difference = FirstDifference(expected, settings);
    if (!difference.empty()) return fmt::format("in the cell {}, {}", cell.name, difference);
    // A higher limit lets runs go on; with a lower one, runs of one cell would have different ones.
    const int limit = cell.settings.training.max_epochs;
    const int other_limit = found->second->settings.training.max_epochs;
    if (other_limit < limit) {
      return fmt::format("in the cell {}, max-epochs is {}, expected at least {}", cell.name,
                         other_limit, limit);
    }
    // Some settings are there only if they are given.
    for (const auto& [key, value] : settings.items()) {
      if (expected.contains(key)) continue;
      return fmt::format("in the cell {}, {} is {}, and was not given before", cell.name, key,
                         Printable(value.dump(), 60));
    }
  }
  return {};
}

}  // namespace pushdown
