#include "cli/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/memory.h"
#include "pushdown/json_text.h"
#include "pushdown/printable.h"
#include "pushdown/train/checkpoint.h"

namespace pushdown::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kFormat = 1;
constexpr double kMaxConfigBytes = 256e6;

// Calls read(), and gives its errors the name of the file.
template <typename Read>
auto Reading(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(InputName(path) + ": " + Printable(error.what(), 200));
  } catch (const Error& error) {
    throw UsageError(InputName(path) + ": " + MessageForUser(error));
  }
}

// The lowest validation cross-entropy in a run's metrics.
std::optional<double> BestValidation(const std::string& directory) {
  const std::string path = PathIn(directory, kMetricsFile);
  if (!fs::exists(path)) return std::nullopt;
  return Reading(path, [&] {
    std::optional<double> best;
    std::istringstream lines(ReadText(path, kMaxConfigBytes));
    for (std::string line; std::getline(lines, line);) {
      const auto value = ReadJson(line).at("validation_cross_entropy").get<double>();
      if (!best || value < *best) best = value;
    }
    return best;
  });
}

}  // namespace

std::string RestartName(int restart) { return fmt::format("restart-{}", restart); }

std::string PathIn(const std::string& directory, const std::string& name) {
  return (fs::path(directory) / name).string();
}

bool HoldsRun(const std::string& path) {
  std::error_code error;
  return fs::exists(PathIn(path, kConfigFile), error);
}

std::string ConfigText(const RunConfig& config, const Json& machine) {
  Json value = {{"format", kFormat}, {"pushdown", PUSHDOWN_VERSION}};
  value["settings"] = SettingsJson(config.settings);
  value["vocabulary"] = config.vocabulary;
  value["fingerprint"] = config.fingerprint;
  value["simd_target"] = config.simd_target;
  value["machine"] = machine;
  return JsonText(value);
}

RunConfig ReadConfig(const std::string& directory) {
  if (directory.empty()) throw UsageError("the name of the run is empty");
  if (!HoldsRun(directory)) {
    throw UsageError(fmt::format("{} holds no run: there is no {} in it", Printable(directory, 200),
                                 kConfigFile));
  }
  const std::string path = PathIn(directory, kConfigFile);
  return Reading(path, [&] {
    const nlohmann::json value = ReadJson(ReadText(path, kMaxConfigBytes));
    if (value.at("format").get<int>() != kFormat) {
      throw Error("is of another version of this program");
    }
    RunConfig config;
    try {
      config.settings = ReadSettingsJson(value.at("settings"));
    } catch (const UsageError& error) {
      throw Error(error.what());
    }
    config.vocabulary = value.at("vocabulary").get<std::vector<std::string>>();
    config.fingerprint = value.at("fingerprint").get<std::string>();
    config.simd_target = value.at("simd_target").get<std::string>();
    return config;
  });
}

RunLock::RunLock(const std::string& directory)
    : file_(open(PathIn(directory, kConfigFile).c_str(), O_RDONLY | O_CLOEXEC)) {
  // Some network file systems have no locks; there the user has to take care.
  if (file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(file_);
    throw UsageError(Printable(directory, 200) + ": another process is training there");
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".tmp.") != std::string::npos && entry.is_regular_file(error)) {
      fs::remove(entry.path(), error);
    }
  }
}

RunLock::~RunLock() {
  if (file_ >= 0) close(file_);
}

TrainedRun OpenTrainedRun(const std::string& path) {
  const RunConfig config = ReadConfig(path);
  if (config.settings.restarts > 1) {
    std::optional<double> best;
    std::string best_path;
    for (int restart = 1; restart <= config.settings.restarts; ++restart) {
      const std::string directory = PathIn(path, RestartName(restart));
      const std::optional<double> value = BestValidation(directory);
      if (value && (!best || *value < *best)) {
        best = value;
        best_path = directory;
      }
    }
    if (!best) throw UsageError(Printable(path, 200) + ": no restart has ended an epoch yet");
    return OpenTrainedRun(best_path);
  }
  TrainedRun run;
  run.path = path;
  run.settings = config.settings;
  run.fingerprint = config.fingerprint;
  for (const std::string& name : config.vocabulary) run.alphabet.Add(name);
  run.spec = MakeModelSpec(run.settings.model, run.alphabet.size());
  const std::string model = PathIn(path, kModelFile);
  if (!fs::exists(model)) {
    throw UsageError(Printable(path, 200) + ": has no " + kModelFile +
                     " yet; there is one after the first epoch");
  }
  run.parameters = Reading(model, [&] {
    return ReadModelFile(ReadText(model, MemoryLimit() / 4), ParameterLayout(run.spec));
  });
  return run;
}

}  // namespace pushdown::cli
