#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/command.h"
#include "pushdown/run/setting_fields.h"

namespace pushdown::cli {

// Settings that a command line gives. They are kept as texts, since files may have others that come
// before them.
class GivenSettings {
 public:
  // Adds an option for a field; this must live until the command runs.
  Option AddOption(Command command, DataKind kind, const SettingField& field);
  // Gives all settings to a draft. Throws UsageError if its kind of models does not have one.
  void GiveTo(SettingsDraft& draft) const;

 private:
  std::vector<NamedSetting> settings_;
  std::map<std::string, std::vector<std::string>> repeated_;
};

}  // namespace pushdown::cli
