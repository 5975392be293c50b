#include "pushdown/experiment/experiment_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/fingerprint.h"
#include "pushdown/input_file.h"
#include "pushdown/printable.h"
#include "pushdown/random.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/setting_values.h"
#include "pushdown/run/settings_format.h"
#include "pushdown/toml.h"

namespace pushdown {
namespace {

constexpr double kMaxFileBytes = 1e6;
// More than anybody trains, and so few that every file is read within seconds.
constexpr std::size_t kMostCells = 10000;
constexpr std::size_t kMostOverrides = 1000;
constexpr std::size_t kMostRules = 1000000;  // of the grammars of all cells, some 200 MB
constexpr std::size_t kLongestName = 200;    // file systems have 255
const std::array<std::string, 2> kTables = {"cells", "overrides"};
const std::array<std::string, 2> kCommands = {"train", "lm train"};
const std::vector<std::string> kExperimentKeys = {"command", "title", "restarts",
                                                  "seed",    "test",  "solved"};
// Settings that always are a part of a cell's name, so that the name stays the same when an
// experiment gets a second language or model.
constexpr std::array kNaming = {"task", "grammar", "symbols", "model"};

// A value of a setting, which may consist of several texts (see SettingField::repeated).
struct Choice {
  std::vector<std::string> texts = {};
};

// A setting with its value.
struct GivenSetting {
  std::string key;
  Choice choice = {};
};

// The value of the setting, which is empty if it is not yet there.
Choice& ChoiceOf(std::vector<GivenSetting>& settings, const std::string& key) {
  for (GivenSetting& setting : settings) {
    if (setting.key == key) return setting.choice;
  }
  return settings.emplace_back(GivenSetting{.key = key}).choice;
}

// A setting and all values that it has in a grid.
struct Axis {
  std::string key;
  int line = 0;
  std::vector<Choice> choices = {};
  bool names_cells = false;
};
using Grid = std::vector<const Axis*>;

// What a directory and a selector can have.
std::string NamePart(const Choice& choice) {
  std::string text;
  for (const std::string& each : choice.texts) text += (text.empty() ? "" : "+") + each;
  for (char& c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("._+-:=").find(c) != std::string_view::npos;
    if (!plain) c = '_';
  }
  return text;
}

class Reader {
 public:
  Reader(const std::string& text, std::string name, const std::vector<NamedSetting>& set,
         const Warn& warn)
      : name_(std::move(name)), warn_(warn), tables_(ReadToml(text, name_, kTables)) {
    // What was given beside the file belongs to the record of the experiment.
    for (const NamedSetting& setting : set) {
      plan_.source += fmt::format("# --set {}={}\n", setting.name, setting.value);
    }
    plan_.source += text;
    ReadExperimentKeys();
    for (const NamedSetting& setting : set) ReadSet(setting);
  }

  ExperimentPlan Read() {
    const std::vector<Axis> axes = ReadAxes(tables_.front());
    bool any = false;
    for (const TomlTable& table : tables_) {
      if (table.name == "overrides") AddOverride(table);
    }
    for (const TomlTable& table : tables_) {
      if (table.name != "cells") continue;
      any = true;
      const std::vector<Axis> own = ReadAxes(table);
      AddCells(Merged(axes, own), table.line);
    }
    if (!any) AddCells(Merged(axes, {}), 0);
    CheckOverrides();
    return std::move(plan_);
  }

 private:
  struct Override {
    int line = 0;
    CellSelector selector;
    std::vector<Axis> settings;
  };

  [[noreturn]] void Refuse(int line, const std::string& message) const {
    RefuseToml(name_, line, message);
  }
  [[noreturn]] static void RefuseLimit(const std::string& message) {
    throw Error(ErrorKind::kLimit, "pushdown::ParseExperiment", message);
  }
  std::string CommandName() const { return TrainCommandName(plan_.kind); }

  // Calls `read` with a value of a key; its errors get their place.
  template <typename Read>
  void ReadKey(const std::string& key, const TomlValue& value, const Read& read) const {
    try {
      read(value);
    } catch (const Error& error) {
      Refuse(value.line, fmt::format("{}: {}", key, error.message()));
    }
  }

