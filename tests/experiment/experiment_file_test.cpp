// Files of experiments: the cells of grids, their names and their settings.

#include "pushdown/experiment/experiment_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/run/settings_format.h"
#include "tests/experiment/plan_helpers.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

using testing_experiments::CellNames;
using testing_experiments::CellOf;
using testing_experiments::Parse;
using testing_experiments::Refusal;
using testing_experiments::SettingOf;
using testing_files::TemporaryDirectory;
using testing_runs::WriteText;

using Names = std::vector<std::string>;

double ParameterOf(const Cell& cell, const std::string& name) {
  return cell.settings.language->options.parameters.at(name);
}

// --- Grids.

TEST(ExperimentFile, TheLastSettingChangesFastestInTheOrderOfTheFile) {
  EXPECT_EQ(CellNames(Parse("task = ['dyck', 'count-3']\nmodel = ['lstm', 'sup-3']\n")),
            (Names{"task=dyck,model=lstm", "task=dyck,model=sup-3", "task=count-3,model=lstm",
                   "task=count-3,model=sup-3"}));
  EXPECT_EQ(CellNames(Parse("model = ['lstm', 'sup-3']\npatience = [1, 2, 3]\ntask = 'dyck'\n")),
            (Names{"model=lstm,patience=1,task=dyck", "model=lstm,patience=2,task=dyck",
                   "model=lstm,patience=3,task=dyck", "model=sup-3,patience=1,task=dyck",
                   "model=sup-3,patience=2,task=dyck", "model=sup-3,patience=3,task=dyck"}));
}

TEST(ExperimentFile, CellsHaveTheSettingsThatTheirNamesSay) {
  const ExperimentPlan plan = Parse(
      "task = 'dyck'\nsymbols = [2, 3]\nmodel = ['lstm', 'rns-2-3']\nlengths = '10:20'\n"
      "learning-rate = [0.25, 0.5]\n");
  ASSERT_EQ(plan.cells.size(), 8u);
  const Cell& cell = CellOf(plan, "task=dyck,symbols=3,model=rns-2-3,learning-rate=0.25");
  EXPECT_EQ(cell.settings.language->info->name, "dyck");
  EXPECT_EQ(cell.settings.language->options.symbols, 3);
  EXPECT_EQ(SettingOf(cell, "model"), "\"rns-2-3\"");
  EXPECT_EQ(SettingOf(cell, "learning-rate"), "0.25");
  EXPECT_EQ(SettingOf(cell, "lengths"), "\"10:20\"");
  EXPECT_EQ(SettingOf(cell, "test-lengths"), "\"10:25\"");
  ASSERT_EQ(cell.keys.size(), 4u);
  EXPECT_EQ(cell.keys[1].name, "symbols");
  EXPECT_EQ(cell.keys[1].value, "3");
}

TEST(ExperimentFile, KeysOfTheExperimentHaveDefaults) {
  const ExperimentPlan plan = Parse("task = 'dyck'\nmodel = 'lstm'\n");
  EXPECT_EQ(plan.kind, DataKind::kStrings);
  EXPECT_EQ(plan.title, "");
  EXPECT_EQ(plan.restarts, 1);
  EXPECT_EQ(plan.seed, 1u);
  EXPECT_TRUE(plan.test);
  EXPECT_EQ(plan.solved, 0.01);
  EXPECT_EQ(CellNames(plan), (Names{"task=dyck,model=lstm"}));
}

TEST(ExperimentFile, KeysOfTheExperimentAreRead) {
  const std::string text =
      "title = 'A \\ title'\ntask = 'dyck'\nmodel = 'lstm'\nrestarts = 7\nseed = 11\ntest = false\n"
      "solved = 0.5\ncommand = 'train'\n";
  const ExperimentPlan plan = Parse(text);
  EXPECT_EQ(plan.title, "A \\ title");
  EXPECT_EQ(plan.restarts, 7);
  EXPECT_EQ(plan.seed, 11u);
  EXPECT_FALSE(plan.test);
  EXPECT_EQ(plan.solved, 0.5);
  EXPECT_EQ(plan.source, text);
  // They are not settings of cells.
  EXPECT_EQ(CellNames(plan), (Names{"task=dyck,model=lstm"}));
}

// --- Names.

TEST(ExperimentFile, ASecondLanguageOrModelLeavesNamesAsTheyAre) {
  const std::string name = "task=dyck,symbols=2,model=lstm";
  EXPECT_EQ(CellNames(Parse("task = 'dyck'\nsymbols = 2\nmodel = 'lstm'\n")), Names{name});
  for (const char* more : {"task = ['count-and-copy', 'dyck']\nsymbols = 2\nmodel = 'lstm'\n",
                           "task = 'dyck'\nsymbols = [40, 2]\nmodel = 'lstm'\n",
                           "task = ['dyck']\nsymbols = 2\nmodel = ['sup-3', 'lstm']\n"}) {
    EXPECT_NO_THROW(CellOf(Parse(more), name)) << more;
  }
}

