// Runs as a user of the library has them.

#include "pushdown/run/run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/run/run_directory.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;
using testing_files::TemporaryDirectory;
using testing_runs::ReadBytes;
using testing_runs::SmallRun;

TEST(Run, TrainsAndTellsOfIt) {
  const TemporaryDirectory directory;
  pushdown::Run run = pushdown::Run::Create(directory.path() + "/run", SmallRun());
  EXPECT_FALSE(fs::exists(run.path()));
  int starts = 0;
  int batches = 0;
  std::vector<EpochMetrics> epochs;
  TrainingWatch watch;
  watch.on_start = [&](int restart, const RunStart& start) {
    EXPECT_EQ(restart, 1);
    EXPECT_EQ(start.training_items, 30);
    EXPECT_EQ(start.batches, 3);
    ++starts;
  };
  watch.on_batch = [&](int, const RunProgress&) { ++batches; };
  watch.on_epoch = [&](int, const EpochReport& report) { epochs.push_back(report.metrics); };
  const std::vector<RestartOutcome> outcomes = run.Train({.threads = 1}, watch);
  ASSERT_EQ(outcomes.size(), 1u);
  ASSERT_TRUE(outcomes[0].result);
  EXPECT_TRUE(outcomes[0].result->finished);
  EXPECT_EQ(outcomes[0].result->epochs, 3);
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(batches, 9);
  // What is in its files is what was told.
  const std::vector<EpochMetrics> metrics = pushdown::Run::Open(run.path()).Metrics();
  ASSERT_EQ(metrics.size(), epochs.size());
  for (std::size_t n = 0; n < metrics.size(); ++n) {
    EXPECT_EQ(metrics[n].epoch, static_cast<int>(n) + 1);
    EXPECT_EQ(metrics[n].validation_cross_entropy, epochs[n].validation_cross_entropy);
    EXPECT_EQ(metrics[n].learning_rate, 0.01);
  }
}

TEST(Run, GoesOnExactlyWhereItWasStopped) {
  const TemporaryDirectory directory;
  pushdown::Run whole = pushdown::Run::Create(directory.path() + "/whole", SmallRun());
  whole.Train({.threads = 1});
  pushdown::Run parts = pushdown::Run::Create(directory.path() + "/parts", SmallRun());
  int sessions = 0;
  while (true) {
    TrainingWatch watch;
    watch.stop = [] { return true; };  // after every batch
    ++sessions;
    if (parts.Train({.threads = 2}, watch)[0].result->finished) break;
    parts = pushdown::Run::Open(parts.path());
    ASSERT_LT(sessions, 100);
  }
  EXPECT_GT(sessions, 9);
  for (const char* name : {kModelFile, kMetricsFile}) {
    EXPECT_EQ(ReadBytes(fs::path(whole.path()) / name), ReadBytes(fs::path(parts.path()) / name))
        << name;
  }
}

// A session that has trained a batch may end before the validation does; one that begins with the
// validation gets on.
TEST(Run, IsStoppedInTheMiddleOfAValidation) {
  const TemporaryDirectory directory;
  pushdown::Run whole = pushdown::Run::Create(directory.path() + "/whole", SmallRun());
  whole.Train({.threads = 1});
  pushdown::Run parts = pushdown::Run::Create(directory.path() + "/parts", SmallRun());
  int sessions = 0;
  int epochs = 0;
  bool finished = false;
  while (!finished) {
    ASSERT_LT(++sessions, 100);
    int batches = 0;
    bool last = false;  // the newest batch was the last one of its epoch
    int asked = 0;      // since then
    TrainingWatch watch;
    watch.on_batch = [&](int, const RunProgress& done) {
      ++batches;
      last = done.fraction == 1;
      asked = 0;
    };
    watch.on_epoch = [&](int, const EpochReport&) {
      EXPECT_EQ(batches, 0) << "of a session that a validation has ended in";
      ++epochs;
      last = false;
    };
    watch.stop = [&] { return last && ++asked > 1; };  // the first time is before the validation
    finished = parts.Train({.threads = 1}, watch)[0].result->finished;
    if (!finished) parts = pushdown::Run::Open(parts.path());
  }
  EXPECT_EQ(epochs, 3);
  EXPECT_EQ(sessions, 4);
  for (const char* name : {kModelFile, kMetricsFile}) {
    EXPECT_EQ(ReadBytes(fs::path(whole.path()) / name), ReadBytes(fs::path(parts.path()) / name))
        << name;
  }
}

