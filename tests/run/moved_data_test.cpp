// Data that have been moved, or are others, since a run began.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/run/evaluation.h"
#include "pushdown/run/run.h"
#include "pushdown/run/run_directory.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;
using testing_files::TemporaryDirectory;
using testing_runs::ReadBytes;
using testing_runs::SmallTextRun;
using testing_runs::WriteText;

// Strings over a and b, without a language.
void WriteStrings(const TemporaryDirectory& directory, const std::string& name,
                  const std::string& first = "a b") {
  directory.Write(name + "/main.vocab", "a\nb\n");
  directory.Write(name + "/main.tok", first + "\na b a b\na\nb b b\n");
  directory.Write(name + "/datasets/validation/main.tok", "a b\nb\n");
  directory.Write(name + "/datasets/test/main.tok", "b a\na a a\n");
}

RunSettings OnStrings(const std::string& data) {
  return MakeSettings(DataKind::kStrings, {{"data", data},
                                           {"model", "sup-2"},
                                           {"hidden-units", "4"},
                                           {"learning-rate", "0.01"},
                                           {"max-epochs", "4"}});
}

TEST(MovedData, AResumedRunFindsThemIfTheyAreTheSame) {
  const TemporaryDirectory directory;
  const std::string first = directory.path() + "/first";
  WriteStrings(directory, "first");
  WriteText(directory, "text");
  for (const bool text : {false, true}) {
    const std::string data = text ? directory.path() + "/text" : first;
    const RunSettings settings = text ? SmallTextRun(data) : OnStrings(data);
    const std::string name = directory.path() + (text ? "/lm" : "/strings");
    pushdown::Run::Create(name + "-whole", settings).Train({.threads = 1});
    pushdown::Run run = pushdown::Run::Create(name, settings);
    TrainingWatch watch;
    watch.stop = [] { return true; };
    ASSERT_FALSE(run.Train({.threads = 1}, watch)[0].result->finished);
    fs::rename(data, data + "-moved");
    EXPECT_THROW(pushdown::Run::Open(name).Train({.threads = 1}), Error);
    // Its model is of use without them.
    if (HasEndedAnEpoch(name)) {
      EXPECT_FALSE(OpenModel(name).Sample(2).empty());
    }

    pushdown::Run again = pushdown::Run::Open(name);
    RunSettings moved = again.settings();
    moved.data = data + "-moved";
    again.Change(moved);
    EXPECT_TRUE(again.Train({.threads = 1})[0].result->finished);
    EXPECT_EQ(ReadBytes(name + "/" + kModelFile), ReadBytes(name + "-whole/" + kModelFile));
    EXPECT_EQ(ReadBytes(name + "/" + kMetricsFile), ReadBytes(name + "-whole/" + kMetricsFile));
    // From now on it knows where they are.
    EXPECT_EQ(pushdown::Run::Open(name).settings().data, data + "-moved");
    fs::rename(data + "-moved", data);
  }
}

TEST(MovedData, OtherStringsAreRefused) {
  const TemporaryDirectory directory;
  WriteStrings(directory, "first");
  WriteStrings(directory, "second", "b a");
  pushdown::Run run =
      pushdown::Run::Create(directory.path() + "/run", OnStrings(directory.path() + "/first"));
  TrainingWatch watch;
  watch.stop = [] { return true; };
  run.Train({.threads = 1}, watch);
  RunSettings other = run.settings();
  other.data = directory.path() + "/second";
  run = pushdown::Run::Open(run.path());
  run.Change(SettingsOfRestart(other, 1));
  try {
    run.Train({.threads = 1});
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_NE(error.message().find("not those that the run began with"), std::string::npos)
        << error.message();
  }
}

TEST(MovedData, AModelIsEvaluatedOnOtherStrings) {
  const TemporaryDirectory directory;
  WriteStrings(directory, "first");
  const std::string path = directory.path() + "/run";
  pushdown::Run::Create(path, OnStrings(directory.path() + "/first")).Train({.threads = 1});
  const Evaluation own = Evaluate(path, {});
  EXPECT_EQ(own.all.model.strings(), 2);
  // The same strings elsewhere, with the symbols in another order.
  directory.Write("other/main.vocab", "b\na\n");
  directory.Write("other/main.tok", "a\n");
  directory.Write("other/datasets/validation/main.tok", "a\n");
  directory.Write("other/datasets/test/main.tok", "b a\na a a\n");
  fs::remove_all(directory.path() + "/first");
  EXPECT_THROW(Evaluate(path, {}), Error);
  const std::string alone = directory.path() + "/alone.safetensors";
  fs::copy_file(path + "/" + kModelFile, alone);
  for (const std::string& model : {path, alone}) {
    const Evaluation other = Evaluate(model, {.data = directory.path() + "/other"});
    EXPECT_EQ(other.all.model.PerSymbol(), own.all.model.PerSymbol());
    EXPECT_FALSE(other.all.lower_bound);
  }
  directory.Write("other/main.vocab", "b\na\nc\n");
  EXPECT_THROW(Evaluate(path, {.data = directory.path() + "/other"}), Error);
}

TEST(MovedData, AModelAloneIsEvaluatedOnASampleOfItsLanguage) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/run";
  pushdown::Run::Create(path, testing_runs::SmallRun()).Train({.threads = 1});
  const std::string alone = directory.path() + "/alone.safetensors";
  fs::copy_file(path + "/" + kModelFile, alone);
  EXPECT_THROW(Evaluate(alone, {}), Error);
  const Evaluation evaluation = Evaluate(alone, {.lengths = LengthRange{3, 7}});
  EXPECT_TRUE(evaluation.sampled);
  ASSERT_TRUE(evaluation.all.lower_bound);
  // Strings of odd lengths only: w # w reversed.
  EXPECT_EQ(evaluation.by_length.size(), 3u);
  EXPECT_GT(evaluation.all.difference(), 0);
}

}  // namespace
}  // namespace pushdown
