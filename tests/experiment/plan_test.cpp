// The runs of an experiment: their seeds, their order, the choice of cells, and what may change.

#include "pushdown/experiment/plan.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/experiment/cost.h"
#include "pushdown/run/settings_format.h"
#include "tests/experiment/plan_helpers.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

using testing_experiments::CellOf;
using testing_experiments::Parse;
using testing_files::TemporaryDirectory;
using testing_runs::WriteText;

using Names = std::vector<std::string>;

// --- Seeds.

// From FNV-1a, SplitMix64 and xoshiro256++ in another program: the seed of a cell is the first half
// of the first number of the generator whose seed is that of the experiment and whose stream is the
// fingerprint of the cell's name. Runs that exist depend on it.
TEST(ExperimentSeeds, FollowFromTheExperimentTheCellAndTheRestart) {
  const std::string text = "task = 'dyck'\nsymbols = 2\nmodel = 'lstm'\nrestarts = 2\n";
  const ExperimentPlan first = Parse(text);
  EXPECT_EQ(first.cells[0].settings.seed, 900412595u);
  const ExperimentPlan second = Parse(text + "seed = 2\n");
  EXPECT_EQ(second.cells[0].settings.seed, 2104431362u);
  EXPECT_EQ(Parse("task = 'dyck'\nmodel = 'lstm'\n").cells[0].settings.seed, 310301827u);

  const Seeds one = SettingsOfRun(first, {0, 1}).seeds;
  EXPECT_EQ(one.data, 2050355555u);
  EXPECT_EQ(one.parameters, 2008060779u);
  EXPECT_EQ(one.shuffling, 2548986665u);
  EXPECT_EQ(one.hyperparameters, 4014749306u);
  const Seeds two = SettingsOfRun(first, {0, 2}).seeds;
  EXPECT_EQ(two.data, 3408605335u);
  EXPECT_EQ(two.parameters, 4178538829u);
}

TEST(ExperimentSeeds, AreThoseOfAnOrdinaryRunWithTheCellsSeed) {
  const ExperimentPlan plan = Parse(
      "task = ['dyck', 'count-3']\nmodel = 'rns-1-2'\nlengths = '5:9'\nrestarts = 3\nseed = 4\n");
  for (const Cell& cell : plan.cells) {
    const RunSettings ordinary =
        MakeSettings(DataKind::kStrings, {{"task", cell.settings.language->info->name},
                                          {"model", "rns-1-2"},
                                          {"lengths", "5:9"},
                                          {"restarts", "3"},
                                          {"seed", std::to_string(cell.settings.seed)}});
    const auto index = static_cast<std::size_t>(&cell - plan.cells.data());
    for (int restart = 1; restart <= 3; ++restart) {
      EXPECT_EQ(SettingsJson(SettingsOfRun(plan, {index, restart})),
                SettingsJson(SettingsOfRestart(ordinary, restart)))
          << cell.name << " " << restart;
    }
  }
}

TEST(ExperimentSeeds, OfTextAreThoseOfAnOrdinaryRun) {
  const TemporaryDirectory directory;
  WriteText(directory, "text");
  const std::string data = directory.path() + "/text";
  const ExperimentPlan plan = Parse(
      "command = 'lm train'\nmodel = ['lstm', 'rns-1-2']\nhidden-units = 6\n", {{"data", data}});
  const Cell& cell = CellOf(plan, "model=rns-1-2");
  const RunSettings ordinary =
      MakeSettings(DataKind::kText, {{"data", data},
                                     {"model", "rns-1-2"},
                                     {"hidden-units", "6"},
                                     {"seed", std::to_string(cell.settings.seed)}});
  EXPECT_EQ(SettingsJson(SettingsOfRun(plan, {1, 2})),
            SettingsJson(SettingsOfRestart(ordinary, 2)));
  EXPECT_NE(SettingsOfRun(plan, {0, 1}).clipping, SettingsOfRun(plan, {1, 1}).clipping);
}

// The runs of a plan by their names.
std::map<std::string, std::string> RunsByName(const ExperimentPlan& plan) {
  std::map<std::string, std::string> runs;
  for (const RunId& run : OrderedRuns(plan, plan.restarts)) {
    runs[RunName(plan, run)] = SettingsJson(SettingsOfRun(plan, run)).dump();
  }
  return runs;
}

