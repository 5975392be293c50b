// That `pushdown train` loses nobody's work: runs that are stopped, killed, damaged or in the way.

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/cli/train_fixture.h"

namespace pushdown::testing_cli {
namespace {

// --- Interruptions.

class TrainInterruptionTest : public TrainTest, public ::testing::WithParamInterface<int> {};

// Stopped again and again, and each time at another moment, a run ends as if nothing had happened.
TEST_P(TrainInterruptionTest, ResumedRunIsBitIdentical) {
  TrainWell(kLongTask, "whole");
  Arguments arguments =
      TrainArguments(Joined(kLongTask, {"--checkpoint-interval", "0.01s"}), "run");
  for (int n = 1; n <= 3; ++n) {
    const pid_t child = Start(arguments);
    WaitFor("run/metrics.jsonl", static_cast<std::size_t>(3 * n));
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * n));
    ASSERT_EQ(kill(child, GetParam()), 0);
    const ProgramResult result = Finish(child);
    if (GetParam() == SIGKILL) {
      EXPECT_EQ(result.exit_code, -1);
    } else {
      // The signals that batch systems send before their time limit mean: run it again.
      const bool by_scheduler = GetParam() == SIGUSR1 || GetParam() == SIGUSR2;
      EXPECT_EQ(result.exit_code, by_scheduler ? 75 : 128 + GetParam()) << result.err;
      EXPECT_NE(result.err.find("go on with: pushdown train --resume --out " + Path("run") + "\n"),
                std::string::npos)
          << result.err;
    }
    EXPECT_FALSE(fs::exists(Path("run/summary.json"))) << "it was not stopped in time";
    arguments = TrainArguments({"--resume", "--checkpoint-interval", "0.01s"}, "run");
  }
  const ProgramResult result = Resume({"--threads", "3"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("resumed after "), std::string::npos) << result.err;
  ExpectSameResults("whole", "run");
  json whole = Json("whole/summary.json");
  json resumed = Json("run/summary.json");
  whole.erase("seconds");
  resumed.erase("seconds");
  EXPECT_EQ(whole, resumed);
}
INSTANTIATE_TEST_SUITE_P(Signals, TrainInterruptionTest,
                         ::testing::Values(SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGKILL),
                         [](const auto& signal) -> std::string {
                           return sigabbrev_np(signal.param);
                         });

// A batch system's signal means the same before there is anything to save.
TEST_F(TrainTest, AnInterruptBeforeTheTrainingMeansToRunItAgain) {
  const std::string grammar = Path("grammar");
  ASSERT_EQ(mkfifo(grammar.c_str(), 0600), 0);
  const pid_t child = Start(TrainArguments({"--grammar", grammar, "--model", "lstm"}, "run"));
  const int pipe = open(grammar.c_str(), O_WRONLY);  // waits until it is read
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(child, SIGUSR1);
  const ProgramResult result = Finish(child);
  close(pipe);
  EXPECT_EQ(result.exit_code, 75) << result.err;
  ExpectMessage(result, "interrupted");
}

TEST_F(TrainTest, TimeLimitStopsWithinAnEpoch) {
  Arguments arguments = kLongTask;
  arguments[7] = "20000";  // the training set: an epoch takes seconds
  arguments[15] = "1";     // epoch
  const ProgramResult result = Train(Joined(arguments, {"--time-limit", "0.2s"}));
  EXPECT_EQ(result.exit_code, 75) << result.err;
  EXPECT_NE(result.err.find("stopped by the time limit"), std::string::npos) << result.err;
  EXPECT_TRUE(fs::exists(Path("run/checkpoint.safetensors")));
  EXPECT_FALSE(fs::exists(Path("run/summary.json")));
  EXPECT_FALSE(fs::exists(Path("run/model.safetensors")));
  // Every session gets on, so that a loop of short ones ends.
  const ProgramResult again = Resume({"--time-limit", "0.000001s"});
  EXPECT_EQ(again.exit_code, 75) << again.err;
  EXPECT_EQ(again.err.find("resumed after 0 epochs and 0 batches"), std::string::npos) << again.err;
  EXPECT_NE(again.err.find("resumed after 0 epochs and "), std::string::npos) << again.err;
}

TEST_F(TrainTest, RestartsAreResumedToo) {
  const Arguments arguments = Joined(kLongTask, {"--restarts", "3", "--threads", "1"});
  TrainWell(arguments, "whole");
  const pid_t child = Start(TrainArguments(Joined(arguments, {"--jobs", "1"}), "run"));
  WaitFor("run/restart-2/metrics.jsonl", 2);
  kill(child, SIGINT);
  EXPECT_EQ(Finish(child).exit_code, 130);
  EXPECT_FALSE(fs::exists(Path("run/restart-3")));
  EXPECT_EQ(Resume().exit_code, 0);
  for (const char* name : {"/restart-1", "/restart-2", "/restart-3"}) {
    ExpectSameResults(std::string("whole") + name, std::string("run") + name);
  }
}

TEST_F(TrainTest, ParallelRestartsAreResumedToo) {
  Arguments arguments = kLongTask;
  arguments[15] = "6";  // epochs
  const Arguments parallel = {"--jobs", "2", "--threads", "1"};
  const pid_t child =
      Start(TrainArguments(Joined(Joined(arguments, {"--restarts", "3"}), parallel), "run"));
  WaitFor("run/restart-2/metrics.jsonl", 1);
  kill(child, SIGTERM);
  const ProgramResult stopped = Finish(child);
  EXPECT_EQ(stopped.exit_code, 128 + SIGTERM) << stopped.err;
  const ProgramResult resumed = Resume(parallel);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  for (const char* name : {"run/restart-1", "run/restart-2", "run/restart-3"}) {
    EXPECT_EQ(Metrics(name).size(), 6U) << name;
  }
}

TEST_F(TrainTest, ABrokenRestartDoesNotStopTheOthers) {
  TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "1", "--restarts", "2"}));
  fs::resize_file(Path("run/restart-1/checkpoint.safetensors"), 100);
  fs::remove_all(Path("run/restart-2"));
  const ProgramResult result = Resume();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("1 of 2 restarts failed, the first with: "), std::string::npos)
      << result.err;
  EXPECT_TRUE(fs::exists(Path("run/restart-2/summary.json")));
}

