#pragma once

#include <string>
#include <vector>

#include "pushdown/json.h"
#include "pushdown/run/setting_fields.h"
#include "pushdown/run/settings.h"

namespace pushdown {

// Settings in files. This header is not installed, because the JSON library is part of its
// interface.

// The "settings" of config.json. The keys are the names of the fields, except for "language".
Json SettingsJson(const RunSettings& settings);
// Reads the "settings" of config.json. Throws Error.
RunSettings ReadSettingsJson(const nlohmann::json& value, DataKind kind);
// The same without drawing what is left open: SettingsOfRestart can make any restart of it.
RunSettings ReadUndrawnSettingsJson(const nlohmann::json& value, DataKind kind);

// Writes and reads only the settings of a model.
Json ModelJson(const RunSettings& settings);
ModelSpec ReadModelJson(const nlohmann::json& value, DataKind kind);

// Removes the settings that may change when a run is resumed.
void EraseChangeable(DataKind kind, Json& settings);

// The first difference between two objects of settings, such as "clipping is 4.0, expected 5.0";
// empty if they are equal.
std::string FirstDifference(const Json& expected, const Json& found);

// The message about a key of a TOML file that is no setting. `command` is the command whose help
// lists all settings. The file may also have other keys, which are suggested, too.
std::string UnknownSettingText(DataKind kind, const std::string& key, const std::string& command,
                               const std::vector<std::string>& other_keys = {});

// If the file is TOML, whose keys are names of settings, gives these settings to the draft. If it
// is the config.json of another run, bases the draft on the settings of that run. Throws Error,
// naming the file, the line and the key. `command` is the command whose help lists all settings.
void ApplySettingsFile(const std::string& path, const std::string& command, SettingsDraft& draft);
// The same of a text, which is untrusted; messages call it by a name.
void ApplySettingsText(const std::string& text, const std::string& name, const std::string& command,
                       SettingsDraft& draft);

}  // namespace pushdown