  // The keys that are not settings of runs. They are removed from their table.
  void ReadExperimentKeys() {
    // Which settings there are depends on the command.
    TakeKey("command", [this](const TomlValue& value) {
      plan_.kind =
          ParseChoice(SettingText(value), kCommands) == 1 ? DataKind::kText : DataKind::kStrings;
    });
    TakeKey("title", [this](const TomlValue& value) { plan_.title = SettingText(value); });
    TakeKey("test", [this](const TomlValue& value) {
      if (value.type != TomlValue::Type::kBoolean) {
        throw Error("pushdown::ParseExperiment", "expected true or false");
      }
      plan_.test = value.text == "true";
    });
    TakeKey("solved", [this](const TomlValue& value) {
      plan_.solved = ParseReal(SettingText(value), kPositive);
    });
    TakeKey("restarts", [this](const TomlValue& value) {
      plan_.restarts = static_cast<int>(ParseInteger(SettingText(value), 1, kMostRestarts));
    });
    TakeKey("seed", [this](const TomlValue& value) {
      plan_.seed = ParseInteger(SettingText(value), 0, std::numeric_limits<std::int64_t>::max());
    });
  }

  template <typename Read>
  void TakeKey(const std::string& key, const Read& read) {
    std::vector<TomlEntry>& entries = tables_.front().entries;
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&key](const TomlEntry& entry) { return entry.key == key; });
    if (found == entries.end()) return;
    ReadKey(found->key, found->value, read);
    entries.erase(found);
  }

  // A setting that is given beside the file. Several values of one that may be repeated belong
  // together.
  void ReadSet(const NamedSetting& setting) {
    const SettingField* field = FindSetting(plan_.kind, setting.name);
    if (field != nullptr &&
        (field->execution || setting.name == "restarts" || setting.name == "seed")) {
      throw Error("pushdown::ParseExperiment",
                  fmt::format("--set: {} is not a setting of a cell", setting.name));
    }
    SettingsDraft trial(plan_.kind);
    try {
      GiveSetting(trial, setting.name, setting.value);
    } catch (const Error& error) {
      throw Error(error.kind(), error.function(), "--set: " + error.message());
    }
    Choice& choice = ChoiceOf(set_, setting.name);
    if (!field->repeated) choice.texts.clear();
    choice.texts.push_back(setting.value);
  }

  const SettingField& FieldOf(const TomlEntry& entry, const TomlTable& table) const {
    const SettingField* field = FindSetting(plan_.kind, entry.key);
    if (field == nullptr) {
      const bool first = &table == &tables_.front();
      Refuse(entry.value.line,
             UnknownSettingText(plan_.kind, entry.key, CommandName(),
                                first ? kExperimentKeys : std::vector<std::string>()));
    }
    if (field->execution) {
      Refuse(entry.value.line,
             entry.key + " is not a setting of an experiment; it is given on the command line");
    }
    if (entry.key == "seed" || entry.key == "restarts") {
      Refuse(entry.value.line, entry.key + " is the same for all cells; it stands before them");
    }
    return *field;
  }

  static void CheckNotEmpty(const TomlValue& array) {
    if (!array.elements.empty()) return;
    throw Error("pushdown::ParseExperiment", "expected at least one value");
  }

  // A value is tried out, so that errors name its line.
  Choice ReadChoice(const TomlValue& value, const SettingField& field) const {
    Choice choice;
    if (value.type == TomlValue::Type::kArray) {
      CheckNotEmpty(value);
      for (const TomlValue& each : value.elements) choice.texts.push_back(SettingText(each));
    } else {
      choice.texts.push_back(SettingText(value));
    }
    SettingsDraft trial(plan_.kind);
    for (const std::string& text : choice.texts) field.set(trial, text);
    return choice;
  }

  std::vector<Axis> ReadAxes(const TomlTable& table) const {
    std::vector<Axis> axes;
    for (const TomlEntry& entry : table.entries) {
      const SettingField& field = FieldOf(entry, table);
      Axis axis = {.key = entry.key, .line = entry.value.line};
      const TomlValue& value = entry.value;
      const bool array = value.type == TomlValue::Type::kArray;
      // For a setting that may be repeated, an array is one value, and an array of arrays several.
      const bool several =
          array && (!field.repeated || std::any_of(value.elements.begin(), value.elements.end(),
                                                   [](const TomlValue& element) {
                                                     return element.type == TomlValue::Type::kArray;
                                                   }));
      axis.names_cells = several || table.name == "cells" ||
                         std::find(kNaming.begin(), kNaming.end(), entry.key) != kNaming.end();
      if (several) ReadKey(entry.key, value, CheckNotEmpty);
      std::set<std::string> names;
      for (const TomlValue& each : several ? value.elements : std::vector{value}) {
        ReadKey(entry.key, each, [&](const TomlValue&) {
          if (each.type == TomlValue::Type::kArray && !field.repeated) {
            throw Error("pushdown::ParseExperiment", "expected values that are not arrays");
          }
          const Choice& choice = axis.choices.emplace_back(ReadChoice(each, field));
          if (!names.insert(NamePart(choice)).second) {
            throw Error("pushdown::ParseExperiment",
                        fmt::format("cells are named by {}, which is there twice",
                                    Quoted(NamePart(choice))));
          }
        });
      }
      axes.push_back(std::move(axis));
    }
    return axes;
  }

