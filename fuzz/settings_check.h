#pragma once

#include <stdexcept>
#include <string>

#include "pushdown/error.h"
#include "pushdown/run/settings_format.h"

namespace pushdown {

// Reads any text as a file of settings, TOML or a config.json, of both kinds of runs. Settings that
// are complete must be the same after writing and reading again. Only what the library reports as
// an error is caught; returns whether there are complete settings.
inline bool CheckSettings(const std::string& text) {
  bool complete = false;
  for (const DataKind kind : {DataKind::kStrings, DataKind::kText}) {
    Json written;
    try {
      SettingsDraft draft(kind);
      ApplySettingsText(text, "settings", "pushdown train", draft);
      // A text may not name files that are read.
      if (!draft.language.grammar.empty() || draft.is_given("data")) continue;
      written = SettingsJson(ResolveSettings(draft));
    } catch (const Error&) {
      continue;
    }
    complete = true;
    const RunSettings again = ReadSettingsJson(nlohmann::json::parse(written.dump()), kind);
    if (!FirstDifference(written, SettingsJson(again)).empty()) {
      throw std::logic_error("the settings differ");
    }
  }
  return complete;
}

}  // namespace pushdown