TEST_F(TrainTest, AConfigurationOfAnotherRunIsNoticed) {
  TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "1", "--restarts", "2"}));
  fs::copy_file(Path("run/restart-1/config.json"), Path("run/restart-2/config.json"),
                fs::copy_options::overwrite_existing);
  const ProgramResult result = Resume();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("restart-2: config.json is of another run: its learning-rate is "),
            std::string::npos)
      << result.err;
  // A single run that claims to have restarts.
  TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "1"}), "one");
  json config = Json("one/config.json");
  config["settings"]["restarts"] = 2;
  WriteFile("one/config.json", config.dump());
  const ProgramResult one = Resume({}, "one");
  EXPECT_EQ(one.exit_code, 2);
  ExpectMessage(one, "says that there are restarts, but this is one run");
}

// What a killed process of the same number left behind is in nobody's way.
TEST_F(TrainTest, ALeftoverDirectoryDoesNotPreventAStart) {
  const std::string script = "mkdir " + Path("run") +
                             ".tmp.$$; exec " PUSHDOWN_PROGRAM
                             " train --task marked-reversal --lengths 3:9 --test-lengths 3 "
                             "--training-size 20 --validation-size 10 --test-size 1 --model lstm "
                             "--max-epochs 1 --out " +
                             Path("run") + " > /dev/null 2>&1";
  EXPECT_EQ(std::system(script.c_str()), 0);
  EXPECT_TRUE(fs::exists(Path("run/summary.json")));
}