TEST(ExperimentSeeds, DoNotDependOnOtherCells) {
  const auto runs = RunsByName(
      Parse("task = ['dyck', 'marked-reversal']\nmodel = ['lstm', 'sup-3']\nrestarts = 2\n"));
  ASSERT_EQ(runs.size(), 8u);
  for (const char* other :
       {"task = ['marked-reversal', 'count-3', 'dyck']\nmodel = ['lstm', 'rns-1-2', 'sup-3']\n"
        "restarts = 3\n",
        "task = ['marked-reversal', 'dyck']\nmodel = ['sup-3', 'lstm']\nrestarts = 2\n",
        "restarts = 2\n[[cells]]\ntask = 'marked-reversal'\nmodel = ['sup-3', 'lstm']\n"
        "[[cells]]\ntask = 'dyck'\nmodel = ['sup-3', 'lstm']\n"
        "[[cells]]\ntask = 'count-3'\npatience = 3\nmodel = 'lstm'\n"}) {
    const auto others = RunsByName(Parse(other));
    for (const auto& [name, settings] : runs) {
      ASSERT_TRUE(others.contains(name)) << name << " in\n" << other;
      EXPECT_EQ(others.at(name), settings) << name << " in\n" << other;
    }
  }
  const auto fewer = RunsByName(Parse("task = 'dyck'\nmodel = 'sup-3'\n"));
  ASSERT_EQ(fewer.size(), 1u);
  EXPECT_EQ(fewer.begin()->second, runs.at("task=dyck,model=sup-3/restart-1"));
}

TEST(ExperimentSeeds, DifferBetweenCellsAndRestarts) {
  const ExperimentPlan plan =
      ReadExperimentFile(std::string(PUSHDOWN_EXPERIMENTS) + "/capacity.toml");
  std::set<std::uint64_t> seeds;
  std::set<std::uint64_t> parameters;
  for (const Cell& cell : plan.cells) seeds.insert(cell.settings.seed);
  for (const RunId& run : OrderedRuns(plan, 2)) {
    parameters.insert(SettingsOfRun(plan, run).seeds.parameters.value());
  }
  EXPECT_EQ(seeds.size(), 126u);
  EXPECT_EQ(parameters.size(), 252u);
}

TEST(ExperimentSeeds, ThatAreGivenAreTheSameInAllRuns) {
  const ExperimentPlan plan =
      Parse("task = 'dyck'\nmodel = ['lstm', 'sup-3']\ndata-seed = 5\nrestarts = 2\n");
  for (const RunId& run : OrderedRuns(plan, 2)) {
    EXPECT_EQ(SettingsOfRun(plan, run).seeds.data, 5u);
  }
  EXPECT_NE(SettingsOfRun(plan, {0, 1}).seeds.parameters,
            SettingsOfRun(plan, {1, 1}).seeds.parameters);
}

// --- Names and order of runs.

Names RunNames(const ExperimentPlan& plan, int restarts, const CellSelector& selector = {}) {
  Names names;
  for (const RunId& run : OrderedRuns(plan, restarts, selector)) {
    names.push_back(RunName(plan, run));
  }
  return names;
}

TEST(ExperimentRuns, AreOrderedByRestartThenCost) {
  const ExperimentPlan plan =
      Parse("task = 'dyck'\nsymbols = [200, 2]\nmodel = ['rns-3-3', 'lstm']\nrestarts = 2\n");
  const Names expected = {"task=dyck,symbols=2,model=lstm/restart-1",
                          "task=dyck,symbols=200,model=lstm/restart-1",
                          "task=dyck,symbols=2,model=rns-3-3/restart-1",
                          "task=dyck,symbols=200,model=rns-3-3/restart-1",
                          "task=dyck,symbols=2,model=lstm/restart-2",
                          "task=dyck,symbols=200,model=lstm/restart-2",
                          "task=dyck,symbols=2,model=rns-3-3/restart-2",
                          "task=dyck,symbols=200,model=rns-3-3/restart-2"};
  EXPECT_EQ(RunNames(plan, 2), expected);
  EXPECT_EQ(RunNames(plan, 1), Names(expected.begin(), expected.begin() + 4));
}

TEST(ExperimentRuns, OfEqualCostStayInTheOrderOfTheCells) {
  const ExperimentPlan plan =
      Parse("task = ['marked-reversal', 'dyck']\nmodel = 'lstm'\nclipping = [3, 1, 2]\n");
  EXPECT_EQ(OrderedRuns(plan, 1),
            (std::vector<RunId>{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}));
}

TEST(ExperimentRuns, AreThoseOfChosenCells) {
  const ExperimentPlan plan =
      Parse("task = ['dyck', 'count-3']\nmodel = ['lstm', 'rns-3-3']\nrestarts = 2\n");
  EXPECT_EQ(RunNames(plan, 2, CellSelector("task=count-3")),
            (Names{"task=count-3,model=lstm/restart-1", "task=count-3,model=rns-3-3/restart-1",
                   "task=count-3,model=lstm/restart-2", "task=count-3,model=rns-3-3/restart-2"}));
}

