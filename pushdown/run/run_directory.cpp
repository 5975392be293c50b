#include "pushdown/run/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/input_file.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/run_config.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> kRunFiles = {kConfigFile, kMetricsFile,    kTimingFile,
                                                       kModelFile,  kCheckpointFile, kSummaryFile,
                                                       kStartFile,  kTestFile,       kLockFile};

// Whether something is a file or a directory of a run that was being written, see TemporaryName.
bool IsLeftover(std::string_view name) {
  const std::string_view target = TargetOfTemporaryName(name);
  const std::string_view restart = "restart-";
  if (target.starts_with(restart)) {
    return target.find_first_not_of("0123456789", restart.size()) == target.npos;
  }
  return std::find(kRunFiles.begin(), kRunFiles.end(), target) != kRunFiles.end();
}

}  // namespace

std::string RestartName(int restart) { return "restart-" + std::to_string(restart); }

std::string PathIn(const std::string& directory, const std::string& name) {
  return (fs::path(directory) / name).string();
}

bool HoldsRun(const std::string& path) {
  std::error_code error;
  return fs::exists(PathIn(path, kConfigFile), error);
}

std::vector<nlohmann::json> ReadJsonLines(const std::string& path) {
  std::vector<nlohmann::json> values;
  std::error_code error;
  if (!fs::exists(path, error)) return values;
  std::istringstream lines(ReadRegularFile(path, kMaxConfigBytes));
  for (std::string line; std::getline(lines, line);) {
    try {
      values.push_back(ReadJson(line));
    } catch (const Error&) {
      continue;
    }
  }
  return values;
}

bool HasEndedAnEpoch(const std::string& directory) {
  std::error_code error;
  return fs::exists(PathIn(directory, kModelFile), error) ||
         fs::exists(PathIn(directory, kSummaryFile), error) ||
         BestScoreInMetrics(directory).has_value();
}

std::vector<NamedText> RunFiles(std::string config, const std::string& start) {
  std::vector<NamedText> files = {{kConfigFile, std::move(config)}};
  if (!start.empty()) files.push_back({kStartFile, start});
  return files;
}

double ValidationScore(double cross_entropy, std::optional<double> difference) {
  return difference.value_or(cross_entropy);
}

std::optional<double> BestScoreInMetrics(const std::string& directory) {
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

std::optional<std::size_t> BestRestart(std::span<const std::optional<double>> scores) {
  std::optional<std::size_t> best;
  for (std::size_t n = 0; n < scores.size(); ++n) {
    if (scores[n] && (!best || *scores[n] < *scores[*best])) best = n;
  }
  return best;
}

RunLock::RunLock(const std::string& directory) {
  std::error_code error;
  for (const std::string_view name : kRunFiles) {
    const fs::path path = PathIn(directory, std::string(name));
    const fs::file_status status = fs::status(path, error);
    // Opening a pipe would block for ever.
    if (fs::exists(status) && !fs::is_regular_file(status)) {
      throw Error("pushdown::RunLock", Printable(path.string(), 300) + ": is not a regular file");
    }
  }
  // A file of its own, which is never replaced, and open for writing, which locks need on network
  // file systems.
  file_ = open(PathIn(directory, kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0 || flock(file_, LOCK_EX | LOCK_NB) != 0) {
    if (file_ >= 0 && errno == EWOULDBLOCK) {
      close(file_);
      throw RunLockedError("pushdown::RunLock",
                           Printable(directory, 200) + ": another process is training there");
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

}  // namespace pushdown
