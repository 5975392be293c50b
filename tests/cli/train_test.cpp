#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/formal_text.h"
#include "tests/cli/program.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;
namespace fs = std::filesystem;

Arguments Joined(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// A task that takes milliseconds an epoch.
const Arguments kTask = {"--task",
                         "marked-reversal",
                         "--lengths",
                         "3:9",
                         "--test-lengths",
                         "3:11",
                         "--training-size",
                         "60",
                         "--test-size",
                         "2",
                         "--validation-size",
                         "20"};
// One that takes long enough to be interrupted.
const Arguments kLongTask = {"--task",
                             "marked-reversal",
                             "--lengths",
                             "19:33",
                             "--test-lengths",
                             "19",
                             "--training-size",
                             "200",
                             "--test-size",
                             "1",
                             "--validation-size",
                             "20",
                             "--model",
                             "rns-2-2",
                             "--max-epochs",
                             "12",
                             "--patience",
                             "12"};

class TrainTest : public ProgramTest {
 protected:
  Arguments TrainArguments(const Arguments& more, const std::string& out) const {
    return Joined({"train", "--out", Path(out)}, more);
  }
  ProgramResult Train(const Arguments& more, const std::string& out = "run") const {
    return Run(TrainArguments(more, out));
  }
  // The same, which must succeed.
  ProgramResult TrainWell(const Arguments& more, const std::string& out = "run") const {
    const ProgramResult result = Train(more, out);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }
  ProgramResult Resume(const Arguments& more = {}, const std::string& out = "run") const {
    return Train(Joined({"--resume"}, more), out);
  }

  std::string Text(const std::string& file) const { return ReadText(Path(file)); }
  json Json(const std::string& file) const { return json::parse(Text(file)); }
  std::vector<json> Metrics(const std::string& run = "run") const {
    std::vector<json> metrics;
    for (const std::string& line : Lines(Text(run + "/metrics.jsonl"))) {
      metrics.push_back(json::parse(line));
    }
    return metrics;
  }

  // Runs whose results are the same, bit for bit.
  void ExpectSameResults(const std::string& a, const std::string& b) const {
    EXPECT_EQ(Text(a + "/metrics.jsonl"), Text(b + "/metrics.jsonl"));
    EXPECT_EQ(Text(a + "/model.safetensors"), Text(b + "/model.safetensors"));
    EXPECT_GT(Text(a + "/model.safetensors").size(), 1000u);
  }

  // Waits until a file has that many lines, or there is a file if it is 0.
  void WaitFor(const std::string& file, std::size_t lines) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (std::chrono::steady_clock::now() < deadline) {
      if (fs::exists(Path(file)) && Lines(Text(file)).size() >= lines) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    FAIL() << file << " has not " << lines << " lines";
  }
};

TEST_F(TrainTest, LeavesTheFilesOfARun) {
  const ProgramResult result =
      TrainWell(Joined(kTask, {"--model", "rns-1-2", "--max-epochs", "3", "--seed", "7"}));
  Arguments files;
  for (const auto& [name, text] : Contents("run")) files.push_back(name);
  EXPECT_EQ(files, (Arguments{"checkpoint.safetensors", "config.json", "metrics.jsonl",
                              "model.safetensors", "summary.json", "timing.jsonl"}));
  const json config = Json("run/config.json");
  EXPECT_EQ(config["settings"]["model"], "rns-1-2");
  EXPECT_EQ(config["settings"]["seed"], 7);
  EXPECT_EQ(config["settings"]["language"]["language"], "marked-reversal");
  EXPECT_EQ(config["vocabulary"], (json{"0", "1", "#"}));
  for (const char* field : {"cpu", "simd_target", "threads", "pushdown"}) {
    EXPECT_TRUE(config["machine"].contains(field)) << field;
  }
  const std::vector<json> metrics = Metrics();
  ASSERT_EQ(metrics.size(), 3u);
  double best = INFINITY;
  for (int n = 0; n < 3; ++n) {
    const json& epoch = metrics[static_cast<std::size_t>(n)];
    EXPECT_EQ(epoch["epoch"], n + 1);
    EXPECT_EQ(epoch["best"], epoch["validation_cross_entropy"] < best);
    best = std::min(best, epoch["validation_cross_entropy"].get<double>());
  }
  const json summary = Json("run/summary.json");
  EXPECT_EQ(summary["validation_cross_entropy"], best);
  EXPECT_EQ(summary["stopped_by"], "epoch limit");
  EXPECT_EQ(summary["finished"], true);
  // An epoch a line on standard error, the table of results on standard output.
  EXPECT_NE(result.err.find("epoch   3  loss "), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find('\r'), std::string::npos) << "no bar unless on a terminal";
  EXPECT_NE(result.out.find("epoch limit"), std::string::npos) << result.out;
}

// The optimum that `pushdown data` finds for the same sets is the one that is subtracted.
TEST_F(TrainTest, DifferenceIsFromTheExactOptimum) {
  TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "2", "--data-seed", "31"}));
  ASSERT_EQ(Run(Joined({"data", "--out", Path("data"), "--seed", "31"}, kTask)).exit_code, 0);
  const double optimum = Json("data/task.json")["splits"]["validation"]["lower_bound"];
  for (const json& epoch : Metrics()) {
    EXPECT_DOUBLE_EQ(epoch["difference"].get<double>(),
                     epoch["validation_cross_entropy"].get<double>() - optimum);
  }
}