TEST_F(TrainTest, ResumingAFinishedRunChangesNothing) {
  TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "2"}));
  auto before = Contents("run");
  const ProgramResult result = Resume();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  auto after = Contents("run");
  before.erase("timing.jsonl");
  after.erase("timing.jsonl");
  EXPECT_EQ(before, after);
}

TEST_F(TrainTest, TwoProcessesDoNotShareARun) {
  Arguments arguments = kLongTask;
  arguments[7] = "20000";
  const pid_t child = Start(TrainArguments(arguments, "run"));
  WaitFor("run/timing.jsonl", 1);
  // A second process writes to other files than the first.
  ProgramTest::SetWorkingDirectory(Path(""));
  const pid_t second = fork();
  if (second == 0) {
    if (freopen(Path("second").c_str(), "w", stderr) == nullptr) _exit(126);
    execl(PUSHDOWN_PROGRAM, "pushdown", "train", "--resume", "--out", Path("run").c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(second, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_NE(Text("second").find("another process is training there"), std::string::npos)
      << Text("second");
  kill(child, SIGTERM);
  EXPECT_EQ(Finish(child).exit_code, 143);
}

TEST_F(TrainTest, HalfWrittenFilesOfAKilledProcessAreRemoved) {
  TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "1"}));
  WriteFile("run/checkpoint.safetensors.tmp.12345", "half");
  WriteFile("run/figure.tmp.1.png", "not ours");
  std::ofstream(Path("run/timing.jsonl"), std::ios::app) << "{\"event\": \"epo";
  EXPECT_EQ(Resume().exit_code, 0);
  EXPECT_FALSE(fs::exists(Path("run/checkpoint.safetensors.tmp.12345")));
  EXPECT_TRUE(fs::exists(Path("run/figure.tmp.1.png")));
  EXPECT_EQ(json::parse(Lines(Text("run/timing.jsonl")).back())["event"], "session");
}

// --- Nothing that a user made is lost.

TEST_F(TrainTest, AnExistingRunIsNotOverwritten) {
  TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "1"}));
  const auto before = Contents("run");
  const ProgramResult result = Train(Joined(kTask, {"--model", "rns-1-2", "--max-epochs", "1"}));
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "already holds a run; --resume goes on with it");
  EXPECT_EQ(before, Contents("run"));
}

TEST_F(TrainTest, OtherDirectoriesAreNotOverwritten) {
  fs::create_directory(Path("run"));
  WriteFile("run/thesis.tex", "years of work");
  const ProgramResult result = Train(Joined(kTask, {"--model", "lstm"}));
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "is not an empty directory");
  const ProgramResult resume = Resume();
  EXPECT_EQ(resume.exit_code, 2);
  ExpectMessage(resume, "holds no run: there is no config.json in it");
  EXPECT_EQ(Text("run/thesis.tex"), "years of work");
}

TEST_F(TrainTest, ImpossibleDirectoryIsRefusedAtOnce) {
  WriteFile("file", "");
  const ProgramResult result = Train(Joined(kTask, {"--model", "lstm"}), "file/run");
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "--out: ");
}

// A run that has been stopped after an epoch or more.
class StoppedRunTest : public TrainTest {
 protected:
  StoppedRunTest() {
    const pid_t child = Start(TrainArguments(kLongTask, "run"));
    WaitFor("run/metrics.jsonl", 2);
    kill(child, SIGTERM);
    EXPECT_EQ(Finish(child).exit_code, 143);
  }

  void ExpectRefusal(const Arguments& more, const std::string& message) {
    const auto before = Contents("run");
    const ProgramResult result = Resume(more);
    EXPECT_EQ(result.exit_code, 2);
    ExpectMessage(result, message);
    EXPECT_EQ(before, Contents("run"));
  }
};

