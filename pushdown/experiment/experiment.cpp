#include "pushdown/experiment/experiment.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/experiment/run_claims.h"
#include "pushdown/input_file.h"
#include "pushdown/output_directory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/parsed_file.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/run/settings_format.h"
#include "pushdown/run/training_watch.h"
#include "pushdown/version.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;

constexpr int kFormat = 1;
constexpr const char* kPlanFile = "experiment.json";
constexpr const char* kSourceFile = "experiment.toml";

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::Experiment", message);
}

std::string SerializePlan(const ExperimentPlan& plan) {
  Json cells = Json::array();
  for (const Cell& cell : plan.cells) {
    Json keys = Json::object();
    for (const NamedSetting& key : cell.keys) keys[key.name] = key.value;
    cells.push_back({{"name", cell.name},
                     {"keys", std::move(keys)},
                     {"settings", SettingsJson(cell.settings)}});
  }
  const Json value = {
      {"format", kFormat},         {"pushdown", kVersion},        {"name", plan.name},
      {"title", plan.title},       {"kind", KindName(plan.kind)}, {"seed", plan.seed},
      {"restarts", plan.restarts}, {"test", plan.test},           {"solved", plan.solved},
      {"source", plan.source},     {"cells", std::move(cells)}};
  return IndentedJson(value);
}

// The name of a cell is that of a directory.
bool IsCellName(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == name.npos &&
         name.find('\0') == name.npos;
}

ExperimentPlan ParsePlan(const std::string& text) {
  // Keys keep their order.
  ReadJson(text);  // complains in our words
  const Json value = Json::parse(text);
  if (value.at("format") != kFormat) Refuse("is of another version of this program");
  ExperimentPlan plan;
  plan.name = value.at("name").get<std::string>();
  plan.title = value.at("title").get<std::string>();
  const std::string kind = value.at("kind").get<std::string>();
  if (kind != KindName(DataKind::kText) && kind != KindName(DataKind::kStrings)) {
    Refuse("kind: " + Quoted(kind) + " is not one of this version");
  }
  plan.kind = kind == KindName(DataKind::kText) ? DataKind::kText : DataKind::kStrings;
  plan.seed = value.at("seed").get<std::uint64_t>();
  plan.restarts = value.at("restarts").get<int>();
  if (plan.restarts < 1 || plan.restarts > kMostRestarts) {
    Refuse(fmt::format("restarts: expected 1 to {}, found {}", kMostRestarts, plan.restarts));
  }
  plan.test = value.at("test").get<bool>();
  plan.solved = value.at("solved").get<double>();
  plan.source = value.at("source").get<std::string>();
  std::set<std::string> names;
  for (const Json& each : value.at("cells")) {
    Cell& cell = plan.cells.emplace_back();
    cell.name = each.at("name").get<std::string>();
    if (!IsCellName(cell.name)) Refuse("a cell cannot have the name " + Quoted(cell.name));
    if (!names.insert(cell.name).second) Refuse("there are two cells " + Quoted(cell.name));
    for (const auto& [key, setting] : each.at("keys").items()) {
      cell.keys.push_back({key, setting.get<std::string>()});
    }
    cell.settings = ReadUndrawnSettingsJson(each.at("settings"), plan.kind);
  }
  if (plan.cells.empty()) Refuse("there are no cells");
  return plan;
}

ExperimentPlan ReadPlan(const std::string& directory) {
  if (!HoldsExperiment(directory)) {
    const std::string fault = DirectoryFault(directory);
    if (!fault.empty()) Refuse(Printable(directory, 200) + ": " + fault);
    Refuse(fmt::format("{} holds no experiment: there is no {} in it", Printable(directory, 200),
                       kPlanFile));
  }
  return ParseFile(PathIn(directory, kPlanFile), kMaxConfigBytes, ParsePlan);
}

// Whether a process is training a run. A reader who cannot write the directory, because it is that
// of somebody else or an archive, cannot know it, and is told that there is none.
bool IsRunning(const std::string& directory, const std::string& run) try {
  return RunClaims(directory).IsClaimed(run);
} catch (const Error&) {
  return false;
}

}  // namespace

bool HoldsExperiment(const std::string& directory) {
  std::error_code error;
  return fs::exists(PathIn(directory, kPlanFile), error);
}

Measure MeasureOf(const RunSettings& settings) {
  if (settings.kind == DataKind::kText) return Measure::kPerplexity;
  return settings.language ? Measure::kDifference : Measure::kCrossEntropy;
}

bool IsTrained(const RunRecord& record, const RunSettings& settings) {
  const bool limited = record.stopped_by == StopText(StopReason::kMaxEpochs);
  return record.state == RunState::kFinished &&
         !(limited && record.epochs < settings.training.max_epochs);
}

Experiment::Experiment(std::string path, ExperimentPlan plan)
    : path_(std::move(path)), plan_(std::move(plan)) {}