double Cost(const std::string& settings) {
  return ApproximateRunSeconds(Parse("task = 'dyck'\n" + settings).cells.at(0).settings);
}

TEST(ExperimentRuns, CostMoreWithMoreWork) {
  const std::string stack = "model = 'rns-2-3'\n";
  EXPECT_LT(Cost("model = 'lstm'"), Cost("model = 'sup-10'"));
  EXPECT_LT(Cost("model = 'sup-10'"), Cost(stack));
  EXPECT_LT(Cost(stack), Cost("model = 'rns-3-3'"));
  EXPECT_LT(Cost(stack), Cost("model = 'rns-2-4'"));
  EXPECT_LT(Cost(stack), Cost(stack + "lengths = '40:100'"));
  EXPECT_LT(Cost(stack), Cost(stack + "hidden-units = 30"));
  EXPECT_LT(Cost(stack), Cost(stack + "symbols = 200"));
  EXPECT_DOUBLE_EQ(2 * Cost(stack + "max-epochs = 10"), Cost(stack + "max-epochs = 20"));
  EXPECT_DOUBLE_EQ(3 * Cost(stack + "training-size = 10"), Cost(stack + "training-size = 30"));
}

// --- The choice of cells.

Cell CellWith(std::vector<NamedSetting> keys) {
  return {.name = "cell", .keys = std::move(keys), .settings = {}};
}

TEST(CellSelector, ChoosesCellsThatHaveAllSettingsAndOneOfTheValues) {
  const Cell cell = CellWith({{"task", "dyck"}, {"symbols", "2"}, {"model", "rns-3-3"}});
  for (const char* text : {"task=dyck", "symbols=2", "task=dyck,symbols=2", "symbols=2,task=dyck",
                           "model=lstm|rns-3-3", "model=rns-3-3|lstm,task=dyck|count-3"}) {
    EXPECT_TRUE(CellSelector(text).Chooses(cell)) << text;
  }
  for (const char* text :
       {"task=dyc", "task=dyck2", "symbols=20", "task=dyck,symbols=3", "symbols=2,task=count-3",
        "model=lstm|rns-3", "patience=3", "Task=dyck", "task=dyck,patience=3"}) {
    EXPECT_FALSE(CellSelector(text).Chooses(cell)) << text;
  }
  EXPECT_TRUE(CellSelector().Chooses(cell));
  EXPECT_TRUE(CellSelector().Chooses(CellWith({})));
}

TEST(CellSelector, TheFirstEqualsSignEndsTheNameOfTheSetting) {
  const Cell cell = CellWith({{"param", "s=0.5+t=0.25"}});
  EXPECT_TRUE(CellSelector("param=s=0.5+t=0.25").Chooses(cell));
  EXPECT_FALSE(CellSelector("param=s").Chooses(cell));
}

TEST(CellSelector, TheNameOfACellChoosesIt) {
  const ExperimentPlan plan = Parse(
      "task = ['dyck', 'hardest-cfl']\nmodel = ['lstm', 'sup-3']\nlengths = ['40:80', '3:9']\n"
      "param = [['s=1/4', 't=0.5'], 's=0.5']\n");
  ASSERT_EQ(plan.cells.size(), 16u);
  for (const Cell& cell : plan.cells) {
    for (const Cell& other : plan.cells) {
      EXPECT_EQ(CellSelector(cell.name).Chooses(other), &cell == &other) << cell.name;
    }
  }
}