TEST(ExperimentFile, OtherSettingsNameCellsOnlyIfTheyAreArrays) {
  const std::string rest = "task = 'dyck'\nmodel = 'lstm'\n";
  EXPECT_EQ(CellNames(Parse(rest + "patience = 3\n")), Names{"task=dyck,model=lstm"});
  EXPECT_EQ(CellNames(Parse(rest + "patience = [3]\n")), Names{"task=dyck,model=lstm,patience=3"});
}

TEST(ExperimentFile, ACellThatNothingDistinguishesIsCalledAll) {
  EXPECT_EQ(CellNames(Parse("patience = 3\n", {{"task", "dyck"}, {"model", "lstm"}})),
            Names{"all"});
}

TEST(ExperimentFile, NamesHaveNoCharactersThatDirectoriesOrSelectorsCannotHave) {
  const TemporaryDirectory directory;
  directory.Write("a,b|c.cfg", "S -> a S b [0.4] | eps [0.6]\n");
  const std::string path = directory.path() + "/a,b|c.cfg";
  std::string part = path;
  for (char& c : part) {
    if (c == '/' || c == ',' || c == '|') c = '_';
  }
  EXPECT_EQ(CellNames(Parse("grammar = '" + path + "'\nmodel = 'lstm'\n")),
            Names{"grammar=" + part + ",model=lstm"});
  EXPECT_EQ(CellNames(Parse("task = 'dyck'\nmodel = 'lstm'\nlengths = ['3:5', '4:6']\n"
                            "learning-rate = [1e-3]\n")),
            (Names{"task=dyck,model=lstm,lengths=3:5,learning-rate=0.001",
                   "task=dyck,model=lstm,lengths=4:6,learning-rate=0.001"}));
}

// --- A setting that may be repeated.

TEST(ExperimentFile, AnArrayOfParametersIsOneValue) {
  const ExperimentPlan plan = Parse("task = 'dyck'\nmodel = 'lstm'\nparam = ['s=1/4', 't=1/8']\n");
  ASSERT_EQ(CellNames(plan), Names{"task=dyck,model=lstm"});
  EXPECT_EQ(ParameterOf(plan.cells[0], "s"), 0.25);
  EXPECT_EQ(ParameterOf(plan.cells[0], "t"), 0.125);
}

TEST(ExperimentFile, AnArrayOfArraysOfParametersIsSeveralValues) {
  const ExperimentPlan plan =
      Parse("task = 'dyck'\nparam = [['s=1/4', 't=1/8'], 's=0.75']\nmodel = 'lstm'\n");
  ASSERT_EQ(CellNames(plan),
            (Names{"task=dyck,param=s=1_4+t=1_8,model=lstm", "task=dyck,param=s=0.75,model=lstm"}));
  EXPECT_EQ(ParameterOf(plan.cells[0], "s"), 0.25);
  EXPECT_EQ(ParameterOf(plan.cells[0], "t"), 0.125);
  EXPECT_EQ(ParameterOf(plan.cells[1], "s"), 0.75);
  EXPECT_NE(ParameterOf(plan.cells[1], "t"), 0.125);
}

// --- [[cells]]

TEST(ExperimentFile, CellsOfTheirOwnReplaceTheSettingsAbove) {
  const ExperimentPlan plan = Parse(
      "task = ['dyck', 'marked-reversal']\nmodel = 'lstm'\npatience = 3\n"
      "[[cells]]\nmodel = ['sup-3', 'rns-1-2']\n"
      "[[cells]]\ntask = 'count-3'\npatience = 4\nclipping = 2\n");
  EXPECT_EQ(CellNames(plan),
            (Names{"task=dyck,model=sup-3", "task=dyck,model=rns-1-2",
                   "task=marked-reversal,model=sup-3", "task=marked-reversal,model=rns-1-2",
                   "task=count-3,model=lstm,patience=4,clipping=2"}));
  EXPECT_EQ(SettingOf(plan.cells[0], "patience"), "3");
  EXPECT_EQ(SettingOf(plan.cells[4], "patience"), "4");
  EXPECT_EQ(SettingOf(plan.cells[4], "clipping"), "2.0");
}

TEST(ExperimentFile, AnEmptyTableOfCellsIsTheGridAbove) {
  EXPECT_EQ(CellNames(Parse("task = 'dyck'\nmodel = ['lstm', 'sup-3']\n[[cells]]\n"
                            "[[cells]]\ntask = 'count-3'\n")),
            (Names{"task=dyck,model=lstm", "task=dyck,model=sup-3", "task=count-3,model=lstm",
                   "task=count-3,model=sup-3"}));
}