Experiment Experiment::Preview(const std::string& directory, ExperimentPlan plan) {
  if (directory.empty()) Refuse("no directory is given; give --out DIR");
  if (HoldsExperiment(directory)) {
    const ExperimentPlan existing = ReadPlan(directory);
    const std::string difference = DifferenceFrom(existing, plan);
    if (!difference.empty()) {
      Refuse(
          fmt::format("{} holds an experiment that this file cannot continue: {}; choose another "
                      "--out",
                      Printable(directory, 200), difference));
    }
    plan.restarts = std::max(plan.restarts, existing.restarts);
  } else {
    std::error_code error;
    const fs::file_status status = fs::status(directory, error);
    if (fs::exists(status) && !(fs::is_directory(status) && fs::is_empty(directory, error))) {
      Refuse(fmt::format("--out: {} exists and holds no experiment; choose another name",
                         Printable(directory, 200)));
    }
  }
  return Experiment(directory, std::move(plan));
}

Experiment Experiment::CreateOrOpen(const std::string& directory, ExperimentPlan plan) {
  const bool exists = HoldsExperiment(directory);
  // Of two processes that extend an experiment, the second must see what the first has written.
  std::optional<RunClaims> claims;
  if (exists) {
    claims.emplace(directory);
    while (!claims->Claim(kPlanFile)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  Experiment experiment = Preview(directory, plan);
  const std::string text = SerializePlan(experiment.plan_);
  const std::string& source = experiment.plan_.source;
  if (!exists) {
    try {
      const std::vector<NamedText> files = {{kPlanFile, text}, {kSourceFile, source}};
      WriteDirectory(directory, files);
      return experiment;
    } catch (const Error& error) {
      // Another process may have been faster.
      if (HoldsExperiment(directory)) return CreateOrOpen(directory, std::move(plan));
      throw Error(error.kind(), error.function(), "--out: " + error.message());
    }
  }
  if (text != SerializePlan(ReadPlan(directory))) {
    WriteFile(PathIn(directory, kSourceFile), source);
    WriteFile(PathIn(directory, kPlanFile), text);
  }
  return experiment;
}

Experiment Experiment::Open(const std::string& directory) {
  return Experiment(directory, ReadPlan(directory));
}

Measure Experiment::measure() const {
  Measure measure = plan_.kind == DataKind::kText ? Measure::kPerplexity : Measure::kDifference;
  for (const Cell& cell : plan_.cells) {
    // Differences and cross-entropies cannot be compared.
    if (MeasureOf(cell.settings) == Measure::kCrossEntropy) measure = Measure::kCrossEntropy;
  }
  return measure;
}

std::string Experiment::RunPath(const RunId& run) const {
  return PathIn(path_, RunName(plan_, run));
}

// Its name has a dot, so that CELL/* are the runs.
std::string Experiment::FailurePath(const RunId& run) const {
  return PathIn(PathIn(path_, plan_.cells[run.cell].name),
                "." + RestartName(run.restart) + ".failed");
}

RunRecord Experiment::Record(const RunId& run, ClaimedBy claimed_by) const {
  const std::string directory = RunPath(run);
  RunRecord record;
  try {
    record = ReadRunRecord(directory);
  } catch (const Error& error) {
    // The others can still be looked at.
    record.state = RunState::kFailed;
    record.failure = error.message();
    return record;
  }
  std::error_code error;
  const bool evaluated = !plan_.test || fs::exists(PathIn(directory, kTestFile), error);
  if (record.state == RunState::kFinished &&
      !(evaluated && IsTrained(record, plan_.cells[run.cell].settings))) {
    record.state = RunState::kBegun;
  }
  if (record.state == RunState::kFinished) return record;
  if (const std::optional<std::string> failure = Failure(run)) {
    record.state = RunState::kFailed;
    record.failure = *failure;
  } else if (claimed_by != ClaimedBy::kCaller && IsRunning(path_, RunName(plan_, run))) {
    record.state = RunState::kRunning;
  }
  return record;
}

std::optional<std::string> Experiment::Failure(const RunId& run) const try {
  std::error_code error;
  if (!fs::exists(FailurePath(run), error)) return std::nullopt;
  std::string failure = ReadRegularFile(FailurePath(run), 1e6);
  while (failure.ends_with('\n')) failure.pop_back();
  return failure;
} catch (const Error&) {
  return std::nullopt;  // another process has just removed it
}

bool Experiment::IsDone(const RunId& run) const { return Record(run).state == RunState::kFinished; }

void Experiment::RecordFailure(const RunId& run, const std::string& failure) const {
  fs::create_directories(fs::path(FailurePath(run)).parent_path());
  WriteFile(FailurePath(run), failure + "\n");
}

void Experiment::ForgetFailure(const RunId& run) const {
  std::error_code ignored;
  fs::remove(FailurePath(run), ignored);
  // It may be what is broken, and is made again.
  fs::remove(PathIn(RunPath(run), kTestFile), ignored);
}

}  // namespace pushdown
