// The files in experiments/ are those of the paper.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/experiment/experiment_file.h"
#include "tests/experiment/plan_helpers.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

using testing_experiments::SettingOf;
using testing_files::TemporaryDirectory;
using testing_runs::WriteText;

struct Shipped {
  std::string name;
  std::size_t cells = 0;
  int restarts = 0;
  bool test = true;
  std::string first;  // the names of the first and of the last cell
  std::string last;
};

ExperimentPlan ReadShipped(const Shipped& shipped, const std::vector<NamedSetting>& set = {}) {
  ExperimentPlan plan =
      ReadExperimentFile(std::string(PUSHDOWN_EXPERIMENTS) + "/" + shipped.name + ".toml", set);
  EXPECT_EQ(plan.name, shipped.name);
  EXPECT_EQ(plan.cells.size(), shipped.cells) << shipped.name;
  EXPECT_EQ(plan.restarts, shipped.restarts) << shipped.name;
  EXPECT_EQ(OrderedRuns(plan, plan.restarts).size(),
            shipped.cells * static_cast<std::size_t>(shipped.restarts))
      << shipped.name;
  EXPECT_EQ(plan.test, shipped.test) << shipped.name;
  EXPECT_EQ(plan.seed, 1u);
  EXPECT_FALSE(plan.title.empty());
  EXPECT_EQ(plan.cells.front().name, shipped.first);
  EXPECT_EQ(plan.cells.back().name, shipped.last);
  return plan;
}

TEST(ShippedExperiments, NonContextFreeHasSevenLanguagesAndFiveModels) {
  const ExperimentPlan plan =
      ReadShipped({"non-context-free", 35, 10, true, "task=count-3,model=lstm",
                   "task=unmarked-copy,model=rns-3-3"});
  EXPECT_EQ(plan.solved, 0.05);
  for (const Cell& cell : plan.cells) {
    EXPECT_EQ(SettingOf(cell, "init"), "\"paper-code\"") << cell.name;
    EXPECT_EQ(SettingOf(cell, "lengths"), "\"40:80\"") << cell.name;
    EXPECT_EQ(SettingOf(cell, "test-lengths"), "\"40:100\"") << cell.name;
    EXPECT_EQ(SettingOf(cell, "learning-rate"), "none") << cell.name;
  }
}

TEST(ShippedExperiments, CapacityHasThreeLanguagesSixAlphabetsAndSevenModels) {
  const ExperimentPlan plan =
      ReadShipped({"capacity", 126, 10, false, "task=marked-reversal,symbols=2,model=lstm",
                   "task=unmarked-reversal,symbols=200,model=vrns-2-3-3"});
  int overridden = 0;
  for (const Cell& cell : plan.cells) {
    const bool vectors = cell.name.find("model=vrns-") != std::string::npos;
    EXPECT_EQ(SettingOf(cell, "initial-vector"), vectors ? "\"paper-code\"" : "\"correct\"")
        << cell.name;
    EXPECT_EQ(SettingOf(cell, "init"), "\"paper-code\"") << cell.name;
    overridden += vectors ? 1 : 0;
  }
  EXPECT_EQ(overridden, 3 * 6 * 3);
}

TEST(ShippedExperiments, ReadingsHasTwoAlphabets) {
  ReadShipped({"readings", 2, 10, false, "task=marked-reversal,symbols=40,model=rns-2-3",
               "task=marked-reversal,symbols=200,model=rns-2-3"});
}

TEST(ShippedExperiments, QuickHasThreeModels) {
  const ExperimentPlan plan = ReadShipped({"quick", 3, 3, true, "task=marked-reversal,model=lstm",
                                           "task=marked-reversal,model=rns-1-3"});
  EXPECT_EQ(SettingOf(plan.cells[0], "lengths"), "\"40:60\"");
  EXPECT_EQ(SettingOf(plan.cells[0], "learning-rate"), "0.01");
}

TEST(ShippedExperiments, PennTreebankHasElevenModelsAndNeedsItsText) {
  const TemporaryDirectory directory;
  WriteText(directory, "text");
  const ExperimentPlan plan =
      ReadShipped({"penn-treebank", 11, 10, true, "model=lstm-256", "model=vrns-3-3-5"},
                  {{"data", directory.path() + "/text"}});
  EXPECT_EQ(plan.kind, DataKind::kText);
  int overridden = 0;
  for (const Cell& cell : plan.cells) {
    const bool vectors = cell.name.find("model=vrns-") != std::string::npos;
    EXPECT_EQ(SettingOf(cell, "initial-vector"), vectors ? "\"paper-code\"" : "\"correct\"")
        << cell.name;
    overridden += vectors ? 1 : 0;
  }
  EXPECT_EQ(overridden, 5);
  EXPECT_THROW(ReadExperimentFile(std::string(PUSHDOWN_EXPERIMENTS) + "/penn-treebank.toml"),
               Error);
}

}  // namespace
}  // namespace pushdown
