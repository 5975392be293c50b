#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/experiment/experiment_file.h"
#include "pushdown/toml.h"

namespace pushdown {

// A text may not name files that are read.
inline bool NamesFiles(const std::vector<TomlTable>& tables) {
  constexpr std::array kFiles = {"data", "grammar", "start-from"};
  return std::any_of(tables.begin(), tables.end(), [&](const TomlTable& table) {
    return std::any_of(table.entries.begin(), table.entries.end(), [&](const TomlEntry& entry) {
      return std::find(kFiles.begin(), kFiles.end(), entry.key) != kFiles.end();
    });
  });
}

// Models of text need a directory, which is not read.
inline std::vector<NamedSetting> SettingsBeside(const TomlTable& first) {
  const bool text =
      std::any_of(first.entries.begin(), first.entries.end(), [](const TomlEntry& entry) {
        return entry.key == "command" && entry.value.text == "lm train";
      });
  return text ? std::vector<NamedSetting>{{"data", "."}} : std::vector<NamedSetting>();
}

// Throws if a plan is not as it is promised.
inline void CheckPlan(const ExperimentPlan& plan, const ExperimentPlan& again) {
  const auto expect = [](bool condition, const char* what) {
    if (!condition) throw std::logic_error(what);
  };
  expect(!plan.cells.empty(), "there are no cells");
  expect(plan.cells.size() == again.cells.size(), "there are other cells");
  std::set<std::string> names;
  for (std::size_t n = 0; n < plan.cells.size(); ++n) {
    const Cell& cell = plan.cells[n];
    expect(names.insert(cell.name).second, "two cells have the same name");
    const bool plain = std::all_of(cell.name.begin(), cell.name.end(),
                                   [](char c) { return c > ' ' && c < 0x7f && c != '/'; });
    expect(plain && !cell.name.empty() && cell.name.size() < 256 && cell.name.front() != '.',
           "the name of a cell is not that of a directory");
    expect(cell.name == again.cells[n].name && cell.settings.seed == again.cells[n].settings.seed,
           "a cell is another one");
  }
  // What takes time for many cells.
  constexpr std::size_t kFew = 100;
  if (plan.cells.size() > kFew) return;
  for (const Cell& cell : plan.cells) {
    if (cell.keys.empty()) continue;
    const CellSelector selector(cell.name);
    for (const Cell& other : plan.cells) {
      expect(selector.Chooses(other) == (other.name == cell.name),
             "the name of a cell chooses another one");
    }
  }
  expect(OrderedRuns(plan, 2).size() == 2 * plan.cells.size(), "there are other runs");
  expect(DifferenceFrom(plan, again).empty(), "the plans differ");
}

// Reads any text as the file of an experiment, twice. The names of its cells must be distinct and
// those of directories, and both plans the same. Only what the library reports as an error is
// caught; returns whether there is a plan.
inline bool CheckExperiment(const std::string& text) {
  const std::array<std::string, 2> tables = {"cells", "overrides"};
  try {
    const std::vector<TomlTable> read = ReadToml(text, "experiment", tables);
    if (NamesFiles(read)) return false;
    const std::vector<NamedSetting> set = SettingsBeside(read.front());
    const ExperimentPlan plan = ParseExperiment(text, "experiment", set);
    CheckPlan(plan, ParseExperiment(text, "experiment", set));
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace pushdown
