// An experiment in its directory, whose runs are written by hand.

#include "pushdown/experiment/experiment.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/experiment/experiment_file.h"
#include "pushdown/experiment/results.h"
#include "pushdown/experiment/run_claims.h"
#include "tests/experiment/checks.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;
using testing_experiment::ErrorMessage;
using testing_experiment::ExpectContains;
using testing_experiment::Replaced;
using testing_files::TemporaryDirectory;

constexpr const char* kFile = R"(title = "Two models"
task = "marked-reversal"
model = ["lstm", "rns-1-2"]
lengths = "3:7"
max-epochs = 2
restarts = 2
solved = 0.05
)";

ExperimentPlan Plan(const std::string& text = kFile) {
  ExperimentPlan plan = ParseExperiment(text, "two.toml");
  plan.name = "two";
  return plan;
}

class ExperimentDirectoryTest : public ::testing::Test {
 protected:
  static constexpr RunId kLstm1 = {0, 1};
  static constexpr RunId kLstm2 = {0, 2};
  static constexpr RunId kStack1 = {1, 1};
  static constexpr RunId kStack2 = {1, 2};

  std::string path() const { return directory_.path() + "/two"; }
  Experiment Create(const std::string& text = kFile) const {
    return Experiment::CreateOrOpen(path(), Plan(text));
  }
  void Write(const Experiment& experiment, const RunId& run, const std::string& name,
             const std::string& text) const {
    directory_.Write("two/" + RunName(experiment.plan(), run) + name, text);
  }
  void Finish(const Experiment& experiment, const RunId& run, double difference) const {
    Write(experiment, run, "/config.json",
          R"({"kernels": "SIMD", "machine": {"cpu": "a CPU", "threads": 2}})");
    Write(experiment, run, "/summary.json",
          R"({"finished": true, "epochs": 2, "best_epoch": 1, "validation_cross_entropy": )" +
              std::to_string(difference + 1) + R"(, "difference": )" + std::to_string(difference) +
              R"(, "seconds": 0.123456})");
    Write(experiment, run, "/metrics.jsonl",
          R"({"epoch":1,"validation_cross_entropy":2,"difference":1}
{"epoch":2,"validation_cross_entropy":1.5,"difference":0.5})");
  }
  void Evaluate(const Experiment& experiment, const RunId& run, double cross_entropy) const {
    Write(experiment, run, "/test.json",
          R"({"split": "test", "lower_bound": 1, "cross_entropy": )" +
              std::to_string(cross_entropy) + R"(, "by_length": [[3, 2, 1.5, 1]]})");
  }

  TemporaryDirectory directory_;
};

TEST_F(ExperimentDirectoryTest, ThePlanIsThatOfTheFileWhenItIsOpenedAgain) {
  const ExperimentPlan plan = Plan();
  const Experiment created = Create();
  const Experiment opened = Experiment::Open(path());
  EXPECT_EQ(opened.path(), path());
  EXPECT_EQ(testing_runs::ReadBytes(path() + "/experiment.toml"), kFile);
  EXPECT_EQ(opened.plan().name, "two");
  EXPECT_EQ(opened.plan().title, "Two models");
  EXPECT_EQ(opened.plan().kind, DataKind::kStrings);
  EXPECT_EQ(opened.plan().seed, 1u);
  EXPECT_EQ(opened.plan().restarts, 2);
  EXPECT_TRUE(opened.plan().test);
  EXPECT_EQ(opened.plan().solved, 0.05);
  EXPECT_EQ(opened.plan().source, kFile);
  ASSERT_EQ(opened.plan().cells.size(), 2u);
  EXPECT_EQ(opened.plan().cells[0].name, "task=marked-reversal,model=lstm");
  ASSERT_EQ(opened.plan().cells[1].keys.size(), 2u);
  EXPECT_EQ(opened.plan().cells[1].keys[0].name, "task");
  EXPECT_EQ(opened.plan().cells[1].keys[1].name, "model");
  EXPECT_EQ(opened.plan().cells[1].keys[1].value, "rns-1-2");
  // What is drawn for a run is the same.
  for (const RunId& run : {kLstm1, kLstm2, kStack1, kStack2}) {
    const RunSettings expected = SettingsOfRun(plan, run);
    const RunSettings found = SettingsOfRun(opened.plan(), run);
    EXPECT_EQ(found.learning_rate, expected.learning_rate);
    EXPECT_EQ(found.seeds.parameters, expected.seeds.parameters);
    EXPECT_EQ(found.dataset.seed, expected.dataset.seed);
    EXPECT_EQ(found.training.max_epochs, 2);
  }
  EXPECT_EQ(opened.measure(), Measure::kDifference);
  EXPECT_EQ(opened.RunPath(kStack2), path() + "/task=marked-reversal,model=rns-1-2/restart-2");
}

