// Settings by name: what is given, what follows from it, and the same in files.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/setting_fields.h"
#include "pushdown/run/settings_format.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

using testing_files::TemporaryDirectory;
using testing_runs::SmallRun;
using testing_runs::SmallTextRun;
using testing_runs::WriteText;

struct GivenValue {
  std::string name;
  std::string text;
  std::string json;  // in config.json
};

// Each setting that config.json has, with a value that is not its default.
const std::vector<GivenValue> kStringsValues = {{"lengths", "5:9", "\"5:9\""},
                                                {"test-lengths", "6:11", "\"6:11\""},
                                                {"training-size", "31", "31"},
                                                {"validation-size", "11", "11"},
                                                {"test-size", "3", "3"},
                                                {"model", "vrns-2-3-3", "\"vrns-2-3-3\""},
                                                {"hidden-units", "7", "7"},
                                                {"bottom", "fixed", "\"fixed\""},
                                                {"initial-vector", "paper-code", "\"paper-code\""},
                                                {"init", "paper-code", "\"paper-code\""},
                                                {"batch-size", "4", "4"},
                                                {"learning-rate", "0.25", "0.25"},
                                                {"min-learning-rate", "0.125", "0.125"},
                                                {"max-learning-rate", "0.5", "0.5"},
                                                {"clipping", "3.5", "3.5"},
                                                {"beta1", "0.75", "0.75"},
                                                {"beta2", "0.875", "0.875"},
                                                {"epsilon", "0.0625", "0.0625"},
                                                {"decay-factor", "0.5", "0.5"},
                                                {"decay-patience", "9", "9"},
                                                {"decay-threshold", "0.25", "0.25"},
                                                {"decay-minimum", "0.5", "0.5"},
                                                {"patience", "12", "12"},
                                                {"max-epochs", "13", "13"},
                                                {"seed", "14", "14"},
                                                {"test-seed", "15", "15"},
                                                {"data-seed", "16", "16"},
                                                {"parameter-seed", "17", "17"},
                                                {"shuffle-seed", "18", "18"},
                                                {"hyperparameter-seed", "19", "19"},
                                                {"restarts", "20", "20"}};

TEST(Settings, EveryOneIsWrittenAndReadAgain) {
  std::vector<NamedSetting> given = {{"task", "dyck"}};
  std::set<std::string> names;
  for (const GivenValue& value : kStringsValues) {
    given.push_back({value.name, value.text});
    names.insert(value.name);
  }
  const RunSettings settings = MakeSettings(DataKind::kStrings, given);
  const Json written = SettingsJson(settings);
  for (const GivenValue& value : kStringsValues) {
    ASSERT_TRUE(written.contains(value.name)) << value.name;
    EXPECT_EQ(written[value.name].dump(), value.json) << value.name;
  }
  const RunSettings read =
      ReadSettingsJson(nlohmann::json::parse(written.dump()), DataKind::kStrings);
  EXPECT_EQ(SettingsJson(read), written);
  // The list above is complete: a new setting must be added to it.
  for (const SettingField& field : SettingFields(DataKind::kStrings)) {
    if (!field.get || field.name == "data" || field.name == "start-from") continue;
    EXPECT_TRUE(names.contains(field.name)) << field.name;
  }
}

TEST(Settings, ThoseOfTextAreWrittenAndReadAgain) {
  const TemporaryDirectory directory;
  WriteText(directory, "text");
  const RunSettings settings = SmallTextRun(directory.path() + "/text");
  const Json written = SettingsJson(settings);
  EXPECT_EQ(written["window"], 4);
  EXPECT_EQ(written["embedding-size"], 6);
  EXPECT_EQ(written["chunk-length"], 5);
  EXPECT_FALSE(written.contains("depth-limit"));
  EXPECT_FALSE(written.contains("beta1"));
  const RunSettings read = ReadSettingsJson(nlohmann::json::parse(written.dump()), DataKind::kText);
  // Those that were drawn for the only restart are there, too.
  EXPECT_EQ(FirstDifference(written, SettingsJson(read)), "");
}

TEST(Settings, MistakesNameTheSettingAndSayWhatIsRight) {
  const auto message = [](const std::vector<NamedSetting>& given) {
    try {
      MakeSettings(DataKind::kStrings, given);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      return error.message();
    }
    return std::string("no Error");
  };
  EXPECT_EQ(message({{"hidden-units", "0"}}),
            "hidden-units: expected an integer of at least 1, found \"0\"");
  EXPECT_EQ(message({{"bottom", "olb"}}).rfind("bottom: expected fixed or old, found \"olb\"", 0),
            0u);
  EXPECT_NE(message({{"hiden-units", "3"}}).find("hidden-units"), std::string::npos);
  EXPECT_NE(message({{"task", "dyck"}}).find("no model is given"), std::string::npos);
  EXPECT_NE(message({{"model", "lstm"}}).find("nothing to train on is given"), std::string::npos);
  EXPECT_NE(
      message({{"task", "dyck"}, {"model", "lstm"}, {"bottom", "old"}}).find("--bottom old is for"),
      std::string::npos);
  // Those of text are others.
  EXPECT_NE(message({{"chunk-length", "3"}}).find("there is no setting"), std::string::npos);
}

// The settings of a run whose numbers have been drawn, and a draft that is based on it.
struct Based {
  RunSettings base = SettingsOfRestart(MakeSettings(DataKind::kStrings, {{"task", "dyck"},
                                                                         {"symbols", "3"},
                                                                         {"model", "vrns-1-2-2"},
                                                                         {"bottom", "old"},
                                                                         {"hidden-units", "9"},
                                                                         {"seed", "5"}}),
                                       1);

