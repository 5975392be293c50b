#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pushdown/run/model_choice.h"
#include "pushdown/run/settings.h"

namespace pushdown {

// How a training is carried out. Its result does not depend on any of this.
struct Execution {
  std::string out = {};   // the directory of the run
  int jobs = 0;           // restarts side by side; 0: as many as CPUs, or one for models of text
  int threads = 0;        // of each restart; 0: the number of CPUs divided by the jobs
  double time_limit = 0;  // in seconds; 0: none
  double checkpoint_seconds = 300;
};

// How much is done at the same time.
struct Parallelism {
  int threads = 1;  // of each restart
  int jobs = 1;     // restarts side by side
};

// Settings that are still being collected, one after the other, from options, from a TOML file or
// from a user of the library. A setting that depends on others is kept as it was given until
// ResolveSettings is called.
struct SettingsDraft {
  explicit SettingsDraft(DataKind kind) : settings(DefaultSettings(kind)) {}

  bool is_given(const std::string& name) const { return given.contains(name); }

  RunSettings settings;                  // the defaults, or `base`, changed by what was given
  std::optional<RunSettings> base = {};  // the settings of another run, see BaseOn
  ModelArguments model = {};             // as given
  LanguageArguments language = {};       // as given
  Execution execution = {};
  std::set<std::string> given = {};  // the names of all settings that were given
};

// The value of a setting; nothing if the setting does not apply or has no value.
using SettingValue = std::variant<std::monostate, std::string, std::uint64_t, double>;

// One setting. Options, TOML files, config.json and the comparison of runs are all made from the
// list of these fields, so that a new setting is one new entry in the list.
struct SettingField {
  std::string name;  // the option without its dashes, and the key in files
  std::string description;
  std::string type;        // stands for the value in the help, such as "N"
  std::string group = {};  // the heading in the help; empty: the first one
  std::string default_text = {};
  // All values, or usual ones, for whoever wants to choose.
  std::vector<std::string> suggested = {};
  bool repeated = false;    // whether it may have several values
  bool changeable = false;  // whether it may change when a run is resumed
  bool execution = false;   // whether it is a member of Execution, not a setting of the run
  // Reads a value into a draft. Throws Error; its message does not name the setting.
  std::function<void(SettingsDraft& draft, const std::string& text)> set;
  // The value in config.json. Empty for a field that is not a setting of the run, such as the
  // number of threads, or that config.json has in another form, such as the language.
  std::function<SettingValue(const RunSettings& settings)> get = {};
};

// All settings of a kind of run, in the order of the help. The list lives as long as the program.
const std::vector<SettingField>& SettingFields(DataKind kind);
// The field with this name, or null.
const SettingField* FindSetting(DataKind kind, std::string_view name);

// Gives a setting its value. Throws Error, naming the setting, if there is none of this name or the
// value is wrong.
void GiveSetting(SettingsDraft& draft, const std::string& name, const std::string& text);

// Makes the settings of another run the defaults of a draft.
void BaseOn(const RunSettings& base, SettingsDraft& draft);

// The settings that a draft describes. Chooses the model and the language, reads the grammar file
// or the task.json of a data directory, and checks that the settings go together. Throws Error.
RunSettings ResolveSettings(const SettingsDraft& draft, const Warn& warn = {});

// The same in one call, by the names of the options of `pushdown train`, such as
// {{"task", "dyck"}, {"model", "rns-2-3"}, {"max-epochs", "5"}}.
struct NamedSetting {
  std::string name;
  std::string value;
};
RunSettings MakeSettings(DataKind kind, const std::vector<NamedSetting>& settings,
                         const Warn& warn = {});

}  // namespace pushdown
