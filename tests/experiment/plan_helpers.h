#pragma once

// What tests look for in the plan of an experiment.

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/experiment/experiment_file.h"
#include "pushdown/experiment/plan.h"
#include "pushdown/run/settings_format.h"

namespace pushdown::testing_experiments {

inline ExperimentPlan Parse(const std::string& text, const std::vector<NamedSetting>& set = {}) {
  return ParseExperiment(text, "file", set);
}

inline std::vector<std::string> CellNames(const ExperimentPlan& plan) {
  std::vector<std::string> names;
  for (const Cell& cell : plan.cells) names.push_back(cell.name);
  return names;
}

// The cell of this name; throws if there is none.
inline const Cell& CellOf(const ExperimentPlan& plan, const std::string& name) {
  for (const Cell& cell : plan.cells) {
    if (cell.name == name) return cell;
  }
  throw std::out_of_range("there is no cell " + name);
}

// A setting of a cell as config.json has it.
inline std::string SettingOf(const Cell& cell, const std::string& name) {
  const Json settings = SettingsJson(cell.settings);
  return settings.contains(name) ? settings[name].dump() : "none";
}

// The message about a text that is refused.
inline std::string Refusal(const std::string& text, const std::vector<NamedSetting>& set = {}) {
  try {
    Parse(text, set);
  } catch (const Error& error) {
    return error.message();
  }
  return "no Error";
}

}  // namespace pushdown::testing_experiments
