#pragma once

#include <string>
#include <vector>

#include "pushdown/json.h"
#include "pushdown/run/settings.h"

namespace pushdown {

// config.json, which has everything that is known about a run before it begins. This header is not
// installed, because the JSON library is part of its interface.

inline constexpr int kConfigFormat = 1;
inline constexpr double kMaxConfigBytes = 256e6;
// The kind in the config.json of a recognizer, which is not trained. Trained models have one of the
// kinds below.
inline constexpr const char* kRecognizerKind = "recognizer";

// "strings" or "text", the kind in files.
const char* KindName(DataKind kind);
// "pushdown train" or "pushdown lm train".
const char* TrainCommandName(DataKind kind);

struct RunConfig {
  RunSettings settings = {};
  std::vector<std::string> vocabulary = {};
  std::string fingerprint = {};  // of the data; empty if there are several restarts
  std::string kernels = {};      // those that the run began with, see KernelsText
  bool changed = false;          // whether the file was changed: its checksum is wrong
};

// The text of config.json. Throws Error if it would be too long to be read again.
std::string SerializeConfig(const RunConfig& config, const Json& machine);
// Throws Error.
RunConfig ParseConfig(const std::string& text);
// The configuration of the run in a directory. Throws Error, naming the file.
RunConfig ReadConfig(const std::string& directory);
// The warning about a config.json whose checksum is wrong.
std::string ChangedConfigText(const std::string& directory);
// Writes the settings that may change when a run is resumed into config.json, and leaves the rest
// of the file as it is.
void WriteChangeableSettings(const std::string& directory, const RunSettings& settings);
// Throws Error if the run is not of this kind; `instead` says what to do with a run of the other
// one.
void CheckKind(const std::string& directory, const RunConfig& config, DataKind kind,
               const std::string& instead);

// All settings except those that may change when a run is resumed.
Json FixedSettingsJson(const RunSettings& settings);

// What rounding depends on: the SIMD target of the stacks, and OpenBLAS's kernels.
std::string KernelsText();

}  // namespace pushdown