TEST(ExperimentFile, ParametersOfCellsTakeThePlaceOfThoseAbove) {
  const ExperimentPlan plan = Parse(
      "task = 'dyck'\nmodel = 'lstm'\nparam = ['s=1/4', 't=1/8']\n[[cells]]\nparam = 's=0.75'\n");
  ASSERT_EQ(CellNames(plan), Names{"task=dyck,model=lstm,param=s=0.75"});
  EXPECT_EQ(ParameterOf(plan.cells[0], "s"), 0.75);
  EXPECT_NE(ParameterOf(plan.cells[0], "t"), 0.125);
}

// --- [[overrides]]

TEST(ExperimentFile, OverridesChangeTheCellsThatTheyChoose) {
  const ExperimentPlan plan = Parse(
      "task = ['dyck', 'count-3']\nmodel = ['lstm', 'sup-3', 'rns-1-2']\npatience = 3\n"
      "[[overrides]]\ncells = 'model=sup-3|rns-1-2'\npatience = 4\n"
      "[[overrides]]\npatience = 5\nclipping = 2\ncells = 'task=dyck,model=sup-3'\n");
  const std::vector<std::pair<std::string, std::string>> patience = {
      {"task=dyck,model=lstm", "3"},     {"task=dyck,model=sup-3", "5"},
      {"task=dyck,model=rns-1-2", "4"},  {"task=count-3,model=lstm", "3"},
      {"task=count-3,model=sup-3", "4"}, {"task=count-3,model=rns-1-2", "4"}};
  ASSERT_EQ(plan.cells.size(), patience.size());
  for (const auto& [name, value] : patience) {
    EXPECT_EQ(SettingOf(CellOf(plan, name), "patience"), value) << name;
  }
  EXPECT_EQ(SettingOf(CellOf(plan, "task=dyck,model=sup-3"), "clipping"), "2.0");
  EXPECT_EQ(SettingOf(CellOf(plan, "task=dyck,model=lstm"), "clipping"), "5.0");
}

TEST(ExperimentFile, OverridesReplaceParameters) {
  const ExperimentPlan plan = Parse(
      "task = 'dyck'\nmodel = ['lstm', 'sup-3']\nparam = ['s=1/4', 't=1/8']\n"
      "[[overrides]]\ncells = 'model=lstm'\nparam = ['s=0.75']\n");
  EXPECT_EQ(ParameterOf(plan.cells[0], "s"), 0.75);
  EXPECT_NE(ParameterOf(plan.cells[0], "t"), 0.125);
  EXPECT_EQ(ParameterOf(plan.cells[1], "s"), 0.25);
  EXPECT_EQ(ParameterOf(plan.cells[1], "t"), 0.125);
}

TEST(ExperimentFile, OverridesMayStandBeforeTheCellsThatTheyChoose) {
  const ExperimentPlan plan = Parse(
      "task = 'dyck'\n[[overrides]]\ncells = 'patience=2'\nclipping = 3\n"
      "[[cells]]\nmodel = 'lstm'\npatience = [1, 2]\n");
  EXPECT_EQ(SettingOf(plan.cells[0], "clipping"), "5.0");
  EXPECT_EQ(SettingOf(plan.cells[1], "clipping"), "3.0");
}

// --- Settings beside the file.

TEST(ExperimentFile, SettingsBesideTheFileTakePrecedenceInAllCells) {
  const ExperimentPlan plan = Parse(
      "task = 'dyck'\nmodel = ['lstm', 'sup-3']\npatience = 3\n"
      "[[overrides]]\ncells = 'model=sup-3'\npatience = 4\n",
      {{"patience", "6"}, {"patience", "7"}, {"clipping", "2"}});
  for (const Cell& cell : plan.cells) {
    EXPECT_EQ(SettingOf(cell, "patience"), "7");
    EXPECT_EQ(SettingOf(cell, "clipping"), "2.0");
  }
  EXPECT_EQ(CellNames(plan), (Names{"task=dyck,model=lstm", "task=dyck,model=sup-3"}));
}

TEST(ExperimentFile, ParametersBesideTheFileReplaceAllOfThem) {
  const std::string text = "task = 'dyck'\nmodel = 'lstm'\nparam = ['s=1/4', 't=1/8']\n";
  const ExperimentPlan one = Parse(text, {{"param", "s=0.75"}});
  EXPECT_EQ(ParameterOf(one.cells[0], "s"), 0.75);
  EXPECT_NE(ParameterOf(one.cells[0], "t"), 0.125);
  const ExperimentPlan two = Parse(text, {{"param", "s=0.75"}, {"param", "t=0.625"}});
  EXPECT_EQ(ParameterOf(two.cells[0], "s"), 0.75);
  EXPECT_EQ(ParameterOf(two.cells[0], "t"), 0.625);
}

