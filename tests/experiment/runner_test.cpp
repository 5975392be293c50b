// Runs of an experiment, as a user of the library trains them.

#include "pushdown/experiment/runner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/experiment/experiment_file.h"
#include "pushdown/experiment/run_claims.h"
#include "pushdown/run/run.h"
#include "pushdown/run/run_directory.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;
using testing_files::TemporaryDirectory;
using testing_runs::ReadBytes;

constexpr const char* kSmall = R"(
task = "marked-reversal"
model = ["lstm", "rns-1-2"]
lengths = "3:7"
training-size = 30
validation-size = 10
test-size = 2
hidden-units = 6
max-epochs = 3
restarts = 2
seed = 5
)";

class RunnerTest : public ::testing::Test {
 protected:
  Experiment Make(const std::string& name, const std::string& text = kSmall) const {
    return Experiment::CreateOrOpen(Path(name), ParseExperiment(text, "experiment"));
  }
  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }

  static std::vector<RunId> Runs(const Experiment& experiment) {
    return OrderedRuns(experiment.plan(), experiment.plan().restarts);
  }

  // The files of all runs that must be the same bit for bit.
  static std::map<std::string, std::string> Results(const Experiment& experiment) {
    std::map<std::string, std::string> results;
    for (const RunId& run : Runs(experiment)) {
      for (const char* file : {kMetricsFile, kModelFile, kTestFile}) {
        const std::string path = experiment.RunPath(run) + "/" + file;
        results[RunName(experiment.plan(), run) + "/" + file] = ReadBytes(path);
        EXPECT_GT(fs::file_size(path), 50u) << path;
      }
    }
    return results;
  }

  TemporaryDirectory directory_;
};

TEST_F(RunnerTest, RunsAreThoseOfTrainingThemAlone) {
  const Experiment experiment = Make("all");
  const std::vector<RunId> runs = Runs(experiment);
  const ExperimentOutcome outcome = TrainExperiment(experiment, runs, {.jobs = 1, .threads = 1});
  EXPECT_EQ(outcome.finished, 4);
  EXPECT_EQ(outcome.failed + outcome.elsewhere + outcome.left, 0);
  for (const RunId& run : runs) {
    EXPECT_TRUE(experiment.IsDone(run));
    const std::string alone = Path(fmt::format("alone-{}-{}", run.cell, run.restart));
    pushdown::Run::Create(alone, SettingsOfRun(experiment.plan(), run)).Train({.threads = 1});
    for (const char* file : {kMetricsFile, kModelFile}) {
      EXPECT_EQ(ReadBytes(experiment.RunPath(run) + "/" + file), ReadBytes(alone + "/" + file));
    }
  }
}

TEST_F(RunnerTest, ResultsDoNotDependOnJobsThreadsAndOrder) {
  const Experiment one = Make("one");
  TrainExperiment(one, Runs(one), {.jobs = 1, .threads = 1});
  const Experiment several = Make("several");
  std::vector<RunId> backwards = Runs(several);
  std::reverse(backwards.begin(), backwards.end());
  TrainExperiment(several, backwards, {.jobs = 3, .threads = 2});
  EXPECT_EQ(Results(one), Results(several));
}

TEST_F(RunnerTest, GoesOnWhereItWasStopped) {
  const Experiment whole = Make("whole");
  TrainExperiment(whole, Runs(whole), {.jobs = 2, .threads = 1});
  const Experiment stopped = Make("stopped");
  int calls = 0;
  ExperimentOutcome outcome;
  do {
    // Every call gets three epochs further, at the most.
    std::atomic<int> epochs = 0;
    ExperimentWatch watch;
    watch.on_epoch = [&](const RunId&, const EpochReport&) { ++epochs; };
    watch.stop = [&] { return epochs >= 2; };
    outcome = TrainExperiment(stopped, Runs(stopped), {.jobs = 2, .threads = 1}, watch);
    ASSERT_LT(++calls, 50);
  } while (outcome.finished < 4);
  EXPECT_GT(calls, 3);
  EXPECT_EQ(Results(whole), Results(stopped));
}

TEST_F(RunnerTest, ATimeLimitStopsIt) {
  const Experiment experiment = Make("limit");
  const ExperimentOutcome outcome =
      TrainExperiment(experiment, Runs(experiment), {.jobs = 1, .threads = 1, .time_limit = 1e-9});
  EXPECT_EQ(outcome.finished, 0);
  EXPECT_EQ(outcome.left, 4);
  // The first run has got a batch further.
  EXPECT_TRUE(HoldsRun(experiment.RunPath(Runs(experiment).front())));
}