  // The settings of [[cells]] take the place of those above, or come after them.
  static Grid Merged(const std::vector<Axis>& axes, const std::vector<Axis>& own) {
    Grid grid;
    for (const Axis& axis : axes) grid.push_back(&axis);
    for (const Axis& axis : own) {
      const auto found = std::find_if(
          grid.begin(), grid.end(), [&axis](const Axis* other) { return other->key == axis.key; });
      if (found == grid.end()) {
        grid.push_back(&axis);
      } else {
        *found = &axis;
      }
    }
    return grid;
  }

  void AddOverride(const TomlTable& table) {
    if (overrides_.size() == kMostOverrides) {
      RefuseLimit(fmt::format("{}:{}: an experiment can have {} tables [[overrides]] at most",
                              name_, table.line, kMostOverrides));
    }
    Override override;
    override.line = table.line;
    TomlTable settings = table;
    const auto found = std::find_if(settings.entries.begin(), settings.entries.end(),
                                    [](const TomlEntry& entry) { return entry.key == "cells"; });
    if (found == settings.entries.end()) {
      Refuse(table.line, "[[overrides]] has no key cells, such as cells = \"model=rns-3-3\"");
    }
    ReadKey(found->key, found->value,
            [&](const TomlValue& value) { override.selector = CellSelector(SettingText(value)); });
    settings.entries.erase(found);
    override.settings = ReadAxes(settings);
    for (const Axis& axis : override.settings) {
      if (axis.choices.size() != 1) {
        Refuse(axis.line, axis.key +
                              ": expected one value; a grid stands before all tables or in "
                              "[[cells]]");
      }
    }
    overrides_.push_back(std::move(override));
  }

  // `line` is that of [[cells]]; 0 if the grid has none.
  void AddCells(const Grid& grid, int line) {
    std::size_t count = 1;
    for (const Axis* axis : grid) {
      count *= axis->choices.size();
      if (plan_.cells.size() + count > kMostCells) {
        RefuseLimit(fmt::format("{}:{}: an experiment can have {} cells at most", name_, axis->line,
                                kMostCells));
      }
    }
    for (std::size_t n = 0; n < count; ++n) {
      // The last setting changes fastest.
      std::vector<const Choice*> chosen(grid.size());
      std::size_t rest = n;
      for (std::size_t axis = grid.size(); axis-- > 0;) {
        chosen[axis] = &grid[axis]->choices[rest % grid[axis]->choices.size()];
        rest /= grid[axis]->choices.size();
      }
      AddCell(grid, chosen, line);
    }
  }

  void AddCell(const Grid& grid, const std::vector<const Choice*>& chosen, int line) {
    Cell cell;
    std::vector<GivenSetting> settings;
    for (std::size_t n = 0; n < grid.size(); ++n) {
      if (grid[n]->names_cells) NameBy(*grid[n], *chosen[n], cell);
      settings.push_back({grid[n]->key, *chosen[n]});
    }
    if (cell.name.empty()) cell.name = "all";
    if (!names_.insert(cell.name).second) {
      Refuse(line, fmt::format("the cell {} is there twice", cell.name));
    }
    for (const Override& override : overrides_) {
      if (override.selector.Chooses(cell)) Apply(override, cell, settings);
    }
    for (const GivenSetting& setting : set_) ApplySet(setting, cell, settings);
    try {
      SettingsDraft draft(plan_.kind);
      for (const auto& [key, choice] : settings) {
        for (const std::string& text : choice.texts) GiveSetting(draft, key, text);
      }
      cell.settings = ResolveSettings(draft, warn_);
    } catch (const Error& error) {
      RefuseCell(grid, cell, line, error);
    }
    CountRules(cell);
    Fingerprint fingerprint;
    fingerprint.Add(cell.name);
    // Short enough to be typed.
    cell.settings.seed = Random(plan_.seed, fingerprint.value()).Next() >> 32;
    plan_.cells.push_back(std::move(cell));
  }

