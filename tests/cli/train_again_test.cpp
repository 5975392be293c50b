// Going on with what there is: another limit of epochs, and another run's parameters.

#include <string>

#include "tests/cli/train_fixture.h"

namespace pushdown::testing_cli {
namespace {

// Nothing but the limit ends it.
Arguments WithEpochs(int epochs, const Arguments& more = {}) {
  return Joined(Joined(kTask, {"--model", "rns-1-2", "--patience", "100", "--max-epochs",
                               std::to_string(epochs)}),
                more);
}

class EpochLimitTest : public TrainTest {};

TEST_F(EpochLimitTest, ARaisedLimitGoesOnAsIfItHadAlwaysBeenThere) {
  TrainWell(WithEpochs(5), "whole");
  TrainWell(WithEpochs(2));
  ASSERT_EQ(Metrics().size(), 2u);
  const ProgramResult result = Resume({"--max-epochs", "5"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  ExpectSameResults("whole", "run");
  EXPECT_EQ(Text("whole/config.json"), Text("run/config.json"));
  json summary = Json("run/summary.json");
  EXPECT_EQ(summary["epochs"], 5);
  EXPECT_EQ(Resume().exit_code, 0) << "the new limit is the run's own";
  EXPECT_EQ(Metrics().size(), 5u);
}

TEST_F(EpochLimitTest, ARunWhoseLimitWasRaisedIsNotFinished) {
  TrainWell(WithEpochs(1));
  ASSERT_TRUE(fs::exists(Path("run/summary.json")));
  EXPECT_EQ(Resume({"--max-epochs", "1000", "--time-limit", "0.000001s"}).exit_code, 75);
  EXPECT_FALSE(fs::exists(Path("run/summary.json")));
  EXPECT_EQ(Json("run/config.json")["settings"]["max-epochs"], 1000);
  EXPECT_EQ(Run({"evaluate", Path("run")}).err, "") << "the program's own change is not reported";
}

TEST_F(EpochLimitTest, ALoweredLimitEndsTheRun) {
  TrainWell(WithEpochs(4));
  const std::string model = Text("run/model.safetensors");
  const ProgramResult result = Resume({"--max-epochs", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Metrics().size(), 4u) << "no work is thrown away";
  EXPECT_EQ(Text("run/model.safetensors"), model);
  EXPECT_EQ(Json("run/summary.json")["stopped_by"], "epoch limit");
}

// In the middle of its third epoch, which it need not end.
TEST_F(EpochLimitTest, ALoweredLimitEndsARunWithinAnEpoch) {
  TrainWell(WithEpochs(3), "whole");
  TrainWell(WithEpochs(2));
  EXPECT_EQ(Resume({"--max-epochs", "3", "--time-limit", "0.000001s"}).exit_code, 75);
  EXPECT_EQ(Resume({"--max-epochs", "2"}).exit_code, 0);
  EXPECT_EQ(Metrics().size(), 2u);
  EXPECT_EQ(Resume({"--max-epochs", "3"}).exit_code, 0);
  ExpectSameResults("whole", "run");
}

TEST_F(EpochLimitTest, OfRestartsTheLimitIsThatOfAll) {
  TrainWell(WithEpochs(3, {"--restarts", "2"}), "whole");
  TrainWell(WithEpochs(1, {"--restarts", "2"}));
  EXPECT_EQ(Resume({"--max-epochs", "3"}).exit_code, 0);
  for (const char* name : {"/restart-1", "/restart-2"}) {
    ExpectSameResults(std::string("whole") + name, std::string("run") + name);
    EXPECT_EQ(Text(std::string("whole") + name + "/config.json"),
              Text(std::string("run") + name + "/config.json"));
  }
  EXPECT_EQ(Text("whole/config.json"), Text("run/config.json"));
}

class StartFromTest : public TrainTest {
 protected:
  StartFromTest() { TrainWell(WithEpochs(2), "first"); }

  Arguments From(const std::string& run, const Arguments& more = {}) const {
    return WithEpochs(2, Joined({"--start-from", Path(run)}, more));
  }
};

// Without a step that counts, parameters stay what they were.
TEST_F(StartFromTest, ParametersAreThoseOfTheOtherRun) {
  TrainWell(From("first", {"--learning-rate", "1e-30", "--data-seed", "5"}));
  const ProgramResult before = Run({"generate", Path("first"), "--count", "20", "--json"});
  const ProgramResult after = Run({"generate", Path("run"), "--count", "20", "--json"});
  EXPECT_EQ(before.out, after.out);
  EXPECT_NE(before.out, "");
  EXPECT_EQ(Json("run/config.json")["settings"]["start-from"], Path("first"));
}

TEST_F(StartFromTest, TheRunNeedsTheOtherOneNoMore) {
  TrainWell(From("first"), "whole");
  TrainWell(From("first"));
  fs::remove_all(Path("first"));
  // As if it had been killed before its first checkpoint.
  for (const char* file : {"checkpoint.safetensors", "model.safetensors", "summary.json"}) {
    fs::remove(Path(std::string("run/") + file));
  }
  WriteFile("run/metrics.jsonl", "");
  EXPECT_EQ(Resume().exit_code, 0);
  ExpectSameResults("whole", "run");
}

TEST_F(StartFromTest, RestartsBeginWithTheSameParameters) {
  TrainWell(From("first", {"--restarts", "2", "--learning-rate", "1e-30", "--data-seed", "5"}));
  const ProgramResult one = Run({"generate", Path("run/restart-1"), "--count", "20"});
  const ProgramResult two = Run({"generate", Path("run/restart-2"), "--count", "20"});
  EXPECT_EQ(one.out, two.out);
  // Restarts are a run to start from as well: the best one.
  TrainWell(From("run"), "again");
}

TEST_F(StartFromTest, OtherModelsAreRefused) {
  const auto expect_refusal = [&](const Arguments& arguments, const std::string& message) {
    const ProgramResult result = Train(arguments);
    EXPECT_EQ(result.exit_code, 2);
    ExpectMessage(result, message);
    EXPECT_FALSE(fs::exists(Path("run")));
  };
  expect_refusal(From("nothing"), "--start-from: " + Path("nothing") + ": does not exist");
  expect_refusal(From("first", {"--hidden-units", "7"}), "its hidden-units is 20, expected 7");
  expect_refusal(Joined(Joined(kTask, {"--symbols", "3"}),
                        {"--model", "rns-1-2", "--start-from", Path("first")}),
                 "is not a model of this kind: its vocabulary is ");
  WriteFile("first/model.safetensors", "broken");
  expect_refusal(From("first"), "--start-from: ");
}

}  // namespace
}  // namespace pushdown::testing_cli