TEST_F(TrainTest, PreparedDataGivesTheSameAsSampling) {
  const Arguments procedure = {"--model", "sup-3", "--max-epochs", "3", "--seed", "5"};
  TrainWell(Joined(Joined(kTask, procedure), {"--data-seed", "31"}));
  ASSERT_EQ(Run(Joined({"data", "--out", Path("data"), "--seed", "31"}, kTask)).exit_code, 0);
  TrainWell(Joined({"--data", Path("data")}, procedure), "prepared");
  ExpectSameResults("run", "prepared");
}

TEST_F(TrainTest, DataWithoutALanguageHasNoDifference) {
  ASSERT_EQ(Run(Joined({"data", "--out", Path("data")}, kTask)).exit_code, 0);
  fs::remove(Path("data/task.json"));
  TrainWell({"--data", Path("data"), "--model", "lstm", "--max-epochs", "1"});
  EXPECT_TRUE(Metrics().at(0)["difference"].is_null());
}

TEST_F(TrainTest, DataOfAnotherLanguageIsRefused) {
  ASSERT_EQ(Run(Joined({"data", "--out", Path("data")}, kTask)).exit_code, 0);
  std::ofstream(Path("data/datasets/validation/main.tok"), std::ios::app) << "0 # 1\n";
  const ProgramResult result =
      Train({"--data", Path("data"), "--model", "lstm", "--max-epochs", "1"});
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "datasets/validation/main.tok:21: the string is not in the language");
  EXPECT_FALSE(fs::exists(Path("run")));
}

TEST_F(TrainTest, TrainsOnAGrammarThatIsGoneLater) {
  const std::string grammar = WriteFile("g.cfg", "S -> a S b [0.5] | c [0.5]\n");
  TrainWell({"--grammar", grammar, "--lengths", "1:9", "--test-lengths", "1:11", "--training-size",
             "20", "--validation-size", "10", "--test-size", "1", "--model", "rns-1-2",
             "--max-epochs", "2"});
  fs::remove(grammar);
  EXPECT_EQ(Resume().exit_code, 0);
  EXPECT_EQ(Run({"evaluate", Path("run")}).exit_code, 0);
}