  void NameBy(const Axis& axis, const Choice& choice, Cell& cell) const {
    const NamedSetting& key = cell.keys.emplace_back(NamedSetting{axis.key, NamePart(choice)});
    cell.name += fmt::format("{}{}={}", cell.name.empty() ? "" : ",", key.name, key.value);
    if (cell.name.size() > kLongestName) {
      Refuse(axis.line, fmt::format("{}: the name of a cell has more than {} characters: {}",
                                    axis.key, kLongestName, Printable(cell.name, 100)));
    }
  }

  // Every cell has its grammar.
  void CountRules(const Cell& cell) {
    if (!cell.settings.language || !cell.settings.language->grammar) return;
    rules_ += cell.settings.language->grammar->rules.size();
    if (rules_ > kMostRules) {
      RefuseLimit(fmt::format("{}: the grammars of the first {} cells have more than {} rules",
                              name_, plan_.cells.size() + 1, kMostRules));
    }
  }

  // The settings of a cell do not go together, or one of them names something that does not exist.
  // Messages have the options of the command line, which stand without dashes in a file.
  [[noreturn]] void RefuseCell(const Grid& grid, const Cell& cell, int line,
                               const Error& error) const {
    std::string message = error.message();
    for (const Axis* axis : grid) {
      if (!message.starts_with("--" + axis->key + ": ")) continue;
      line = axis->line;
      message.erase(0, 2);
      break;
    }
    const std::size_t advice = message.find("give --");
    if (advice != message.npos) {
      message += "; in a file without dashes, as data = \"DIR\", or by --set data=DIR";
    }
    throw Error(error.kind(), error.function(),
                fmt::format("{}{}: in the cell {}: {}", name_,
                            line > 0 ? fmt::format(":{}", line) : "", cell.name, message));
  }

  static bool Names(const Cell& cell, const std::string& key) {
    return std::any_of(cell.keys.begin(), cell.keys.end(),
                       [&key](const NamedSetting& setting) { return setting.name == key; });
  }

  void Apply(const Override& override, const Cell& cell,
             std::vector<GivenSetting>& settings) const {
    for (const Axis& axis : override.settings) {
      if (Names(cell, axis.key)) {
        Refuse(axis.line, axis.key +
                              ": cells are distinguished by it, so that it cannot be "
                              "overridden");
      }
      ChoiceOf(settings, axis.key) = axis.choices.front();
    }
  }

  static void ApplySet(const GivenSetting& setting, const Cell& cell,
                       std::vector<GivenSetting>& settings) {
    if (Names(cell, setting.key)) {
      throw Error("pushdown::ParseExperiment",
                  fmt::format("--set: {0}: the cells are distinguished by it; choose cells by "
                              "{0}=VALUE, or change the file",
                              setting.key));
    }
    ChoiceOf(settings, setting.key) = setting.choice;
  }

  void CheckOverrides() const {
    for (const Override& override : overrides_) {
      try {
        override.selector.Check(plan_.cells);
      } catch (const Error& error) {
        Refuse(override.line, "[[overrides]]: cells: " + error.message());
      }
      if (std::none_of(plan_.cells.begin(), plan_.cells.end(),
                       [&override](const Cell& cell) { return override.selector.Chooses(cell); })) {
        Refuse(override.line, "[[overrides]]: cells: no cell has all of these settings");
      }
    }
  }

  std::string name_;
  const Warn& warn_;
  std::vector<TomlTable> tables_;
  std::vector<Override> overrides_;
  std::vector<GivenSetting> set_;
  std::set<std::string> names_;
  std::size_t rules_ = 0;
  ExperimentPlan plan_;
};

}  // namespace

ExperimentPlan ParseExperiment(const std::string& text, const std::string& name,
                               const std::vector<NamedSetting>& set, const Warn& warn) {
  return Reader(text, name, set, warn).Read();
}

ExperimentPlan ReadExperimentFile(const std::string& path, const std::vector<NamedSetting>& set,
                                  const Warn& warn) {
  ExperimentPlan plan = ParseExperiment(ReadFile(path, kMaxFileBytes), InputName(path), set, warn);
  plan.name = std::filesystem::path(path).stem().string();
  return plan;
}

}  // namespace pushdown
