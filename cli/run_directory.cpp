#include "cli/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/parsed_file.h"
#include "cli/standard_error.h"
#include "pushdown/data/text_corpus.h"
#include "pushdown/fingerprint.h"
#include "pushdown/json_text.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/train/checkpoint.h"

namespace pushdown::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> kRunFiles = {kConfigFile, kMetricsFile,    kTimingFile,
                                                       kModelFile,  kCheckpointFile, kSummaryFile,
                                                       kStartFile,  kLockFile};
// Keys of config.json, and of its settings.
constexpr const char* kChecksum = "checksum";
constexpr const char* kMaxEpochs = "max-epochs";

// The kinds of runs in config.json. Those without one are older than models of text.
constexpr const char* kStringsKind = "strings";
constexpr const char* kTextKind = "text";

// Whether something is a file or a directory of a run that was being written, see TemporaryName.
bool IsLeftover(std::string_view name) {
  const std::string_view target = TargetOfTemporaryName(name);
  const std::string_view restart = "restart-";
  if (target.starts_with(restart)) {
    return target.find_first_not_of("0123456789", restart.size()) == target.npos;
  }
  return std::find(kRunFiles.begin(), kRunFiles.end(), target) != kRunFiles.end();
}

// Of everything else in a config.json: a digit that was changed, by accident or on purpose, changes
// what the program computes.
std::string ConfigChecksum(nlohmann::json config) {
  config.erase(kChecksum);
  Fingerprint fingerprint;
  fingerprint.Add(config.dump());
  return fingerprint.Text();
}

// As it will be read: readers do not keep the order of keys, nor bytes that are not UTF-8.
std::string WithChecksum(Json config) {
  config[kChecksum] = ConfigChecksum(nlohmann::json::parse(JsonText(config)));
  return JsonText(config);
}

DataKind ReadKind(const nlohmann::json& config) {
  const std::string kind = config.value("kind", kStringsKind);
  if (kind == kRecognizerKind) {
    throw UsageError(
        "is of a recognizer that `pushdown compile` made, not of a training; use "
        "`pushdown recognize`");
  }
  if (kind != kStringsKind && kind != kTextKind) {
    throw UsageError("kind: " + Quoted(kind) + " is not one of this version");
  }
  return kind == kTextKind ? DataKind::kText : DataKind::kStrings;
}

// The best score in a run's metrics: model files of earlier versions do not have it.
std::optional<double> BestValidation(const std::string& directory) {
  std::optional<double> best;
  for (const nlohmann::json& epoch : ReadJsonLines(PathIn(directory, kMetricsFile))) {
    const auto number = [&epoch](const char* key) {
      const bool found = epoch.is_object() && epoch.contains(key) && epoch[key].is_number();
      return found ? std::optional(epoch[key].get<double>()) : std::nullopt;
    };
    const std::optional<double> cross_entropy = number("validation_cross_entropy");
    if (!cross_entropy) continue;
    const double value = ValidationScore(*cross_entropy, number("difference"));
    if (!best || value < *best) best = value;
  }
  return best;
}

// Of the best epoch, from the description in the model's file.
double ScoreOf(const Json& description, const std::string& directory) {
  const auto number = [&description](const char* key) {
    const bool found = description.contains(key) && description[key].is_number();
    return found ? std::optional(description[key].get<double>()) : std::nullopt;
  };
  const std::optional<double> cross_entropy = number("validation_cross_entropy");
  if (cross_entropy && description.contains("difference")) {
    return ValidationScore(*cross_entropy, number("difference"));
  }
  return BestValidation(directory).value_or(std::numeric_limits<double>::infinity());
}

// Of a run of text; nobody vouches for a vocabulary.
void CheckWords(const SymbolTable& vocabulary) {
  if (!vocabulary.Find(kEndOfSentence)) {
    throw UsageError(fmt::format("the vocabulary has no {}", kEndOfSentence));
  }
  for (const std::string& word : vocabulary.names()) {
    if (const char* fault = WordFault(word)) {
      throw UsageError(fmt::format("the word {} of the vocabulary {}", Quoted(word), fault));
    }
  }
}

}  // namespace

std::string RestartName(int restart) { return fmt::format("restart-{}", restart); }

std::string PathIn(const std::string& directory, const std::string& name) {
  return (fs::path(directory) / name).string();
}

bool HasEndedAnEpoch(const std::string& directory) {
  std::error_code error;
  return fs::exists(PathIn(directory, kModelFile), error) ||
         fs::exists(PathIn(directory, kSummaryFile), error) || BestValidation(directory);
}

bool HoldsRun(const std::string& path) {
  std::error_code error;
  return fs::exists(PathIn(path, kConfigFile), error);
}