TEST_F(TrainTest, DoesNotDependOnThreads) {
  const Arguments arguments =
      Joined(kTask, {"--model", "vrns-2-2-2", "--max-epochs", "3", "--batch-size", "7"});
  TrainWell(Joined(arguments, {"--threads", "1"}), "one");
  TrainWell(Joined(arguments, {"--threads", "2"}), "two");
  TrainWell(Joined(arguments, {"--threads", "5"}), "five");
  ExpectSameResults("one", "two");
  ExpectSameResults("one", "five");
}

TEST_F(TrainTest, RestartsAreTheSameInParallel) {
  const Arguments arguments =
      Joined(kTask, {"--model", "rns-1-2", "--max-epochs", "3", "--restarts", "4"});
  const ProgramResult sequence = TrainWell(Joined(arguments, {"--jobs", "1"}), "sequence");
  TrainWell(Joined(arguments, {"--jobs", "3", "--threads", "2"}), "parallel");
  double best = INFINITY;
  int best_restart = 0;
  for (int restart = 1; restart <= 4; ++restart) {
    const std::string name = "/restart-" + std::to_string(restart);
    ExpectSameResults("sequence" + name, "parallel" + name);
    const double value = Json("sequence" + name + "/summary.json")["difference"];
    if (value < best) best_restart = restart;
    best = std::min(best, value);
  }
  EXPECT_EQ(Json("sequence/summary.json")["best"], best_restart);
  EXPECT_EQ(Json("parallel/summary.json")["best"], best_restart);
  EXPECT_NE(sequence.out.find("\n" + std::to_string(best_restart) + " *"), std::string::npos)
      << sequence.out;
  // They differ from each other, in data, parameters and rate.
  EXPECT_NE(Text("sequence/restart-1/metrics.jsonl"), Text("sequence/restart-2/metrics.jsonl"));
  const json first = Json("sequence/restart-1/config.json")["settings"];
  const json second = Json("sequence/restart-2/config.json")["settings"];
  for (const char* key : {"data-seed", "parameter-seed", "shuffle-seed", "learning-rate"}) {
    EXPECT_NE(first[key], second[key]) << key;
  }
  // The learning rates are within the paper's range.
  EXPECT_GE(first["learning-rate"], 5e-4);
  EXPECT_LE(first["learning-rate"], 1e-2);
}

TEST_F(TrainTest, ARestartCanBeRepeatedAlone) {
  TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "2", "--restarts", "2"}), "both");
  const json settings = Json("both/restart-2/config.json")["settings"];
  Arguments arguments = Joined(kTask, {"--model", "lstm", "--max-epochs", "2"});
  for (const char* key : {"learning-rate", "data-seed", "parameter-seed", "shuffle-seed"}) {
    arguments = Joined(arguments, {std::string("--") + key, settings[key].dump()});
  }
  TrainWell(arguments, "alone");
  ExpectSameResults("both/restart-2", "alone");
}

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
      EXPECT_EQ(result.exit_code, 128 + GetParam()) << result.err;
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
                         ::testing::Values(SIGINT, SIGTERM, SIGKILL), [](const auto& signal) {
                           return signal.param == SIGINT    ? "Interrupt"
                                  : signal.param == SIGTERM ? "Terminate"
                                                            : "Kill";
                         });