TEST(CellSelector, OtherTextsAreRefused) {
  const auto refusal = [](const std::string& text) {
    try {
      CellSelector selector(text);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string("no Error");
  };
  for (const char* text : {"", "lstm", "model=", "=lstm", "model=lstm,", ",model=lstm",
                           "task=dyck,,model=lstm", "task=dyck,lstm"}) {
    EXPECT_EQ(refusal(text),
              "expected SETTING=VALUE[,SETTING=VALUE...], such as task=dyck,symbols=2, found \"" +
                  std::string(text) + "\"");
  }
  EXPECT_EQ(refusal("model=lstm,task=dyck,model=sup-3"),
            "model is there twice; model=A|B chooses cells that have either value");
}

TEST(CellSelector, SettingsAndValuesThatNoCellHasAreRefused) {
  const std::vector<Cell> cells = {CellWith({{"task", "dyck"}, {"model", "lstm"}}),
                                   CellWith({{"task", "count-3"}, {"model", "lstm"}}),
                                   CellWith({{"task", "dyck"}, {"patience", "3"}})};
  const auto refusal = [&cells](const std::string& text) {
    try {
      CellSelector(text).Check(cells);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string();
  };
  for (const char* text :
       {"task=dyck", "model=lstm", "patience=3", "task=count-3|dyck,model=lstm"}) {
    EXPECT_EQ(refusal(text), "") << text;
  }
  EXPECT_EQ(refusal("modle=lstm"),
            "the cells are not distinguished by \"modle\" (did you mean model?); there are task, "
            "model, patience");
  EXPECT_EQ(refusal("batch-size=3"),
            "the cells are not distinguished by \"batch-size\"; there are task, model, patience");
  EXPECT_EQ(refusal("task=dyk"),
            "no cell has task=dyk (did you mean dyck?); there are dyck, count-3");
  EXPECT_EQ(refusal("task=dyck|count-4"),
            "no cell has task=count-4 (did you mean count-3?); there are dyck, count-3");
  EXPECT_EQ(refusal("model=lstm,patience=4"), "no cell has patience=4; there are 3");
  EXPECT_EQ(refusal("task=dyck|"), "no cell has task=; there are dyck, count-3");
  EXPECT_NO_THROW(CellSelector().Check(cells));
}

// --- What may change while an experiment goes on.

std::string Difference(const std::string& text, const std::string& other,
                       const std::vector<NamedSetting>& set = {}) {
  return DifferenceFrom(Parse(text), Parse(other, set));
}

constexpr const char* kGrid =
    "task = ['dyck', 'count-3']\nmodel = 'lstm'\nclipping = 3\nmax-epochs = 5\nrestarts = 2\n";

TEST(ExperimentChange, EqualPlansDoNotDiffer) { EXPECT_EQ(Difference(kGrid, kGrid), ""); }

TEST(ExperimentChange, MoreCellsAndRestartsAreAllowed) {
  EXPECT_EQ(Difference(kGrid,
                       "title = 'more'\nsolved = 0.5\ntask = ['count-3', 'marked-copy', 'dyck']\n"
                       "model = ['sup-3', 'lstm']\nclipping = 3\nmax-epochs = 5\nrestarts = 9\n"),
            "");
}

TEST(ExperimentChange, SettingsThatMayChangeWhenARunIsResumedMayChange) {
  EXPECT_EQ(Difference(kGrid, kGrid, {{"max-epochs", "50"}}), "");
}

TEST(ExperimentChange, OtherSettingsMayNot) {
  EXPECT_EQ(Difference(kGrid, kGrid, {{"clipping", "4"}}),
            "in the cell task=dyck,model=lstm, clipping is 4.0, expected 3.0");
  EXPECT_EQ(Difference(kGrid,
                       std::string(kGrid) + "[[overrides]]\ncells = 'task=count-3'\npatience = 3\n")
                .rfind("in the cell task=count-3,model=lstm, patience is 3, expected ", 0),
            0u);
}

// A learning rate is drawn if it is not given, so that it is in one plan only.
TEST(ExperimentChange, SettingsThatAreGivenInOnePlanOnlyAreDifferences) {
  EXPECT_EQ(Difference(kGrid, kGrid, {{"learning-rate", "0.25"}}),
            "in the cell task=dyck,model=lstm, learning-rate is 0.25, and was not given before");
  EXPECT_EQ(Difference(kGrid, kGrid, {{"data-seed", "3"}}),
            "in the cell task=dyck,model=lstm, data-seed is 3, and was not given before");
  EXPECT_EQ(Difference(std::string(kGrid) + "learning-rate = 0.25\n", kGrid),
            "in the cell task=dyck,model=lstm, learning-rate is null, expected 0.25");
}

TEST(ExperimentChange, SeedTestAndKindMayNot) {
  EXPECT_EQ(Difference(std::string(kGrid) + "seed = 2\n", std::string(kGrid) + "seed = 3\n"),
            "its seed is 3, not 2");
  EXPECT_EQ(Difference(kGrid, std::string(kGrid) + "test = false\n"),
            "only one of them evaluates on test sets");
  const TemporaryDirectory directory;
  WriteText(directory, "text");
  EXPECT_EQ(Difference(kGrid, "command = 'lm train'\nmodel = 'lstm'\ndata = '" + directory.path() +
                                  "/text'\n"),
            "it trains models of another kind");
}

TEST(ExperimentChange, CellsMayNotBeRemoved) {
  EXPECT_EQ(Difference(kGrid, "task = 'dyck'\nmodel = 'lstm'\nclipping = 3\n"),
            "it has no cell task=count-3,model=lstm");
}

}  // namespace
}  // namespace pushdown
