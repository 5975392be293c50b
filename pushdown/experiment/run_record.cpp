#include "pushdown/experiment/run_record.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <utility>

#include "pushdown/data/text_corpus.h"
#include "pushdown/error.h"
#include "pushdown/experiment/run_record_format.h"
#include "pushdown/input_file.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/evaluation.h"
#include "pushdown/run/parsed_file.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/run/setting_values.h"
#include "pushdown/run/text_data.h"
#include "pushdown/run/text_evaluation.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;

const std::array<std::string, 5> kStates = {"to do", "stopped", "running", "finished", "failed"};
const std::array<std::string, 3> kMeasures = {"difference", "cross-entropy", "perplexity"};
constexpr double kMaxRecordBytes = 16e6;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// A member of an object that is a number.
std::optional<double> Number(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

// A member that is a number of epochs; 0 if it is missing.
int Count(const nlohmann::json& object, const char* key) {
  const double number = Number(object, key).value_or(0);
  if (!(0 <= number && number <= std::numeric_limits<int>::max())) {
    throw Error("pushdown::ReadRunRecord", fmt::format("{}: {} is no such number", key, number));
  }
  return static_cast<int>(number);
}

// A number that JSON could not represent was written as null.
double NumberOrNan(const nlohmann::json& value) {
  return value.is_null() ? kNan : value.get<double>();
}

std::string Text(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::uint64_t> Seed(const nlohmann::json& object) {
  const auto found = object.find("seed");
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

// Calls `read` with the object in a file.
template <typename Read>
void ReadObject(const std::string& path, const Read& read) {
  ParseFile(path, kMaxRecordBytes, [&read](const std::string& text) {
    const nlohmann::json value = ReadJson(text);
    if (!value.is_object()) throw Error("pushdown::ReadRunRecord", "is not an object");
    read(value);
  });
}

Json OptionalNumber(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

// summary.json of a training that has ended.
void AddSummary(const nlohmann::json& summary, RunRecord& record) {
  record.epochs = Count(summary, "epochs");
  record.best_epoch = Count(summary, "best_epoch");
  record.validation_cross_entropy = Number(summary, "validation_cross_entropy");
  record.difference = Number(summary, "difference");
  record.learning_rate = Number(summary, "learning_rate").value_or(0);
  record.clipping = Number(summary, "clipping");
  record.seconds = Number(summary, "seconds").value_or(0);
  record.stopped_by = Text(summary, "stopped_by");
}

// What the metrics of a training say that has not ended.
void AddMetrics(const std::string& directory, RunRecord& record) {
  for (const nlohmann::json& line : ReadJsonLines(PathIn(directory, kMetricsFile))) {
    if (!line.is_object()) continue;
    ++record.epochs;
    if (record.epochs == 1) record.learning_rate = Number(line, "learning_rate").value_or(0);
    const std::optional<double> cross_entropy = Number(line, "validation_cross_entropy");
    if (!cross_entropy) continue;
    if (record.validation_cross_entropy && *record.validation_cross_entropy <= *cross_entropy) {
      continue;
    }
    record.best_epoch = record.epochs;
    record.validation_cross_entropy = cross_entropy;
    record.difference = Number(line, "difference");
  }
}

// What a run began with: its config.json, and the first session in timing.jsonl.
void AddStart(const std::string& directory, RunRecord& record) {
  ParseFile(PathIn(directory, kConfigFile), kMaxConfigBytes, [&record](const std::string& text) {
    const nlohmann::json config = ReadJson(text);
    if (!config.is_object()) throw Error("pushdown::ReadRunDetails", "is not an object");
    const nlohmann::json machine = config.value("machine", nlohmann::json::object());
    const std::string cpu = Text(machine, "cpu");
    const std::string kernels = Text(config, "kernels");
    record.machine = cpu + (cpu.empty() || kernels.empty() ? "" : "; ") + kernels;
    const nlohmann::json settings = config.value("settings", nlohmann::json::object());
    record.seed = Seed(settings);
  });
  for (const nlohmann::json& line : ReadJsonLines(PathIn(directory, kTimingFile))) {
    if (!line.is_object() || Text(line, "event") != "session") continue;
    record.version = Text(line, "pushdown");
    record.revision = Text(line, "revision");
    record.begun = Text(line, "begun");
    break;
  }
}

TestRecord EvaluateStrings(const std::string& directory, int threads,
                           const StageProgress& progress) {
  const EvaluationRequest request = {.bound = BoundKind::kLength, .threads = threads};
  const Evaluation evaluation = Evaluate(directory, request, progress);
  const auto bound = [](const Comparison& comparison) {
    return comparison.lower_bound ? std::optional(comparison.lower_bound->PerSymbol())
                                  : std::nullopt;
  };
  TestRecord record;
  record.cross_entropy = evaluation.all.model.PerSymbol();
  record.lower_bound = bound(evaluation.all);
  for (const auto& [length, comparison] : evaluation.by_length) {
    record.by_length.push_back({.length = length,
                                .strings = comparison.model.strings(),
                                .cross_entropy = comparison.model.PerSymbol(),
                                .lower_bound = bound(comparison)});
  }
  return record;
}

TestRecord EvaluateText(const std::string& directory, const std::string& file, int threads,
                        const StageProgress& progress) {
  const TrainedModel model = OpenModel(directory);
  const std::vector<int> tokens = ParseText(ReadFile(file, MaxTextBytes()), file, model.vocabulary);
  const std::vector<double> losses = ScoreText(model, tokens, BatchingOf(model), threads, progress);
  TestRecord record;
  record.cross_entropy = std::accumulate(losses.begin(), losses.end(), 0.0) /
                         static_cast<double>(std::max<std::size_t>(losses.size(), 1));
  return record;
}

bool HasTestSet(const RunSettings& settings, std::string& text_file) {
  if (settings.kind == DataKind::kText) {
    text_file = TextFile(settings.data, TextSplit::kTest);
    return !text_file.empty();
  }
  return settings.data.empty() || Exists(PathIn(settings.data, "datasets/test/main.tok"));
}

}  // namespace

const char* StateName(RunState state) { return kStates[static_cast<std::size_t>(state)].c_str(); }

const char* MeasureName(Measure measure) {
  return kMeasures[static_cast<std::size_t>(measure)].c_str();
}

Measure ParseMeasure(const std::string& name) {
  return static_cast<Measure>(ParseChoice(name, kMeasures));
}

std::optional<double> ScoreOf(const RunRecord& record, Measure measure) {
  if (measure == Measure::kDifference) return record.difference;
  if (!record.validation_cross_entropy || measure == Measure::kCrossEntropy) {
    return record.validation_cross_entropy;
  }
  return std::exp(*record.validation_cross_entropy);
}

std::optional<double> TestScoreOf(const RunRecord& record, Measure measure) {
  if (!record.test) return std::nullopt;
  const TestRecord& test = *record.test;
  double score = test.cross_entropy;
  if (measure == Measure::kPerplexity) score = std::exp(score);
  if (measure == Measure::kDifference) {
    if (!test.lower_bound) return std::nullopt;
    score -= *test.lower_bound;
  }
  return std::isfinite(score) ? std::optional(score) : std::nullopt;
}

RunRecord ReadRunRecord(const std::string& directory) {
  RunRecord record;
  if (!HoldsRun(directory)) return record;
  record.state = RunState::kBegun;
  const std::string summary = PathIn(directory, kSummaryFile);
  if (Exists(summary)) {
    ReadObject(summary, [&record](const nlohmann::json& value) {
      AddSummary(value, record);
      if (value.value("finished", false)) record.state = RunState::kFinished;
    });
  } else {
    AddMetrics(directory, record);
  }
  const std::string test = PathIn(directory, kTestFile);
  if (Exists(test)) {
    ReadObject(test, [&record](const nlohmann::json& value) {
      if (value.contains("cross_entropy")) record.test = ReadTestRecordJson(value);
    });
  }
  return record;
}

void ReadRunDetails(const std::string& directory, Measure measure, RunRecord& record) {
  if (!HoldsRun(directory)) return;
  AddStart(directory, record);
  for (const nlohmann::json& line : ReadJsonLines(PathIn(directory, kMetricsFile))) {
    if (!line.is_object()) continue;
    RunRecord epoch;
    epoch.validation_cross_entropy = Number(line, "validation_cross_entropy");
    epoch.difference = Number(line, "difference");
    const double score = ScoreOf(epoch, measure).value_or(kNan);
    record.curve.push_back(std::isfinite(score) ? Rounded(score, 5) : kNan);
    const double rate = Rounded(Number(line, "learning_rate").value_or(0), 5);
    const double before = record.rates.empty() ? 0 : record.rates.back().learning_rate;
    if (rate == 0 || rate == before) continue;
    record.rates.push_back({static_cast<int>(record.curve.size()), rate});
  }
}

void WriteTestRecord(const std::string& directory, const RunSettings& settings, int threads,
                     const StageProgress& progress) {
  Json value = {{"split", "test"}};
  std::string text_file;
  if (!HasTestSet(settings, text_file)) {
    value["split"] = nullptr;
  } else if (settings.kind == DataKind::kText) {
    value.update(TestRecordJson(EvaluateText(directory, text_file, threads, progress)));
  } else {
    value.update(TestRecordJson(EvaluateStrings(directory, threads, progress)));
  }
  WriteFile(PathIn(directory, kTestFile), IndentedJson(value));
}

int ReadCount(const nlohmann::json& value, const char* field) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<int>::max()) {
    throw Error("pushdown::ReadCount",
                fmt::format("{}: expected an integer, found {}", field, Printable(value.dump())));
  }
  return value.get<int>();
}

Json TestRecordJson(const TestRecord& record) {
  Json value = {{"cross_entropy", record.cross_entropy}};
  if (record.lower_bound) value["lower_bound"] = *record.lower_bound;
  if (record.by_length.empty()) return value;
  // A list for each length, so that exports stay small.
  value["columns"] = {"length", "strings", "cross_entropy", "lower_bound"};
  value["by_length"] = Json::array();
  for (const TestRecord::Length& each : record.by_length) {
    Json row = {each.length, each.strings, Rounded(each.cross_entropy, 7)};
    if (each.lower_bound) row.push_back(Rounded(*each.lower_bound, 7));
    value["by_length"].push_back(std::move(row));
  }
  return value;
}

TestRecord ReadTestRecordJson(const nlohmann::json& value) try {
  TestRecord record;
  record.cross_entropy = NumberOrNan(value.at("cross_entropy"));
  record.lower_bound = Number(value, "lower_bound");
  if (!value.contains("by_length")) return record;
  for (const nlohmann::json& row : value["by_length"]) {
    TestRecord::Length& each = record.by_length.emplace_back();
    each.length = ReadCount(row.at(0), "by_length");
    each.strings = ReadCount(row.at(1), "by_length");
    each.cross_entropy = NumberOrNan(row.at(2));
    if (row.size() > 3) each.lower_bound = row.at(3).get<double>();
  }
  return record;
} catch (const nlohmann::json::exception& error) {
  throw Error("pushdown::ReadTestRecordJson", Printable(error.what(), 200));
}

Json RunRecordJson(const RunRecord& record) {
  Json value = {{"state", StateName(record.state)}};
  if (!record.failure.empty()) value["failure"] = record.failure;
  if (record.state == RunState::kToDo) return value;
  value["epochs"] = record.epochs;
  value["best_epoch"] = record.best_epoch;
  value["validation_cross_entropy"] = OptionalNumber(record.validation_cross_entropy);
  if (record.difference) value["difference"] = *record.difference;
  if (record.learning_rate > 0) value["learning_rate"] = record.learning_rate;
  if (record.clipping) value["clipping"] = *record.clipping;
  value["seconds"] = Rounded(record.seconds, 4);
  if (!record.stopped_by.empty()) value["stopped_by"] = record.stopped_by;
  for (const auto& [name, text] : {std::pair("machine", &record.machine),
                                   {"version", &record.version},
                                   {"revision", &record.revision},
                                   {"begun", &record.begun}}) {
    if (!text->empty()) value[name] = *text;
  }
  if (record.seed) value["seed"] = *record.seed;
  for (const RateChange& change : record.rates) {
    value["rates"].push_back({change.epoch, change.learning_rate});
  }
  if (record.test) value["test"] = TestRecordJson(*record.test);
  if (!record.curve.empty()) value["curve"] = record.curve;
  return value;
}

RunRecord ReadRunRecordJson(const nlohmann::json& value) try {
  using Elements = std::vector<nlohmann::json>;  // of an array, and of nothing else
  RunRecord record;
  record.state = static_cast<RunState>(ParseChoice(value.at("state").get<std::string>(), kStates));
  record.failure = Text(value, "failure");
  AddSummary(value, record);
  record.machine = Text(value, "machine");
  record.version = Text(value, "version");
  record.revision = Text(value, "revision");
  record.begun = Text(value, "begun");
  record.seed = Seed(value);
  if (value.contains("rates")) {
    for (const nlohmann::json& change : value["rates"].get<Elements>()) {
      record.rates.push_back({ReadCount(change.at(0), "rates"), change.at(1).get<double>()});
    }
  }
  if (value.contains("test")) record.test = ReadTestRecordJson(value["test"]);
  if (value.contains("curve")) {
    for (const nlohmann::json& score : value["curve"].get<Elements>()) {
      record.curve.push_back(NumberOrNan(score));
    }
  }
  return record;
} catch (const nlohmann::json::exception& error) {
  throw Error("pushdown::ReadRunRecordJson", Printable(error.what(), 200));
}

}  // namespace pushdown