TEST_F(TrainTest, TimeLimitStopsWithinAnEpoch) {
  Arguments arguments = kLongTask;
  arguments[7] = "20000";  // the training set: an epoch takes seconds
  arguments[15] = "1";     // epoch
  const ProgramResult result = Train(Joined(arguments, {"--time-limit", "0.2s"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("stopped by the time limit"), std::string::npos) << result.err;
  EXPECT_TRUE(fs::exists(Path("run/checkpoint.safetensors")));
  EXPECT_FALSE(fs::exists(Path("run/summary.json")));
  EXPECT_FALSE(fs::exists(Path("run/model.safetensors")));
  // Every session gets on, so that a loop of short ones ends.
  const ProgramResult again = Resume({"--time-limit", "0.000001s"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
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

// Each restart has a validation set of its own, so cross-entropies cannot be compared, but their
// distances to the optimum can. With these seeds, the two disagree.
TEST_F(TrainTest, TheBestRestartIsTheClosestToItsOptimum) {
  bool disagree = false;
  for (int seed = 1; seed <= 8 && !disagree; ++seed) {
    const std::string name = "run-" + std::to_string(seed);
    TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "1", "--restarts", "4", "--seed",
                             std::to_string(seed)}),
              name);
    int closest = 1;
    int lowest = 1;
    const auto summary = [&](int restart) {
      return Json(name + "/restart-" + std::to_string(restart) + "/summary.json");
    };
    for (int n = 2; n <= 4; ++n) {
      if (summary(n)["difference"] < summary(closest)["difference"]) closest = n;
      if (summary(n)["validation_cross_entropy"] < summary(lowest)["validation_cross_entropy"]) {
        lowest = n;
      }
    }
    EXPECT_EQ(Json(name + "/summary.json")["best"], closest);
    const ProgramResult evaluated = Run({"evaluate", Path(name)});
    EXPECT_NE(evaluated.out.find("restart-" + std::to_string(closest)), std::string::npos)
        << evaluated.out;
    disagree = closest != lowest;
  }
  EXPECT_TRUE(disagree) << "the seeds do not show it";
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

// --- Configuration files and usage.

TEST_F(TrainTest, ConfigurationFilesSetOptions) {
  const std::string file = WriteFile("c.toml",
                                     "# all kinds of values\n"
                                     "task = 'marked-reversal'\n"
                                     "model = \"lstm\"\n"
                                     "lengths = \"3:9\"\ntest-lengths = '3'\n"
                                     "training-size = 20\nvalidation-size = 10\ntest-size = 1\n"
                                     "param = ['p=0.5']\n"
                                     "learning-rate = 0.25e-1\n"
                                     "max-epochs = 1\nseed = 9\n");
  TrainWell({"--config", file, "--seed", "11"});
  const json settings = Json("run/config.json")["settings"];
  EXPECT_EQ(settings["learning-rate"], 0.025);
  EXPECT_EQ(settings["seed"], 11) << "the command line goes before the file";
  EXPECT_EQ(settings["language"]["parameters"]["p"], 0.5);
  EXPECT_EQ(settings["training-size"], 20);
}

TEST_F(TrainTest, ConfigurationFilesAreChecked) {
  const std::map<std::string, std::string> cases = {
      {"task = 'marked-reversal'\nlearning_rate = 1\n", ":2: learning_rate is not an option"},
      {"task = marked\n", ":1: "},
      {"model = 'lstm'\ntask = 'marked-reversal'\nbatch-size = 0\n",
       ":3: batch-size: --batch-size: expected an integer of at least 1"},
      {"seed = true\n", ":1: seed: expected a string or a number"},
      {"[table]\nx = 1\n", ": table is not an option"},
      {"resume = 1\n", ": resume is not an option that a file can have"},
      {"seed = [1, 2]\n", ":1: seed: expected one value"}};
  for (const auto& [text, message] : cases) {
    const ProgramResult result = Train({"--config", WriteFile("c.toml", text)});
    EXPECT_EQ(result.exit_code, 2) << text;
    ExpectMessage(result, message);
  }
  const ProgramResult missing = Train({"--config", Path("nothing.toml")});
  EXPECT_EQ(missing.exit_code, 2);
  ExpectMessage(missing, "nothing.toml");
}

TEST_F(TrainTest, BadUsageIsExplained) {
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"--task", "marked-reversal"}, "no model is given"},
      {{"--model", "lstm"}, "nothing to train on is given"},
      {Joined(kTask, {"--model", "rnn"}), "unknown model \"rnn\"; known are lstm, sup-h, "},
      {Joined(kTask, {"--model", "lstm", "--bottom", "old"}), "--bottom old is for rns and vrns"},
      {Joined(kTask, {"--model", "rns-2-2", "--initial-vector", "paper-code"}), "is for vrns"},
      {Joined(kTask, {"--model", "lstm", "--learning-rate", "0"}), "greater than 0"},
      {Joined(kTask, {"--model", "lstm", "--learning-rate", "nan"}), "expected a number"},
      {Joined(kTask, {"--model", "lstm", "--time-limit", "2x"}), "expected a time such as"},
      {Joined(kTask, {"--model", "lstm", "--time-limit", "5s2h"}), "expected a time such as"},
      {Joined(kTask, {"--model", "lstm", "--min-learning-rate", "1"}), "is greater than"},
      {Joined(kTask, {"--model", "lstm", "--data", "x"}), "do not go together"},
      {Joined(kTask, {"--model", "lstm", "--threads", "65"}), "an integer of at most 64"},
      {Joined(kTask, {"--model", "lstm", "--restarts", "9", "--jobs", "9", "--threads", "9"}),
       "9 jobs with 9 threads each are too many"},
      {{"--task", "marked-reversal", "--training-size", "2000000000", "--model", "lstm"},
       "of memory"},
      {{"--data", "x", "--model", "lstm"}, "is not a directory"},
      {{"--task", "dyck", "--lengths", "3", "--test-lengths", "4", "--model", "lstm"},
       "--lengths: the language has no string"},
      {{"--task", "marked-reversal", "--lengths", "1:9999", "--test-lengths", "9", "--model",
        "rns-9-9"},
       "of memory"},
  };
  for (const auto& [arguments, message] : cases) {
    const ProgramResult result = Train(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    ExpectMessage(result, message);
    EXPECT_FALSE(fs::exists(Path("run"))) << message;
  }
  const ProgramResult no_out = Run(Joined({"train", "--model", "lstm"}, kTask));
  EXPECT_EQ(no_out.exit_code, 2);
  ExpectMessage(no_out, "give --out DIR");
}

// Every number of the procedure has an effect.
TEST_F(TrainTest, OptionsOfTheProcedureMatter) {
  const Arguments base = Joined(kTask, {"--model", "vrns-1-2-2", "--max-epochs", "9", "--patience",
                                        "20", "--learning-rate", "0.02", "--decay-patience", "0"});
  TrainWell(base, "base");
  // Another improvement would be needed than there is, so that the rate falls.
  const std::vector<Arguments> variants = {
      {"--batch-size", "4"},    {"--clipping", "0.5"},     {"--beta1", "0.5"},
      {"--beta2", "0.5"},       {"--epsilon", "0.1"},      {"--decay-threshold", "0.5"},
      {"--shuffle-seed", "3"},  {"--parameter-seed", "3"}, {"--data-seed", "3"},
      {"--init", "paper-code"}, {"--hidden-units", "7"},   {"--initial-vector", "paper-code"},
      {"--bottom", "old"}};
  for (std::size_t n = 0; n < variants.size(); ++n) {
    const std::string name = "variant-" + std::to_string(n);
    TrainWell(Joined(base, variants[n]), name);
    EXPECT_NE(Text("base/metrics.jsonl"), Text(name + "/metrics.jsonl")) << variants[n][0];
  }
  TrainWell(Joined(base, {"--decay-threshold", "0.5", "--decay-factor", "0.5"}), "halved");
  const std::vector<json> metrics = Metrics("halved");
  EXPECT_DOUBLE_EQ(metrics.at(0)["learning_rate"], 0.02);
  EXPECT_DOUBLE_EQ(metrics.at(1)["learning_rate"], 0.02) << "the first epoch is an improvement";
  EXPECT_LT(metrics.at(8)["learning_rate"], 0.011);
  const double rate = metrics.at(8)["learning_rate"];
  EXPECT_DOUBLE_EQ(std::log2(0.02 / rate), std::round(std::log2(0.02 / rate)));
}

}  // namespace
}  // namespace pushdown::testing_cli
