#include "pushdown/experiment/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/experiment/run_record_format.h"
#include "pushdown/fingerprint.h"
#include "pushdown/interruption.h"
#include "pushdown/printable.h"
#include "pushdown/run/parsed_file.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/run/setting_values.h"
#include "pushdown/run/settings_format.h"
#include "pushdown/version.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;

constexpr int kFormat = 1;
constexpr const char* kWhat = "pushdown experiment";
constexpr const char* kParameters = "param";  // of a language

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::OpenResults", message);
}

// The lengths of the strings that are sampled for the training; nothing if they are read.
std::optional<LengthRange> TrainingLengths(const RunSettings& settings) {
  if (settings.kind == DataKind::kText || !settings.data.empty()) return std::nullopt;
  return settings.dataset.lengths;
}

// The settings of a language by themselves, so that cells are named by those that differ.
Json LanguageSettings(const Json& language) {
  Json value = {{"task", language["language"]}};
  if (language.contains("symbols")) value["symbols"] = language["symbols"];
  if (language.contains("parameters")) {
    std::string text;
    for (const auto& [name, number] : language["parameters"].items()) {
      text += fmt::format("{}{}={}", text.empty() ? "" : "+", name, number.dump());
    }
    if (!text.empty()) value[kParameters] = text;
  }
  if (language.contains("grammar")) {
    // Its text is too long for a name.
    Fingerprint fingerprint;
    fingerprint.Add(language["grammar"].get<std::string>());
    value["grammar"] = fingerprint.Text();
  }
  return value;
}

// The settings of a run without what is drawn for a restart.
Json WithoutDrawn(const RunSettings& settings) {
  const Json all = SettingsJson(settings);
  Json value = Json::object();
  for (const auto& [key, setting] : all.items()) {
    if (key != "language") {
      value[key] = setting;
    } else if (!setting.is_null()) {
      value.update(LanguageSettings(setting));
    }
  }
  for (const char* name : {"seed", "data-seed", "parameter-seed", "shuffle-seed",
                           "hyperparameter-seed", "restarts", "test-seed"}) {
    value.erase(name);
  }
  // A rate that is the one which would have been drawn was not given.
  RunSettings drawn = settings;
  drawn.learning_rate.reset();
  drawn.clipping.reset();
  drawn = SettingsOfRestart(drawn, 1);
  if (settings.learning_rate == drawn.learning_rate) value.erase("learning-rate");
  if (settings.kind == DataKind::kText && settings.clipping == drawn.clipping) {
    value.erase("clipping");
  }
  return value;
}

std::string TextOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The settings that not all cells have in common. The model is always one of them.
std::vector<std::string> DistinguishingKeys(const std::vector<Json>& cells) {
  std::vector<std::string> keys;
  for (const Json& cell : cells) {
    for (const auto& setting : cell.items()) {
      const std::string& key = setting.key();
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      const bool differs = std::any_of(cells.begin(), cells.end(), [&](const Json& other) {
        // Every language has parameters of its own.
        if (key == kParameters && other.value("task", "") != cell.value("task", "")) return false;
        return !other.contains(key) || other[key] != setting.value();
      });
      if (differs || key == "model") keys.push_back(key);
    }
  }
  return keys;
}

// The runs of directories, each of them once.
class GivenRuns {
 public:
  void AddDirectory(const std::string& path) {
    if (HoldsExperiment(path)) {
      Refuse(fmt::format("{} is an experiment; `pushdown experiment table` has its results",
                         Printable(path, 200)));
    }
    const RunConfig config = ReadConfig(path);
    if (config.settings.restarts == 1) return Add(path, config.settings);
    for (int restart = 1; restart <= config.settings.restarts; ++restart) {
      Add(PathIn(path, RestartName(restart)), SettingsOfRestart(config.settings, restart));
    }
  }

  const std::vector<std::pair<std::string, RunSettings>>& all() const { return runs_; }

 private:
  void Add(const std::string& path, const RunSettings& settings) {
    std::error_code error;
    if (seen_.insert(fs::weakly_canonical(path, error)).second || error) {
      runs_.emplace_back(path, settings);
    }
  }

  std::vector<std::pair<std::string, RunSettings>> runs_;
  std::set<fs::path> seen_;
};

}  // namespace

std::string RunNameOf(const CellResults& cell, std::size_t run) {
  if (!cell.runs[run].directory.empty()) return cell.runs[run].directory;
  return cell.name + "/" + RestartName(static_cast<int>(run) + 1);
}

ExperimentResults ReadResults(const Experiment& experiment, Curves curves) {
  const ExperimentPlan& plan = experiment.plan();
  ExperimentResults results;
  results.name = plan.name;
  results.title = plan.title;
  results.version = kVersion;
  results.kind = plan.kind;
  results.measure = experiment.measure();
  results.solved = plan.solved;
  results.source = plan.source;
  for (std::size_t n = 0; n < plan.cells.size(); ++n) {
    CellResults& cell = results.cells.emplace_back();
    cell.name = plan.cells[n].name;
    cell.keys = plan.cells[n].keys;
    cell.training_lengths = TrainingLengths(plan.cells[n].settings);
    for (int restart = 1; restart <= plan.restarts; ++restart) {
      CheckInterruption();
      const RunId run = {n, restart};
      RunRecord& record = cell.runs.emplace_back(experiment.Record(run));
      if (curves == Curves::kIncluded) {
        ReadRunDetails(experiment.RunPath(run), results.measure, record);
      }
    }
  }
  return results;
}