TEST(ExperimentFile, SettingsBesideTheFileAreChecked) {
  const std::string text = "task = 'dyck'\nmodel = ['lstm', 'sup-3']\npatience = [1, 2]\n";
  EXPECT_EQ(
      Refusal(text, {{"model", "lstm"}}),
      "--set: model: the cells are distinguished by it; choose cells by model=VALUE, or change the "
      "file");
  EXPECT_EQ(
      Refusal(text, {{"patience", "1"}}).rfind("--set: patience: the cells are distinguished", 0),
      0u);
  EXPECT_EQ(Refusal(text, {{"jobs", "2"}}), "--set: jobs is not a setting of a cell");
  EXPECT_EQ(Refusal(text, {{"seed", "2"}}), "--set: seed is not a setting of a cell");
  EXPECT_EQ(Refusal(text, {{"restarts", "2"}}), "--set: restarts is not a setting of a cell");
  EXPECT_EQ(Refusal(text, {{"cliping", "2"}}),
            "--set: there is no setting \"cliping\" (did you mean clipping?)");
  EXPECT_EQ(Refusal(text, {{"clipping", "0"}}),
            "--set: clipping: expected a number greater than 0, found \"0\"");
}

// --- Models of text.

TEST(ExperimentFile, ModelsOfTextHaveTheirOwnSettings) {
  const TemporaryDirectory directory;
  WriteText(directory, "text");
  const std::string data = directory.path() + "/text";
  const ExperimentPlan plan =
      Parse("command = 'lm train'\nmodel = ['lstm-8', 'rns-1-2']\ndata = '" + data +
            "'\nhidden-units = 8\nchunk-length = 5\nclipping = 0.5\n");
  EXPECT_EQ(plan.kind, DataKind::kText);
  EXPECT_EQ(CellNames(plan), (Names{"model=lstm-8", "model=rns-1-2"}));
  EXPECT_EQ(plan.cells[0].settings.kind, DataKind::kText);
  EXPECT_EQ(SettingOf(plan.cells[1], "chunk-length"), "5");
  EXPECT_EQ(SettingOf(plan.cells[1], "clipping"), "0.5");
  EXPECT_EQ(SettingOf(plan.cells[1], "data"),
            Json(std::filesystem::canonical(data).string()).dump());
}

TEST(ExperimentFile, TheCommandDecidesWhichSettingsThereAre) {
  EXPECT_EQ(Refusal("command = 'lm train'\nmodel = 'lstm'\ntask = 'dyck'\n")
                .rfind("file:3: task is not an option that a file can have", 0),
            0u);
  // Wherever it stands.
  EXPECT_EQ(Refusal("model = 'lstm'\nbeta1 = 0.5\ncommand = 'lm train'\n")
                .rfind("file:2: beta1 is not an option that a file can have", 0),
            0u);
  EXPECT_NE(Refusal("model = 'lstm'\ntask = 'dyck'\nchunk-length = 3\n").find("pushdown train"),
            std::string::npos);
  EXPECT_NE(Refusal("command = 'lm train'\nmodel = 'lstm'\n").find("no text to train on is given"),
            std::string::npos);
}

// --- Files.

TEST(ExperimentFile, AFileIsNamedWithoutItsDirectoryAndExtension) {
  const TemporaryDirectory directory;
  directory.Write("deeper/some.name.toml", "task = 'dyck'\nmodel = 'lstm'\n");
  EXPECT_EQ(ReadExperimentFile(directory.path() + "/deeper/some.name.toml").name, "some.name");
  directory.Write("bad.toml", "\ntask = true\n");
  try {
    ReadExperimentFile(directory.path() + "/bad.toml");
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              directory.path() + "/bad.toml:2: task: expected a string or a number");
  }
  EXPECT_THROW(ReadExperimentFile(directory.path() + "/none.toml"), Error);
}

TEST(ExperimentFile, GrammarsAreReadWithTheirWarnings) {
  const TemporaryDirectory directory;
  directory.Write("g.cfg", "S -> a S b [0.4] | eps [0.6]\nT -> c [1]\n");
  std::vector<std::string> warnings;
  const ExperimentPlan plan =
      ParseExperiment("grammar = '" + directory.path() + "/g.cfg'\nmodel = 'lstm'\n", "file", {},
                      [&warnings](const std::string& text) { warnings.push_back(text); });
  ASSERT_EQ(plan.cells.size(), 1u);
  EXPECT_TRUE(plan.cells[0].settings.language->grammar);
  EXPECT_FALSE(warnings.empty());
}

}  // namespace
}  // namespace pushdown