TEST_F(ExperimentDirectoryTest, MoreCellsAndRestartsExtendAnExperiment) {
  Create();
  const std::string more = Replaced(Replaced(kFile, "\"rns-1-2\"]", "\"sup-3\", \"rns-1-2\"]"),
                                    "restarts = 2", "restarts = 3");
  EXPECT_EQ(Create(more).plan().cells.size(), 3u);
  EXPECT_EQ(Experiment::Open(path()).plan().cells.size(), 3u);
  EXPECT_EQ(Experiment::Open(path()).plan().restarts, 3);
  EXPECT_EQ(testing_runs::ReadBytes(path() + "/experiment.toml"), more);
  // Fewer restarts do not take any away.
  EXPECT_EQ(Create(Replaced(more, "restarts = 3", "restarts = 1")).plan().restarts, 3);
  // What may change when a run is resumed may change here.
  Create(Replaced(more, "max-epochs = 2", "max-epochs = 9"));
  EXPECT_EQ(Experiment::Open(path()).plan().cells[0].settings.training.max_epochs, 9);
}

TEST_F(ExperimentDirectoryTest, AnotherExperimentIsRefused) {
  Create();
  const struct {
    const char* from;
    const char* to;
    const char* message;
  } cases[] = {
      {"\"lstm\", ", "", "it has no cell task=marked-reversal,model=lstm"},
      {"restarts = 2", "restarts = 2\nseed = 2", "its seed is 2, not 1"},
      {"restarts = 2", "restarts = 2\ntest = false", "only one of them evaluates on test sets"},
      {"\"3:7\"", "\"3:9\"", "lengths is \"3:9\", expected \"3:7\""},
  };
  for (const auto& each : cases) {
    const std::string message = ErrorMessage([&] { Create(Replaced(kFile, each.from, each.to)); });
    ExpectContains(message, each.message);
    ExpectContains(message, path() + " holds an experiment that this file cannot continue");
    EXPECT_EQ(Experiment::Open(path()).plan().source, kFile);
  }
}

TEST_F(ExperimentDirectoryTest, DirectoriesWithoutAnExperimentAreRefused) {
  ExpectContains(ErrorMessage([&] { Experiment::Open(path()); }), path() + ": does not exist");
  directory_.Write("file", "");
  directory_.Write("two/something", "");
  ExpectContains(ErrorMessage([&] { Experiment::Open(path()); }), "there is no experiment.json");
  EXPECT_THROW(Experiment::CreateOrOpen("", Plan()), Error);
  EXPECT_THROW(Experiment::CreateOrOpen(directory_.path() + "/file/two", Plan()), Error);
  for (const char* text : {"", "{", "[]", "{\"format\": 1}", "{\"format\": 2}"}) {
    directory_.Write("two/experiment.json", text);
    ExpectContains(ErrorMessage([&] { Experiment::Open(path()); }), path() + "/experiment.json: ");
  }
}

// A name of a cell is joined to the path of the experiment.
TEST_F(ExperimentDirectoryTest, ACellCannotBeAnywhereElse) {
  Create();
  const std::string plan = testing_runs::ReadBytes(path() + "/experiment.json");
  for (const char* name : {"", "../other", "..", "a/b"}) {
    directory_.Write("two/experiment.json",
                     Replaced(plan, "task=marked-reversal,model=lstm", name));
    ExpectContains(ErrorMessage([&] { Experiment::Open(path()); }), "cannot have the name");
  }
}