TEST_F(RunnerTest, AFailureIsRecordedAndDoesNotStopOthers) {
  // With this rate, parameters overflow at once.
  const Experiment experiment = Make("failing", std::string(kSmall) + R"(
[[overrides]]
cells = "model=lstm"
learning-rate = 1e30
clipping = 1e30
)");
  std::vector<std::string> failures;
  std::mutex mutex;
  ExperimentWatch watch;
  watch.on_end = [&](const RunId&, const RunRecord& record, bool) {
    const std::lock_guard lock(mutex);
    if (record.state == RunState::kFailed) failures.push_back(record.failure);
  };
  const auto train = [&](bool retry) {
    return TrainExperiment(experiment, Runs(experiment),
                           {.jobs = 1, .threads = 1, .retry_failed = retry}, watch);
  };
  ExperimentOutcome outcome = train(false);
  EXPECT_EQ(outcome.finished, 2);
  EXPECT_EQ(outcome.failed, 2);
  ASSERT_EQ(failures.size(), 2u);
  const RunId run = {0, 1};
  const RunRecord record = experiment.Record(run);
  EXPECT_EQ(record.state, RunState::kFailed);
  EXPECT_NE(record.failure.find("learning-rate"), std::string::npos) << record.failure;
  // It is not tried again without being asked to.
  const fs::path timing = experiment.RunPath(run) + "/" + kTimingFile;
  const std::string before = ReadBytes(timing);
  outcome = train(false);
  EXPECT_EQ(outcome.failed, 2);
  EXPECT_EQ(ReadBytes(timing), before);
  outcome = train(true);
  EXPECT_EQ(outcome.failed, 2);
  EXPECT_NE(ReadBytes(timing), before);
}

TEST_F(RunnerTest, BrokenFilesThatFollowFromOthersAreMadeAgain) {
  const Experiment experiment = Make("broken");
  TrainExperiment(experiment, Runs(experiment), {.threads = 1});
  const std::map<std::string, std::string> before = Results(experiment);
  const RunId run = Runs(experiment).front();
  for (const char* file : {kTestFile, kSummaryFile}) {
    directory_.Write("broken/" + RunName(experiment.plan(), run) + "/" + file, "{");
    EXPECT_EQ(experiment.Record(run).state, RunState::kFailed);
    EXPECT_EQ(TrainExperiment(experiment, Runs(experiment), {.threads = 1}).failed, 1);
    EXPECT_EQ(TrainExperiment(experiment, Runs(experiment), {.threads = 1, .retry_failed = true})
                  .finished,
              4);
    EXPECT_EQ(Results(experiment), before);
  }
}

TEST_F(RunnerTest, WhatACallbackThrowsReachesTheCaller) {
  const Experiment experiment = Make("throwing");
  ExperimentWatch watch;
  watch.on_end = [](const RunId&, const RunRecord&, bool) { throw std::runtime_error("enough"); };
  EXPECT_THROW(TrainExperiment(experiment, Runs(experiment), {.jobs = 2, .threads = 1}, watch),
               std::runtime_error);
}

TEST_F(RunnerTest, AFullDiskIsAFailureOfTheRun) {
  const Experiment experiment = Make("disk");
  // Something that is no directory stands where the first run is to be.
  const RunId run = Runs(experiment).front();
  directory_.Write("disk/" + RunName(experiment.plan(), run), "a file");
  const ExperimentOutcome outcome =
      TrainExperiment(experiment, Runs(experiment), {.jobs = 1, .threads = 1});
  EXPECT_EQ(outcome.finished, 3);
  EXPECT_EQ(outcome.failed, 1);
  EXPECT_EQ(experiment.Record(run).state, RunState::kFailed);
}

TEST_F(RunnerTest, ARunThatIsTrainedElsewhereIsLeftAlone) {
  const Experiment experiment = Make("shared");
  const RunId run = Runs(experiment).front();
  RunClaims other(experiment.path());
  ASSERT_TRUE(other.Claim(RunName(experiment.plan(), run)));
  EXPECT_EQ(experiment.Record(run).state, RunState::kRunning);
  ExperimentOutcome outcome =
      TrainExperiment(experiment, Runs(experiment), {.jobs = 2, .threads = 1});
  EXPECT_EQ(outcome.finished, 3);
  EXPECT_EQ(outcome.elsewhere, 1);
  EXPECT_FALSE(HoldsRun(experiment.RunPath(run)));
  // It is taken over as soon as its owner is gone.
  std::thread owner([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    other.Release(RunName(experiment.plan(), run));
  });
  outcome =
      TrainExperiment(experiment, Runs(experiment), {.jobs = 1, .threads = 1, .wait_seconds = 60});
  owner.join();
  EXPECT_EQ(outcome.finished, 4);
  EXPECT_EQ(outcome.elsewhere, 0);
}

