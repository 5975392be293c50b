#include "pushdown/run/settings_format.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/input_file.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"
#include "pushdown/run/language_json.h"
#include "pushdown/run/run_config.h"
#include "pushdown/toml.h"

namespace pushdown {
namespace {

constexpr const char* kLanguage = "language";

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::ReadSettings", message);
}

[[noreturn]] void RefuseKey(const std::string& key) {
  Refuse("the setting " + Quoted(key) + " is not one of this version");
}

// A setting that is kept in config.json.
void GiveFromJson(const std::string& key, const nlohmann::json& value, SettingsDraft& draft) {
  const SettingField* field = FindSetting(draft.settings.kind, key);
  const bool scalar = value.is_string() || value.is_number();
  if (field == nullptr || !field->get || !scalar) RefuseKey(key);
  try {
    field->set(draft, value.is_string() ? value.get<std::string>() : value.dump());
  } catch (const Error& error) {
    Refuse(fmt::format("the setting --{}: {}", key, error.message()));
  }
}

void AddJson(const SettingField& field, const RunSettings& settings, Json& object) {
  if (!field.get) return;
  std::visit(
      [&](const auto& value) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
          object[field.name] = value;
        }
      },
      field.get(settings));
}

void ApplyToml(const std::string& text, const std::string& name, const std::string& command,
               SettingsDraft& draft) {
  const std::vector<TomlTable> tables = ReadToml(text, name);
  for (const auto& [key, value] : tables.front().entries) {
    const SettingField* field = FindSetting(draft.settings.kind, key);
    if (field == nullptr) {
      RefuseToml(name, value.line, UnknownSettingText(draft.settings.kind, key, command));
    }
    try {
      const bool several = value.type == TomlValue::Type::kArray;
      if (several && !field->repeated && value.elements.size() != 1) Refuse("expected one value");
      for (const TomlValue& each : several ? value.elements : std::vector{value}) {
        field->set(draft, SettingText(each));
      }
    } catch (const Error& error) {
      RefuseToml(name, value.line, fmt::format("{}: {}", key, error.message()));
    }
    draft.given.insert(key);
  }
}

}  // namespace

Json SettingsJson(const RunSettings& settings) {
  Json object = Json::object();
  if (settings.kind == DataKind::kStrings) {
    object[kLanguage] = settings.language ? LanguageJson(*settings.language) : Json();
  }
  for (const SettingField& field : SettingFields(settings.kind)) AddJson(field, settings, object);
  return object;
}

RunSettings ReadUndrawnSettingsJson(const nlohmann::json& value, DataKind kind) {
  if (!value.is_object()) Refuse("the settings are not an object");
  SettingsDraft draft(kind);
  for (const auto& [key, setting] : value.items()) {
    if (key == kLanguage && kind == DataKind::kStrings) {
      if (!setting.is_null()) draft.settings.language = ReadLanguageJson(setting);
    } else {
      GiveFromJson(key, setting, draft);
    }
  }
  RunSettings settings = std::move(draft.settings);
  if (settings.data.empty() && !settings.language) {
    Refuse("the settings have neither a language nor data");
  }
  settings.model = ChooseModel(kind, draft.model);
  return settings;
}

RunSettings ReadSettingsJson(const nlohmann::json& value, DataKind kind) {
  RunSettings settings = ReadUndrawnSettingsJson(value, kind);
  // Everything that follows from others. Seeds that are there stay.
  if (settings.restarts == 1) settings = SettingsOfRestart(settings, 1);
  const Json known = SettingsJson(settings);
  for (const auto& [key, setting] : value.items()) {
    if (!known.contains(key)) RefuseKey(key);
  }
  return settings;
}

std::string UnknownSettingText(DataKind kind, const std::string& key, const std::string& command,
                               const std::vector<std::string>& other_keys) {
  std::vector<std::string> names = other_keys;
  for (const SettingField& known : SettingFields(kind)) names.push_back(known.name);
  return fmt::format("{} is not an option that a file can have{}; see {} --help", Printable(key),
                     Suggestion(key, names), command);
}

Json ModelJson(const RunSettings& settings) {
  Json object = Json::object();
  for (const char* name : {"model", "hidden-units", "bottom", "initial-vector", "embedding-size",
                           "window", "depth-limit"}) {
    const SettingField* field = FindSetting(settings.kind, name);
    if (field != nullptr) AddJson(*field, settings, object);
  }
  return object;
}

ModelSpec ReadModelJson(const nlohmann::json& value, DataKind kind) {
  if (!value.is_object()) Refuse("the model is not an object");
  SettingsDraft draft(kind);
  for (const auto& [key, setting] : value.items()) GiveFromJson(key, setting, draft);
  return ChooseModel(kind, draft.model);
}

void EraseChangeable(DataKind kind, Json& settings) {
  for (const SettingField& field : SettingFields(kind)) {
    if (field.changeable) settings.erase(field.name);
  }
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

void ApplySettingsFile(const std::string& path, const std::string& command, SettingsDraft& draft) {
  ApplySettingsText(ReadFile(path, kMaxConfigBytes), InputName(path), command, draft);
}

void ApplySettingsText(const std::string& text, const std::string& name, const std::string& command,
                       SettingsDraft& draft) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || text[first] != '{') {
    ApplyToml(text, name, command, draft);
    return;
  }
  try {
    const RunConfig config = ParseConfig(text);
    // What was drawn for a run of several restarts is not written, and is drawn again.
    BaseOn(config.settings, draft);
  } catch (const Error& error) {
    Refuse(fmt::format("{}: {}", name, error.message()));
  }
}

}  // namespace pushdown