TEST_F(StoppedRunTest, AFullDiskLeavesTheOldCheckpoint) {
  const std::string before = Text("run/checkpoint.safetensors");
  LimitFileSize(before.size() / 2);
  const ProgramResult result = Resume();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("checkpoint.safetensors: cannot be written: File too large"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(Text("run/checkpoint.safetensors"), before);
  LimitFileSize(RLIM_INFINITY);
  EXPECT_EQ(Resume().exit_code, 0);
  TrainWell(kLongTask, "whole");
  ExpectSameResults("whole", "run");
}

TEST_F(StoppedRunTest, ATruncatedCheckpointIsRefused) {
  fs::resize_file(Path("run/checkpoint.safetensors"),
                  fs::file_size(Path("run/checkpoint.safetensors")) - 1);
  ExpectRefusal({}, "checkpoint.safetensors: ");
}

TEST_F(StoppedRunTest, ATamperedCheckpointIsRefused) {
  std::string text = Text("run/checkpoint.safetensors");
  text[text.size() - 2] = static_cast<char>(text[text.size() - 2] ^ 1);
  WriteFile("run/checkpoint.safetensors", text);
  ExpectRefusal({}, "checksum");
}

TEST_F(StoppedRunTest, OptionsThatContradictTheRunAreRefused) {
  ExpectRefusal({"--clipping", "4"}, "--clipping is 4.0, but the run has 5.0");
  ExpectRefusal({"--model", "rns-2-3"}, "--model is \"rns-2-3\", but the run has \"rns-2-2\"");
  ExpectRefusal({"--task", "marked-copy"}, "the language is ");
  ExpectRefusal({"--restarts", "2"}, "--restarts is 2, but the run has 1");
  EXPECT_EQ(Resume(kLongTask).exit_code, 0) << "the same options are no contradiction";
}

TEST_F(StoppedRunTest, AChangedConfigurationDoesNotMatchTheCheckpoint) {
  json config = Json("run/config.json");
  config["settings"]["clipping"] = 4;
  WriteFile("run/config.json", config.dump());
  ExpectRefusal({}, "does not belong to the configuration: its clipping is 5.0, expected 4.0");
}

TEST_F(StoppedRunTest, ABrokenConfigurationIsRefused) {
  const std::string config = Text("run/config.json");
  WriteFile("run/config.json", config.substr(0, config.size() / 2));
  ExpectRefusal({}, "config.json: ");
  json changed = json::parse(config);
  changed["settings"]["hidden-units"] = 1e300;
  WriteFile("run/config.json", changed.dump());
  ExpectRefusal({}, "--hidden-units: expected an integer");
  changed = json::parse(config);
  changed["settings"]["moon"] = "full";
  WriteFile("run/config.json", changed.dump());
  ExpectRefusal({}, "\"moon\" is not one of this version");
}

TEST_F(TrainTest, ChangedDataIsNoticed) {
  ASSERT_EQ(Run(Joined({"data", "--out", Path("data")}, kTask)).exit_code, 0);
  TrainWell({"--data", Path("data"), "--model", "lstm", "--max-epochs", "1"});
  ASSERT_EQ(Run(Joined({"data", "--out", Path("other"), "--seed", "2"}, kTask)).exit_code, 0);
  fs::copy_file(Path("other/main.tok"), Path("data/main.tok"),
                fs::copy_options::overwrite_existing);
  const ProgramResult result = Resume();
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "the files of --data have changed");
}

TEST_F(TrainTest, ALossThatIsNotFiniteStopsTheRun) {
  const ProgramResult result = Train(Joined(kTask, {"--model", "rns-1-2", "--learning-rate", "1e38",
                                                    "--checkpoint-interval", "0.000001s"}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("epoch 1, batch "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("norms of the parameters: controller.weights "), std::string::npos)
      << result.err;
  EXPECT_EQ(result.err.find("inf"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace pushdown::testing_cli