std::vector<nlohmann::json> ReadJsonLines(const std::string& path) {
  std::vector<nlohmann::json> values;
  std::error_code error;
  if (!fs::exists(path, error)) return values;
  std::istringstream lines(ReadRegularText(path, kMaxConfigBytes));
  for (std::string line; std::getline(lines, line);) {
    try {
      values.push_back(ReadJson(line));
    } catch (const Error&) {
      continue;
    }
  }
  return values;
}

std::string ConfigText(const RunConfig& config, const Json& machine) {
  const bool text = config.settings.kind() == DataKind::kText;
  Json value = {{"format", kConfigFormat},
                {"pushdown", PUSHDOWN_VERSION},
                {"kind", text ? kTextKind : kStringsKind}};
  value["settings"] = SettingsJson(config.settings);
  // Restarts have vocabularies, sets and machines of their own.
  if (!config.vocabulary.empty()) {
    value["vocabulary"] = config.vocabulary;
    value["fingerprint"] = config.fingerprint;
  }
  value["kernels"] = config.kernels;
  if (!machine.is_null()) value["machine"] = machine;
  std::string written = WithChecksum(std::move(value));
  if (static_cast<double>(written.size()) > kMaxConfigBytes) {
    throw UsageError(fmt::format("the {} words take more than the {} MB that {} may have",
                                 config.vocabulary.size(), kMaxConfigBytes / 1e6, kConfigFile));
  }
  return written;
}

Json OriginJson(const RunConfig& config) {
  const Json settings = SettingsJson(config.settings);
  Json origin = Json::object();
  for (const char* key : {"model", "hidden-units", "bottom", "initial-vector", "embedding-size",
                          "window", "depth-limit"}) {
    if (settings.contains(key)) origin[key] = settings[key];
  }
  Fingerprint vocabulary;
  for (const std::string& name : config.vocabulary) {
    vocabulary.Add(name.size());
    vocabulary.Add(name);
  }
  origin["vocabulary"] = vocabulary.Text();
  return origin;
}

std::string RunIdentity(const RunConfig& config) {
  const Json settings = SettingsJson(config.settings);
  Fingerprint identity;
  for (const char* key : {"parameter-seed", "shuffle-seed", "learning-rate", "clipping"}) {
    if (settings.contains(key)) identity.Add(settings[key].dump());
  }
  identity.Add(config.fingerprint);
  return identity.Text();
}

std::string FirstDifference(const Json& expected, const Json& found) {
  for (const auto& [key, value] : expected.items()) {
    const Json other = found.is_object() && found.contains(key) ? found[key] : Json();
    if (value == other) continue;
    return fmt::format("{} is {}, expected {}", key, Printable(other.dump(), 60),
                       Printable(value.dump(), 60));
  }
  return {};
}

void EraseChangeableSettings(Json& settings) { settings.erase(kMaxEpochs); }

Json FixedSettingsJson(const TrainSettings& settings) {
  Json value = SettingsJson(settings);
  EraseChangeableSettings(value);
  return value;
}

std::vector<NamedText> RunFiles(std::string config, const std::string& start) {
  std::vector<NamedText> files = {{kConfigFile, std::move(config)}};
  if (!start.empty()) files.push_back({kStartFile, start});
  return files;
}

RunConfig ReadConfig(const std::string& directory) {
  if (directory.empty()) throw UsageError("the name of the run is empty");
  if (!HoldsRun(directory)) {
    const std::string fault = DirectoryFault(directory);
    if (!fault.empty()) throw UsageError(Printable(directory, 200) + ": " + fault);
    throw UsageError(fmt::format("{} holds no run: there is no {} in it", Printable(directory, 200),
                                 kConfigFile));
  }
  const auto parse = [](const std::string& text) {
    const nlohmann::json value = ReadJson(text);
    if (value.at("format") != kConfigFormat)
      throw UsageError("is of another version of this program");
    RunConfig config;
    config.settings = ReadSettingsJson(value.at("settings"), ReadKind(value));
    if (config.settings.restarts == 1) {
      config.vocabulary = value.at("vocabulary").get<std::vector<std::string>>();
      config.fingerprint = value.at("fingerprint").get<std::string>();
    }
    config.kernels = value.at("kernels").get<std::string>();
    // Earlier versions did not write it.
    config.changed = value.contains(kChecksum) && value[kChecksum] != ConfigChecksum(value);
    return config;
  };
  return ParseFile(PathIn(directory, kConfigFile), kMaxConfigBytes, parse);
}

std::string ChangedConfigText(const std::string& directory) {
  return fmt::format(
      "{}: was changed after it was written; what follows is of the changed settings",
      Printable(PathIn(directory, kConfigFile), 300));
}

void WriteMaxEpochs(const std::string& directory, int max_epochs) {
  const bool changed = ReadConfig(directory).changed;
  const std::string path = PathIn(directory, kConfigFile);
  Json config =
      ParseFile(path, kMaxConfigBytes, [](const std::string& text) { return Json::parse(text); });
  config["settings"][kMaxEpochs] = max_epochs;
  OutputFile out(path);
  // What somebody else has changed is still to be warned of.
  out.Write(changed ? JsonText(config) : WithChecksum(std::move(config)));
  out.Commit();
}

