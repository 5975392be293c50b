#include "cli/setting_options.h"

#include <fmt/format.h>

#include "cli/errors.h"

namespace pushdown::cli {

Option GivenSettings::AddOption(Command command, DataKind kind, const SettingField& field) {
  const std::string name = "--" + field.name;
  const auto finish = [&field](Option option) {
    option.TypeName(field.type).Default(field.default_text).Suggest(field.suggested);
    return field.group.empty() ? option : option.Group(field.group);
  };
  if (field.repeated) {
    return finish(command.AddRepeated(name, repeated_[field.name], field.description));
  }
  const auto set = [this, kind, &field](const std::string& text) {
    SettingsDraft trial(kind);
    field.set(trial, text);  // complains here, while the option is known
    settings_.push_back({field.name, text});
  };
  return finish(command.AddOption(name, set, field.description));
}

void GivenSettings::GiveTo(SettingsDraft& draft) const {
  const auto give = [&draft](const std::string& name, const std::string& text) {
    if (FindSetting(draft.settings.kind, name) == nullptr) {
      const bool text_model = draft.settings.kind == DataKind::kText;
      throw UsageError(fmt::format("--{} is for models of {}, {} --text", name,
                                   text_model ? "strings" : "text",
                                   text_model ? "without" : "with"));
    }
    GiveSetting(draft, name, text);
  };
  for (const auto& [name, text] : settings_) give(name, text);
  for (const auto& [name, texts] : repeated_) {
    for (const std::string& text : texts) give(name, text);
  }
}

}  // namespace pushdown::cli