ExperimentResults OpenResults(const std::string& path, Curves curves) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return ParseFile(path, 256e6, ParseResults);
  return ReadResults(Experiment::Open(path), curves);
}

ExperimentResults ResultsOfRuns(std::span<const std::string> paths, Curves curves) {
  GivenRuns runs;
  for (const std::string& path : paths) runs.AddDirectory(path);
  ExperimentResults results;
  results.version = kVersion;
  std::vector<Json> cells;
  bool first = true;
  for (const auto& [path, settings] : runs.all()) {
    CheckInterruption();
    const Measure measure = MeasureOf(settings);
    if (first) {
      results.kind = settings.kind;
      results.measure = measure;
      first = false;
    }
    if (settings.kind != results.kind) {
      Refuse("runs on strings and runs on text have no measure in common");
    }
    if (measure == Measure::kCrossEntropy) results.measure = measure;
    const Json key = WithoutDrawn(settings);
    const auto place =
        static_cast<std::size_t>(std::find(cells.begin(), cells.end(), key) - cells.begin());
    if (place == cells.size()) {
      cells.push_back(key);
      results.cells.emplace_back().training_lengths = TrainingLengths(settings);
    }
    results.cells[place].runs.push_back(ReadRunRecord(path));
    results.cells[place].runs.back().directory = path;
  }
  const std::vector<std::string> keys = DistinguishingKeys(cells);
  if (!cells.empty()) {
    for (const auto& [key, value] : cells.front().items()) {
      if (value.is_null() || std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      results.common.push_back({key, TextOf(value)});
    }
  }
  for (std::size_t n = 0; n < cells.size(); ++n) {
    CellResults& cell = results.cells[n];
    for (const std::string& key : keys) {
      if (!cells[n].contains(key) || cells[n][key].is_null()) continue;
      cell.keys.push_back({key, TextOf(cells[n][key])});
      cell.name +=
          fmt::format("{}{}={}", cell.name.empty() ? "" : ",", key, cell.keys.back().value);
    }
    if (curves == Curves::kLeftOut) continue;
    for (RunRecord& run : cell.runs) ReadRunDetails(run.directory, results.measure, run);
  }
  return results;
}

std::string SerializeResults(const ExperimentResults& results) {
  Json head = {{"format", kFormat},
               {"what", kWhat},
               {"pushdown", results.version},
               {"experiment", results.name},
               {"title", results.title},
               {"kind", KindName(results.kind)},
               {"measure", MeasureName(results.measure)},
               {"solved", results.solved},
               {"source", results.source}};
  // A line for each run, so that changes of a committed export can be read.
  const auto serialized = [](const Json& value, int indent = -1) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = serialized(head, 1);
  text.erase(text.rfind('\n'));
  text += ",\n \"cells\": [";
  const char* separator = "\n";
  for (const CellResults& cell : results.cells) {
    Json keys = Json::object();
    for (const NamedSetting& key : cell.keys) keys[key.name] = key.value;
    text += fmt::format("{}  {{\"name\": {}, \"keys\": {}, ", separator, serialized(cell.name),
                        serialized(keys));
    if (const std::optional<LengthRange>& lengths = cell.training_lengths) {
      text += fmt::format("\"training_lengths\": [{}, {}], ", lengths->min, lengths->max);
    }
    text += "\"runs\": [";
    separator = ",\n";
    const char* between = "\n";
    for (const RunRecord& record : cell.runs) {
      std::string line = JsonLine(RunRecordJson(record));
      line.pop_back();
      text += fmt::format("{}   {}", between, line);
      between = ",\n";
    }
    text += "]}";
  }
  return text + "]}\n";
}

ExperimentResults ParseResults(const std::string& text) {
  const auto refuse = [](const std::string& message) {
    throw Error("pushdown::ParseResults", message);
  };
  ReadJson(text);  // complains in our words
  try {
    const Json value = Json::parse(text);
    if (!value.is_object() || value.value("what", "") != kWhat) {
      refuse("is no export of `pushdown experiment export`");
    }
    if (value.at("format") != kFormat) refuse("is of another version of this program");
    ExperimentResults results;
    results.version = value.at("pushdown").get<std::string>();
    results.name = value.at("experiment").get<std::string>();
    results.title = value.at("title").get<std::string>();
    const std::array<std::string, 2> kinds = {KindName(DataKind::kStrings),
                                              KindName(DataKind::kText)};
    results.kind = static_cast<DataKind>(ParseChoice(value.at("kind").get<std::string>(), kinds));
    results.measure = ParseMeasure(value.at("measure").get<std::string>());
    results.solved = value.at("solved").get<double>();
    results.source = value.at("source").get<std::string>();
    std::set<std::string> names;
    for (const Json& each : value.at("cells")) {
      CellResults& cell = results.cells.emplace_back();
      cell.name = each.at("name").get<std::string>();
      if (!names.insert(cell.name).second) refuse("there are two cells " + Quoted(cell.name));
      for (const auto& [key, setting] : each.at("keys").items()) {
        cell.keys.push_back({key, setting.get<std::string>()});
      }
      if (each.contains("training_lengths")) {
        const Json& lengths = each["training_lengths"];
        cell.training_lengths = {ReadCount(lengths.at(0), "training_lengths"),
                                 ReadCount(lengths.at(1), "training_lengths")};
      }
      for (const Json& run : each.at("runs")) cell.runs.push_back(ReadRunRecordJson(run));
    }
    return results;
  } catch (const nlohmann::json::exception& error) {
    throw Error("pushdown::ParseResults", Printable(error.what(), 200));
  }
}

}  // namespace pushdown
