#include "pushdown/run/run_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/fingerprint.h"
#include "pushdown/input_file.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/parsed_file.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/run/settings_format.h"
#include "pushdown/version.h"

namespace pushdown {
namespace {

constexpr const char* kChecksum = "checksum";

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::ReadConfig", message);
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
  config[kChecksum] = ConfigChecksum(nlohmann::json::parse(IndentedJson(config)));
  return IndentedJson(config);
}

DataKind ReadKind(const nlohmann::json& config) {
  // Runs without a kind are older than models of text.
  const std::string kind = config.value("kind", KindName(DataKind::kStrings));
  if (kind == kRecognizerKind) {
    Refuse(
        "is of a recognizer that `pushdown compile` made, not of a training; use "
        "`pushdown recognize`");
  }
  for (const DataKind known : {DataKind::kStrings, DataKind::kText}) {
    if (kind == KindName(known)) return known;
  }
  Refuse("kind: " + Quoted(kind) + " is not one of this version");
}

}  // namespace

const char* KindName(DataKind kind) { return kind == DataKind::kText ? "text" : "strings"; }

const char* TrainCommandName(DataKind kind) {
  return kind == DataKind::kText ? "pushdown lm train" : "pushdown train";
}

std::string SerializeConfig(const RunConfig& config, const Json& machine) {
  Json value = {
      {"format", kConfigFormat}, {"pushdown", kVersion}, {"kind", KindName(config.settings.kind)}};
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
    throw Error(ErrorKind::kLimit, "pushdown::SerializeConfig",
                fmt::format("the {} words take more than the {} MB that {} may have",
                            config.vocabulary.size(), kMaxConfigBytes / 1e6, kConfigFile));
  }
  return written;
}

RunConfig ParseConfig(const std::string& text) {
  const nlohmann::json value = ReadJson(text);
  try {
    if (value.at("format") != kConfigFormat) Refuse("is of another version of this program");
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
  } catch (const nlohmann::json::exception& error) {
    Refuse(Printable(error.what(), 200));
  }
}

RunConfig ReadConfig(const std::string& directory) {
  if (directory.empty()) Refuse("the name of the run is empty");
  if (!HoldsRun(directory)) {
    const std::string fault = DirectoryFault(directory);
    if (!fault.empty()) Refuse(Printable(directory, 200) + ": " + fault);
    Refuse(fmt::format("{} holds no run: there is no {} in it", Printable(directory, 200),
                       kConfigFile));
  }
  return ParseFile(PathIn(directory, kConfigFile), kMaxConfigBytes, ParseConfig);
}

std::string ChangedConfigText(const std::string& directory) {
  return fmt::format(
      "{}: was changed after it was written; what follows is of the changed settings",
      Printable(PathIn(directory, kConfigFile), 300));
}

void WriteChangeableSettings(const std::string& directory, const RunSettings& settings) {
  const RunConfig before = ReadConfig(directory);
  Json changed = SettingsJson(before.settings);
  const Json wanted = SettingsJson(settings);
  Json fixed = changed;
  EraseChangeable(settings.kind, fixed);
  const std::string path = PathIn(directory, kConfigFile);
  Json config =
      ParseFile(path, kMaxConfigBytes, [](const std::string& text) { return Json::parse(text); });
  bool different = false;
  for (const auto& [key, value] : wanted.items()) {
    if (fixed.contains(key) || (changed.contains(key) && changed[key] == value)) continue;
    config["settings"][key] = value;
    different = true;
  }
  if (!different) return;
  // What somebody else has changed is still to be warned of.
  WriteFile(path, before.changed ? IndentedJson(config) : WithChecksum(std::move(config)));
}

void CheckKind(const std::string& directory, const RunConfig& config, DataKind kind,
               const std::string& instead) {
  if (config.settings.kind == kind) return;
  throw Error("pushdown::CheckKind",
              fmt::format("{} is a run of `{}`; {}", Printable(directory, 200),
                          TrainCommandName(config.settings.kind), instead));
}

Json FixedSettingsJson(const RunSettings& settings) {
  Json value = SettingsJson(settings);
  EraseChangeable(settings.kind, value);
  return value;
}

std::string KernelsText() {
  InitializeBlas();
  return fmt::format("SIMD target {}, OpenBLAS for {}", ActiveSimdTarget(), BlasKernels());
}

}  // namespace pushdown