TEST_F(RunnerTest, ARunThatIsResumedByHandIsLeftAlone) {
  const Experiment experiment = Make("by hand");
  const RunId run = Runs(experiment).front();
  TrainExperiment(experiment, std::vector{run}, {.threads = 1, .time_limit = 1e-9});
  const RunLock lock(experiment.RunPath(run));
  const ExperimentOutcome outcome = TrainExperiment(experiment, std::vector{run}, {.threads = 1});
  EXPECT_EQ(outcome.elsewhere, 1);
  EXPECT_EQ(outcome.failed, 0);
}

TEST_F(RunnerTest, MoreRestartsAndCellsAreAddedToAnExperiment) {
  const Experiment first = Make("growing");
  TrainExperiment(first, Runs(first), {.jobs = 1, .threads = 1});
  const std::map<std::string, std::string> before = Results(first);
  std::string more = kSmall;
  more.replace(more.find("\"lstm\""), 6, "\"sup-2\", \"lstm\"");
  more.replace(more.find("restarts = 2"), 12, "restarts = 3");
  const Experiment second = Make("growing", more);
  const ExperimentOutcome outcome = TrainExperiment(second, Runs(second), {.threads = 1});
  EXPECT_EQ(outcome.finished, 9);
  const std::map<std::string, std::string> after = Results(second);
  EXPECT_EQ(after.size(), 9u * 3);
  for (const auto& [file, text] : before) EXPECT_EQ(after.at(file), text) << file;
  // A file that no longer has all cells cannot go on with it.
  try {
    Make("growing");
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("it has no cell task=marked-reversal,model=sup-2"),
              std::string::npos)
        << error.message();
  }
}

TEST_F(RunnerTest, ALowerLimitOfEpochsIsRefused) {
  Make("lower");
  std::string fewer = kSmall;
  fewer.replace(fewer.find("max-epochs = 3"), 14, "max-epochs = 2");
  try {
    Make("lower", fewer);
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("max-epochs is 2, expected at least 3"), std::string::npos)
        << error.message();
  }
}

TEST_F(RunnerTest, AHigherLimitOfEpochsGoesOnWithFinishedRuns) {
  std::string more = kSmall;
  more.replace(more.find("max-epochs = 3"), 14, "max-epochs = 5");
  const Experiment at_once = Make("at once", more);
  TrainExperiment(at_once, Runs(at_once), {.threads = 1});
  const Experiment first = Make("later");
  TrainExperiment(first, Runs(first), {.threads = 1});
  const Experiment second = Make("later", more);
  EXPECT_FALSE(second.IsDone({0, 1}));
  TrainExperiment(second, Runs(second), {.threads = 1});
  EXPECT_EQ(Results(second), Results(at_once));
}

TEST_F(RunnerTest, TextIsEvaluatedOnItsTestSet) {
  testing_runs::WriteText(directory_, "text");
  const Experiment experiment = Make("lm", R"(
command = "lm train"
model = "lstm"
hidden-units = 6
batch-size = 1
chunk-length = 5
learning-rate = 1
clipping = 0.5
max-epochs = 2
data = ")" + Path("text") + "\"\n");
  TrainExperiment(experiment, Runs(experiment), {.threads = 1});
  const RunRecord record = experiment.Record({0, 1});
  EXPECT_EQ(record.state, RunState::kFinished);
  ASSERT_TRUE(record.test);
  // The same by the library's other way, token by token.
  const TrainedModel model = OpenModel(experiment.RunPath({0, 1}));
  EXPECT_NEAR(record.test->cross_entropy * 4, -model.LogProbability("c a b\n"), 1e-4);
}

// --- Claims.

TEST(RunClaims, EndWithTheirProcess) {
  const TemporaryDirectory directory;
  RunClaims claims(directory.path());
  EXPECT_FALSE(claims.IsClaimed("a"));
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    RunClaims own(directory.path());
    const char claimed = own.Claim("a") ? 'y' : 'n';
    if (write(ready[1], &claimed, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char claimed = 0;
  ASSERT_EQ(read(ready[0], &claimed, 1), 1);
  EXPECT_EQ(claimed, 'y');
  EXPECT_TRUE(claims.IsClaimed("a"));
  EXPECT_FALSE(claims.Claim("a"));
  EXPECT_FALSE(claims.IsClaimed("b"));
  EXPECT_TRUE(claims.Claim("b"));
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(claims.IsClaimed("a"));
  EXPECT_TRUE(claims.Claim("a"));
  close(ready[0]);
  close(ready[1]);
}

TEST(RunClaims, OpeningTheFileOnceMoreDoesNotEndThem) {
  const TemporaryDirectory directory;
  RunClaims claims(directory.path());
  ASSERT_TRUE(claims.Claim("a"));
  { const RunClaims other(directory.path()); }
  EXPECT_TRUE(RunClaims(directory.path()).IsClaimed("a"));
  claims.Release("a");
  EXPECT_FALSE(RunClaims(directory.path()).IsClaimed("a"));
}

}  // namespace
}  // namespace pushdown