TEST_F(ExperimentDirectoryTest, RunsAreToDoBegunRunningFinishedOrFailed) {
  const Experiment experiment = Create();
  EXPECT_EQ(experiment.Record(kLstm1).state, RunState::kToDo);
  Write(experiment, kLstm1, "/config.json", "{}");
  EXPECT_EQ(experiment.Record(kLstm1).state, RunState::kBegun);
  {
    RunClaims claims(path());
    ASSERT_TRUE(claims.Claim(RunName(experiment.plan(), kLstm1)));
    EXPECT_EQ(experiment.Record(kLstm1).state, RunState::kRunning);
    EXPECT_EQ(experiment.Record(kLstm2).state, RunState::kToDo);
  }
  EXPECT_EQ(experiment.Record(kLstm1).state, RunState::kBegun);
  experiment.RecordFailure(kLstm1, "the loss is not finite");
  EXPECT_EQ(experiment.Record(kLstm1).state, RunState::kFailed);
  EXPECT_EQ(experiment.Record(kLstm1).failure, "the loss is not finite");
  EXPECT_FALSE(experiment.IsDone(kLstm1));
  experiment.ForgetFailure(kLstm1);
  EXPECT_EQ(experiment.Record(kLstm1).state, RunState::kBegun);
  // A run may fail before it has a directory.
  experiment.RecordFailure(kStack2, "out of memory");
  EXPECT_EQ(experiment.Record(kStack2).state, RunState::kFailed);
  experiment.RecordFailure(kStack2, "in two\nlines\n");
  EXPECT_EQ(experiment.Record(kStack2).failure, "in two\nlines");
}

TEST_F(ExperimentDirectoryTest, ARunIsDoneWhenItIsEvaluated) {
  const Experiment experiment = Create();
  Finish(experiment, kLstm1, 0.5);
  EXPECT_EQ(experiment.Record(kLstm1).state, RunState::kBegun);
  EXPECT_FALSE(experiment.IsDone(kLstm1));
  Write(experiment, kLstm1, "/test.json", R"({"split": null})");  // there is no test set
  EXPECT_EQ(experiment.Record(kLstm1).state, RunState::kFinished);
  EXPECT_TRUE(experiment.IsDone(kLstm1));
  // An earlier failure does not count any more.
  experiment.RecordFailure(kLstm1, "it was interrupted");
  EXPECT_TRUE(experiment.IsDone(kLstm1));
}

TEST_F(ExperimentDirectoryTest, WithoutATestARunIsDoneWhenItIsTrained) {
  const Experiment experiment = Create(std::string(kFile) + "test = false\n");
  EXPECT_FALSE(experiment.IsDone(kLstm1));
  Finish(experiment, kLstm1, 0.5);
  EXPECT_TRUE(experiment.IsDone(kLstm1));
}

// Of somebody else, or in an archive.
TEST_F(ExperimentDirectoryTest, TheResultsOfADirectoryWithoutLocksAreRead) {
  const Experiment experiment = Create();
  Write(experiment, kLstm1, "/config.json", "{}");
  fs::remove(path() + "/.lock");
  fs::create_directory(path() + "/.lock");  // even for root
  EXPECT_EQ(experiment.Record(kLstm1).state, RunState::kBegun);
  EXPECT_EQ(experiment.Record(kLstm2).state, RunState::kToDo);
  EXPECT_EQ(OpenResults(path()).cells.size(), 2u);
}

TEST_F(ExperimentDirectoryTest, TheMeasureIsTheCrossEntropyIfALanguageIsUnknown) {
  ExperimentPlan plan = Plan();
  EXPECT_EQ(MeasureOf(plan.cells[0].settings), Measure::kDifference);
  plan.cells[1].settings.language.reset();
  plan.cells[1].settings.data = "/data";
  EXPECT_EQ(MeasureOf(plan.cells[1].settings), Measure::kCrossEntropy);
  EXPECT_EQ(Experiment::CreateOrOpen(path(), plan).measure(), Measure::kCrossEntropy);
  EXPECT_EQ(MeasureOf(DefaultSettings(DataKind::kText)), Measure::kPerplexity);
}

