#include "pushdown/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <sstream>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/experiment/result_table.h"
#include "pushdown/printable.h"
#include "pushdown/report/report_data.h"
#include "pushdown/report/report_inputs.h"
#include "pushdown/report/report_page.h"
#include "pushdown/run/machine.h"
#include "pushdown/version.h"

namespace pushdown {
namespace {

constexpr int kFormat = 1;

// Published numbers, and whether an experiment has been compared with them.
struct Against {
  std::string path = {};
  PublishedResults results = {};
  bool matches = false;
};

// The table of an experiment, beside the first of the published results that has some of its cells.
ResultTable TableOf(const ExperimentResults& results, std::vector<Against>& against) {
  for (Against& each : against) {
    ResultTable table = MakeTable(results, {}, each.results);
    if (!HasComparison(table)) continue;
    each.matches = true;
    return table;
  }
  return MakeTable(results);
}

void CheckString(const std::string& string) {
  constexpr int kMostSymbols = 10000;
  std::istringstream words(string);
  int symbols = 0;
  for (std::string word; words >> word;) ++symbols;
  if (symbols > kMostSymbols) {
    throw Error(
        ErrorKind::kLimit, "pushdown::MakeReport",
        fmt::format("a string has {} symbols, and a page takes {} at most", symbols, kMostSymbols));
  }
}

// "lstm, rns-1-3 on marked-reversal", for each language.
std::vector<std::string> NamesOfRuns(const ExperimentResults& results) {
  const auto value_of = [&results](const CellResults& cell, const std::string& key) {
    for (const std::vector<NamedSetting>& settings : {cell.keys, results.common}) {
      for (const NamedSetting& setting : settings) {
        if (setting.name == key) return setting.value;
      }
    }
    return std::string();
  };
  std::vector<std::pair<std::string, std::string>> models;  // by languages
  for (const CellResults& cell : results.cells) {
    const std::string task = value_of(cell, "task");
    const std::string model = value_of(cell, "model");
    const auto found = std::find_if(models.begin(), models.end(),
                                    [&task](const auto& each) { return each.first == task; });
    if (found == models.end()) {
      models.emplace_back(task, model);
    } else if ((", " + found->second + ", ").find(", " + model + ", ") == std::string::npos) {
      found->second += ", " + model;
    }
  }
  std::vector<std::string> names;
  for (const auto& [task, each] : models) {
    names.push_back(task.empty() ? each : each + " on " + task);
  }
  return names;
}

// What the page is about: the titles of its experiments, and the names of models and automata.
std::string TitleOf(const ReportInputs& inputs) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (!name.empty() && !known) names.push_back(name);
  };
  for (const ResultsInput& input : inputs.results) {
    if (!input.path.empty()) {
      add(input.results.title.empty() ? input.results.name : input.results.title);
      continue;
    }
    for (const std::string& name : NamesOfRuns(input.results)) add(name);
  }
  for (const Json& inspection : inputs.inspections) add(inspection["model"].get<std::string>());
  for (const Json& pca : inputs.pca) add(pca["model"]["name"].get<std::string>());
  for (const AutomatonInput& automaton : inputs.automata) add(automaton.name);
  if (names.empty()) return "Pushdown";
  constexpr std::size_t kMostNames = 5;
  const std::size_t more = names.size() - std::min(names.size(), kMostNames);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

Report MakeReport(const ReportRequest& request, const std::string& page_template,
                  const StageProgress& progress, const Warn& warn) {
  for (const std::string& string : request.strings) CheckString(string);
  std::vector<Against> against;
  for (const std::string& path : request.against) against.push_back({path, ReadPublished(path)});
  ReportInputs inputs = ReadReportInputs(request.paths, progress);

  Json experiments = Json::array();
  for (const ResultsInput& input : inputs.results) {
    experiments.push_back(ResultsJson(input, TableOf(input.results, against)));
  }
  Json automata = Json::array();
  double layout_seconds = 20;  // of all automata
  for (const AutomatonInput& automaton : inputs.automata) {
    if (progress) {
      progress("drawing automata",
               static_cast<double>(automata.size()) / static_cast<double>(inputs.automata.size()));
    }
    const auto begin = std::chrono::steady_clock::now();
    automata.push_back(AutomatonJson(automaton, layout_seconds));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    layout_seconds = std::max(layout_seconds - taken.count(), 0.0);
  }
  for (const Against& each : against) {
    if (each.matches || !warn) continue;
    warn(fmt::format("--against {}: {}", Printable(each.path, 200), UnmatchedText(each.results)));
  }
  if (!request.strings.empty() && inputs.automata.empty() && warn) {
    warn("--string: there is no automaton on the page that could read it");
  }

  Report report;
  report.experiments = static_cast<int>(
      std::count_if(inputs.results.begin(), inputs.results.end(),
                    [](const ResultsInput& input) { return !input.path.empty(); }));
  report.runs = inputs.runs;
  report.inspections = static_cast<int>(inputs.inspections.size());
  report.analyses = static_cast<int>(inputs.pca.size());
  report.evaluations = inputs.evaluations;
  report.automata = static_cast<int>(inputs.automata.size());
  const std::string title = request.title.empty() ? TitleOf(inputs) : request.title;
  const Json data = {{"format", kFormat},
                     {"pushdown", kVersion},
                     {"revision", Revision()},
                     {"written", UtcNow()},
                     {"title", title},
                     {"experiments", std::move(experiments)},
                     {"inspections", std::move(inputs.inspections)},
                     {"pca", std::move(inputs.pca)},
                     {"automata", std::move(automata)},
                     {"strings", request.strings}};
  report.page = FillTemplate(page_template, title, data);
  return report;
}

}  // namespace pushdown