void CheckKind(const std::string& directory, const RunConfig& config, DataKind kind,
               const std::string& instead) {
  if (config.settings.kind() == kind) return;
  throw UsageError(fmt::format("{} is a run of `{}`; {}", Printable(directory, 200),
                               TrainCommandName(config.settings.kind()), instead));
}

std::string KernelsText() {
  InitializeBlas();
  return fmt::format("SIMD target {}, OpenBLAS for {}", ActiveSimdTarget(), BlasKernels());
}

double ValidationScore(double cross_entropy, std::optional<double> difference) {
  return difference.value_or(cross_entropy);
}

RunLock::RunLock(const std::string& directory) {
  std::error_code error;
  for (const std::string_view name : kRunFiles) {
    const fs::path path = PathIn(directory, std::string(name));
    const fs::file_status status = fs::status(path, error);
    // Opening a pipe would block for ever.
    if (fs::exists(status) && !fs::is_regular_file(status)) {
      throw UsageError(Printable(path.string(), 300) + ": is not a regular file");
    }
  }
  // A file of its own, which is never replaced, and open for writing, which locks need on network
  // file systems.
  file_ = open(PathIn(directory, kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0 || flock(file_, LOCK_EX | LOCK_NB) != 0) {
    if (file_ >= 0 && errno == EWOULDBLOCK) {
      close(file_);
      throw UsageError(Printable(directory, 200) + ": another process is training there");
    }
    // Some network file systems have no locks; there the user has to take care.
    return;
  }
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (IsLeftover(entry.path().filename().string())) fs::remove_all(entry.path(), error);
  }
}

RunLock::~RunLock() {
  if (file_ >= 0) close(file_);
}

double MaxFileBytes(const ParameterLayout& layout, int arenas) {
  constexpr double kHeader = 64e6;
  return kHeader + static_cast<double>(layout.size) * sizeof(float) * arenas;
}

TrainedRun OpenTrainedRun(const std::string& path, DataKind kind, const std::string& instead) {
  const RunConfig config = ReadConfig(path);
  CheckKind(path, config, kind, instead);
  if (config.settings.restarts > 1) {
    std::optional<TrainedRun> best;
    for (int restart = 1; restart <= config.settings.restarts; ++restart) {
      const std::string directory = PathIn(path, RestartName(restart));
      if (!HasEndedAnEpoch(directory)) continue;
      TrainedRun run = OpenTrainedRun(directory, kind, instead);
      if (!best || run.score < best->score) best = std::move(run);
    }
    if (!best) throw UsageError(Printable(path, 200) + ": no restart has ended an epoch yet");
    if (config.changed) PrintWarning(ChangedConfigText(path));
    return *std::move(best);
  }
  TrainedRun run;
  run.path = path;
  run.settings = config.settings;
  run.fingerprint = config.fingerprint;
  for (const std::string& name : config.vocabulary) run.alphabet.Add(name);
  try {
    if (kind == DataKind::kText) CheckWords(run.alphabet);
    run.spec = MakeModelSpec(run.settings.model, run.alphabet.size());
  } catch (const UsageError& error) {
    throw UsageError(
        fmt::format("{}: {}", Printable(PathIn(path, kConfigFile), 300), error.what()));
  }
  const std::string model = PathIn(path, kModelFile);
  if (!fs::exists(model)) {
    throw UsageError(HasEndedAnEpoch(path)
                         ? fmt::format("{}: {} is missing; `{} --resume` writes it again",
                                       Printable(path, 200), kModelFile, TrainCommandName(kind))
                         : fmt::format("{}: has no {} yet; there is one after the first epoch",
                                       Printable(path, 200), kModelFile));
  }
  const ParameterLayout layout(run.spec);
  std::string description;
  run.parameters = ParseFile(model, MaxFileBytes(layout, 1), [&](const std::string& text) {
    return ReadModelFile(text, layout, &description);
  });
  const Json found = Json::parse(description, nullptr, false);
  // Earlier versions did not write it.
  const Json origin = found.is_object() && found.contains("origin") ? found["origin"] : Json();
  const std::string difference =
      origin.is_null() ? "" : FirstDifference(OriginJson(config), origin);
  if (!difference.empty()) {
    throw UsageError(
        fmt::format("{}: is not of the configuration: its {}", Printable(model, 300), difference));
  }
  run.score = ScoreOf(found, path);
  if (config.changed) {
    PrintWarning(ChangedConfigText(path));
  } else if (found.is_object() && found.contains("run") && found["run"] != RunIdentity(config)) {
    PrintWarning(fmt::format("{}: is the model of another run than {} describes",
                             Printable(model, 300), kConfigFile));
  }
  return run;
}

}  // namespace pushdown::cli