TEST_F(ExperimentDirectoryTest, ResultsAreTheRecordsOfAllRuns) {
  const Experiment experiment = Create();
  Finish(experiment, kLstm1, 0.5);
  Evaluate(experiment, kLstm1, 1.25);
  Write(experiment, kLstm2, "/config.json", R"({"kernels": "SIMD"})");
  Write(experiment, kLstm2, "/metrics.jsonl",
        R"({"epoch":1,"validation_cross_entropy":2,"difference":1})");
  experiment.RecordFailure(kStack1, "it \"failed\"");
  for (const Curves curves : {Curves::kLeftOut, Curves::kIncluded}) {
    const ExperimentResults results = OpenResults(path(), curves);
    EXPECT_EQ(results.name, "two");
    EXPECT_EQ(results.title, "Two models");
    EXPECT_EQ(results.source, kFile);
    EXPECT_EQ(results.solved, 0.05);
    EXPECT_EQ(results.measure, Measure::kDifference);
    ASSERT_EQ(results.cells.size(), 2u);
    EXPECT_EQ(results.cells[0].name, "task=marked-reversal,model=lstm");
    EXPECT_EQ(results.cells[1].keys[1].value, "rns-1-2");
    ASSERT_EQ(results.cells[0].runs.size(), 2u);
    EXPECT_EQ(results.cells[0].runs[0].state, RunState::kFinished);
    EXPECT_EQ(results.cells[0].runs[1].state, RunState::kBegun);
    EXPECT_EQ(results.cells[0].runs[1].difference, 1);
    EXPECT_EQ(results.cells[1].runs[0].state, RunState::kFailed);
    EXPECT_EQ(results.cells[1].runs[1].state, RunState::kToDo);
    const bool included = curves == Curves::kIncluded;
    EXPECT_EQ(results.cells[0].runs[0].curve,
              included ? std::vector<double>({1, 0.5}) : std::vector<double>());
    EXPECT_EQ(results.cells[0].runs[0].machine, included ? "a CPU; SIMD" : "");
    EXPECT_EQ(results.cells[0].runs[1].machine, included ? "SIMD" : "");
    EXPECT_EQ(RunNameOf(results.cells[1], 1), "task=marked-reversal,model=rns-1-2/restart-2");
  }
  Write(experiment, kLstm1, "/test.json", "{");
  // A broken file is a failure of its run, and the others can still be looked at.
  const ExperimentResults broken = OpenResults(path());
  EXPECT_EQ(broken.cells[0].runs[0].state, RunState::kFailed);
  ExpectContains(broken.cells[0].runs[0].failure, experiment.RunPath(kLstm1) + "/test.json: ");
  EXPECT_EQ(broken.cells[0].runs[1].state, RunState::kBegun);
}

TEST_F(ExperimentDirectoryTest, AnExportHasEverythingThatTheDirectoryHas) {
  const Experiment experiment = Create();
  Finish(experiment, kLstm1, 0.1234567);
  Evaluate(experiment, kLstm1, 1.25);
  Write(experiment, kLstm2, "/config.json", R"({"kernels": "SIMD"})");
  experiment.RecordFailure(kStack1, "it \"failed\"");
  const ExperimentResults results = ReadResults(experiment, Curves::kIncluded);
  const std::string text = SerializeResults(results);
  directory_.Write("export.json", text);
  const ExperimentResults again = OpenResults(directory_.path() + "/export.json");
  EXPECT_EQ(again.name, results.name);
  EXPECT_EQ(again.title, results.title);
  EXPECT_EQ(again.version, results.version);
  EXPECT_EQ(again.kind, results.kind);
  EXPECT_EQ(again.measure, results.measure);
  EXPECT_EQ(again.solved, results.solved);
  EXPECT_EQ(again.source, kFile);
  ASSERT_EQ(again.cells.size(), 2u);
  for (std::size_t cell = 0; cell < 2; ++cell) {
    EXPECT_EQ(again.cells[cell].name, results.cells[cell].name);
    ASSERT_EQ(again.cells[cell].keys.size(), 2u);
    EXPECT_EQ(again.cells[cell].keys[0].name, "task");
    EXPECT_EQ(again.cells[cell].keys[1].name, "model");
    EXPECT_EQ(again.cells[cell].keys[1].value, results.cells[cell].keys[1].value);
    ASSERT_EQ(again.cells[cell].runs.size(), 2u);
    for (std::size_t run = 0; run < 2; ++run) {
      EXPECT_EQ(again.cells[cell].runs[run].state, results.cells[cell].runs[run].state);
    }
  }
  const RunRecord& run = again.cells[0].runs[0];
  EXPECT_EQ(run.epochs, 2);
  EXPECT_EQ(run.best_epoch, 1);
  EXPECT_EQ(run.difference, 0.123457);  // std::to_string has six digits
  EXPECT_EQ(run.validation_cross_entropy, 1.123457);
  EXPECT_EQ(run.seconds, 0.1235);
  EXPECT_EQ(run.machine, "a CPU; SIMD");
  EXPECT_EQ(run.curve, (std::vector<double>{1, 0.5}));
  ASSERT_TRUE(run.test);
  EXPECT_EQ(run.test->cross_entropy, 1.25);
  EXPECT_EQ(run.test->lower_bound, 1);
  ASSERT_EQ(run.test->by_length.size(), 1u);
  EXPECT_EQ(run.test->by_length[0].strings, 2);
  EXPECT_EQ(again.cells[1].runs[0].failure, "it \"failed\"");
  // Nothing is lost when it is exported again.
  EXPECT_EQ(SerializeResults(again), text);
}

}  // namespace
}  // namespace pushdown