TEST(Run, TheBestRestartIsTheOneWithTheSmallestDifference) {
  const TemporaryDirectory directory;
  pushdown::Run run =
      pushdown::Run::Create(directory.path() + "/run", SmallRun({{"restarts", "3"}}));
  const std::vector<RestartOutcome> outcomes = run.Train({.jobs = 2, .threads = 1});
  ASSERT_EQ(outcomes.size(), 3u);
  double best = std::numeric_limits<double>::infinity();
  int number = 0;
  for (int n = 1; n <= 3; ++n) {
    const RunResult& result = *outcomes[static_cast<std::size_t>(n - 1)].result;
    ASSERT_TRUE(result.difference);
    if (*result.difference < best) {
      best = *result.difference;
      number = n;
    }
  }
  const std::string expected = (fs::path(run.path()) / RestartName(number) / kModelFile).string();
  EXPECT_EQ(run.BestModel().path, expected);
  EXPECT_EQ(BestRestart(outcomes), static_cast<std::size_t>(number - 1));
}

TEST(Run, ChangesItsLimitOfEpochsAndNothingElse) {
  const TemporaryDirectory directory;
  pushdown::Run::Create(directory.path() + "/run", SmallRun()).Train({.threads = 1});
  pushdown::Run run = pushdown::Run::Open(directory.path() + "/run");
  RunSettings settings = run.settings();
  settings.training.max_epochs = 5;
  run.Change(settings);
  EXPECT_EQ(run.Train({.threads = 1})[0].result->epochs, 5);
  EXPECT_EQ(pushdown::Run::Open(run.path()).settings().training.max_epochs, 5);
  settings.training.clipping = 1;
  try {
    run.Change(settings);
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("--clipping is 1.0, but the run has 5.0"), std::string::npos)
        << error.message();
  }
}

TEST(Run, IsLockedWhileItIsTrained) {
  const TemporaryDirectory directory;
  pushdown::Run run = pushdown::Run::Create(directory.path() + "/run", SmallRun());
  TrainingWatch watch;
  bool tried = false;
  watch.on_epoch = [&](int, const EpochReport&) {
    tried = true;
    EXPECT_THROW(pushdown::Run::Open(directory.path() + "/run").Train({.threads = 1}), Error);
  };
  EXPECT_TRUE(run.Train({.threads = 1}, watch)[0].result->finished);
  EXPECT_TRUE(tried);
}

TEST(Run, MistakesAreErrorsOfTheirKinds) {
  const TemporaryDirectory directory;
  const auto kind = [](const auto& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.kind();
    }
    throw std::runtime_error("no Error");
  };
  EXPECT_EQ(kind([&] { pushdown::Run::Open(directory.path() + "/nothing"); }), ErrorKind::kInput);
  EXPECT_EQ(kind([&] { OpenModel(directory.path() + "/nothing"); }), ErrorKind::kInput);
  // A model that no machine can hold.
  EXPECT_EQ(kind([&] {
              pushdown::Run::Create(directory.path() + "/large",
                                    SmallRun({{"lengths", "1000:2000"}}, "rns-9-99"))
                  .Train({.threads = 1});
            }),
            ErrorKind::kLimit);
  // A directory that cannot be made, since a file is in its place.
  directory.Write("file", "");
  EXPECT_EQ(kind([&] { pushdown::Run::Create(directory.path() + "/file/run", SmallRun()); }),
            ErrorKind::kInput);
}

TEST(Run, SaysWhatATrainingWillTake) {
  const RunSettings settings = SmallRun({{"restarts", "4"}});
  const TrainingEstimate estimate = EstimateTraining(settings, {.jobs = 2, .threads = 1});
  EXPECT_EQ(estimate.training_items, 30);
  EXPECT_EQ(estimate.batches, 3);
  EXPECT_EQ(estimate.parallelism.jobs, 2);
  EXPECT_GT(estimate.seconds_per_epoch, 0);
  // Two rounds of three epochs.
  EXPECT_DOUBLE_EQ(estimate.longest_seconds, 6 * estimate.seconds_per_epoch);
  // At least the parameters, their gradients and the optimiser's two arrays, for each job.
  EXPECT_GT(estimate.bytes, 2 * 4 * sizeof(float) * static_cast<double>(estimate.parameters));
}

}  // namespace
}  // namespace pushdown