  RunSettings With(const std::vector<NamedSetting>& given) const {
    SettingsDraft draft(DataKind::kStrings);
    BaseOn(base, draft);
    for (const auto& [name, value] : given) GiveSetting(draft, name, value);
    return ResolveSettings(draft);
  }
};

TEST(Settings, AnotherRunIsRepeatedUnlessSomethingElseIsGiven) {
  const Based based;
  EXPECT_EQ(SettingsJson(based.With({})), SettingsJson(based.base));

  const RunSettings model = based.With({{"model", "lstm"}});
  EXPECT_EQ(ModelName(model.model), "lstm");
  EXPECT_EQ(model.model.hidden_units, 9);
  EXPECT_EQ(model.learning_rate, based.base.learning_rate);

  const RunSettings stack = based.With({{"model", "rns-2-2"}});
  ASSERT_NE(stack.model.nondeterministic(), nullptr);
  EXPECT_EQ(stack.model.nondeterministic()->bottom, Bottom::kOld);

  const RunSettings symbols = based.With({{"symbols", "4"}});
  ASSERT_TRUE(symbols.language);
  EXPECT_EQ(symbols.language->info->name, "dyck");
  EXPECT_EQ(symbols.language->options.symbols, 4);

  const RunSettings lengths = based.With({{"lengths", "8:16"}});
  EXPECT_EQ(lengths.dataset.test_lengths.max, 20);
}

TEST(Settings, ANewSeedDrawsEverythingAnew) {
  const Based based;
  const RunSettings seeded = SettingsOfRestart(based.With({{"seed", "6"}}), 1);
  EXPECT_NE(seeded.seeds.parameters, based.base.seeds.parameters);
  EXPECT_NE(seeded.seeds.data, based.base.seeds.data);
  EXPECT_NE(seeded.learning_rate, based.base.learning_rate);
  // But not what was given.
  const RunSettings kept =
      SettingsOfRestart(based.With({{"seed", "6"}, {"learning-rate", "0.5"}}), 1);
  EXPECT_EQ(kept.learning_rate, 0.5);
}

// toml++ 3.3 has undefined behaviour where they stand elsewhere.
TEST(Settings, CharactersBeyondAsciiStandInCommentsAndStringsOnly) {
  const auto refusal = [](const std::string& text) {
    SettingsDraft draft(DataKind::kStrings);
    try {
      ApplySettingsText(text, "file", "pushdown train", draft);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string();
  };
  const std::string x = "\xd1\x98";
  for (const std::string& good :
       {"# " + x + "\nseed = 1\n", "grammar = \"" + x + "\"\n", "grammar = '" + x + "' # " + x,
        "grammar = \"\"\"" + x + "\"\"\"\"\nseed = 2", "grammar = '''\n" + x + "''" + x + "'''\n",
        std::string("\xef\xbb\xbfseed = 1\n")}) {
    EXPECT_EQ(refusal(good), "") << good;
  }
  for (const std::string& bad :
       {"\n" + x, "\ngrammar " + x + "= 'a'", "\ngrammar = 'a' " + x,
        "\ngrammar = \"\"\"a\"\"\"\" " + x, "\ngrammar = \"\\" + x + "\"",
        "\ngrammar = '''a''''' " + x, "\ngrammar = \"\"\"\\" + x + "\"\"\""}) {
    EXPECT_EQ(refusal(bad).rfind("file:2: a character that is not ASCII", 0), 0u)
        << bad << ": " << refusal(bad);
  }
  for (const char* table : {"\n[", "\n [  ", "\n[a]\nseed = 1"}) {
    EXPECT_EQ(refusal(table), "file:2: settings have no tables") << table;
  }
  for (const char* table : {"\nseed = {", "\nparam = [{}]"}) {
    EXPECT_EQ(refusal(table), "file:2: settings have no tables in braces") << table;
  }
  EXPECT_EQ(refusal("param = [\n\"a=1\",\n'b=2' ] # ]\nseed = 3\n"), "");
}

TEST(Settings, AFileIsTomlOrTheConfigurationOfARun) {
  const TemporaryDirectory directory;
  directory.Write("a.toml", "task = \"dyck\"\nsymbols = 3\nmodel = 'sup-10'\nclipping = 2\n");
  SettingsDraft draft(DataKind::kStrings);
  ApplySettingsFile(directory.path() + "/a.toml", "pushdown train", draft);
  const RunSettings settings = ResolveSettings(draft);
  EXPECT_EQ(ModelName(settings.model), "sup-10");
  EXPECT_EQ(settings.training.clipping, 2);
  EXPECT_EQ(settings.language->options.symbols, 3);

  const RunConfig config = {.settings = SettingsOfRestart(settings, 1),
                            .vocabulary = {"a"},
                            .fingerprint = "f",
                            .kernels = "k"};
  directory.Write("config.json", SerializeConfig(config, nullptr));
  SettingsDraft again(DataKind::kStrings);
  ApplySettingsFile(directory.path() + "/config.json", "pushdown train", again);
  EXPECT_EQ(SettingsJson(ResolveSettings(again)), SettingsJson(config.settings));

  directory.Write("bad.toml", "task = \"dyck\"\n\nclipping = -1\n");
  SettingsDraft bad(DataKind::kStrings);
  try {
    ApplySettingsFile(directory.path() + "/bad.toml", "pushdown train", bad);
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("bad.toml:3: clipping: expected a number greater than 0"),
              std::string::npos)
        << error.message();
  }
}

}  // namespace
}  // namespace pushdown
