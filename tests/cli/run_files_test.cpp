// Files of a run, and beside it, that are missing, are something else, or were left by others.

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "pushdown/output_file.h"
#include "tests/cli/train_fixture.h"

namespace pushdown::testing_cli {
namespace {

const Arguments kShort = Joined(kTask, {"--model", "lstm", "--max-epochs", "2"});

class RunFilesTest : public TrainTest {};

TEST_F(RunFilesTest, AFinishedRunWithoutItsCheckpointIsNotTrainedAgain) {
  TrainWell(kShort);
  fs::remove(Path("run/checkpoint.safetensors"));
  const auto before = Contents("run");
  const ProgramResult result = Resume();
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "checkpoint.safetensors is missing, without which the run cannot go on");
  EXPECT_EQ(before, Contents("run"));
  // Each of the files of an epoch tells that there was one.
  fs::remove(Path("run/summary.json"));
  fs::remove(Path("run/model.safetensors"));
  EXPECT_EQ(Resume().exit_code, 2);
}

// The same where nothing was trained yet is a run that was killed at its beginning.
TEST_F(RunFilesTest, ARunWithoutAnyEpochBegins) {
  TrainWell(kShort, "whole");
  TrainWell(kShort);
  for (const char* file : {"checkpoint.safetensors", "model.safetensors", "summary.json"}) {
    fs::remove(Path(std::string("run/") + file));
  }
  WriteFile("run/metrics.jsonl", "");
  EXPECT_EQ(Resume().exit_code, 0);
  ExpectSameResults("whole", "run");
}

// Opening a pipe that nobody writes to would wait for ever.
TEST_F(RunFilesTest, APipeInPlaceOfAFileIsRefused) {
  TrainWell(kShort);
  for (const char* name : {"config.json", "metrics.jsonl", "timing.jsonl", "model.safetensors",
                           "checkpoint.safetensors", "summary.json"}) {
    const std::string path = Path(std::string("run/") + name);
    fs::rename(path, Path("kept"));
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const ProgramResult resumed = Resume();
    EXPECT_EQ(resumed.exit_code, 2) << name;
    ExpectMessage(resumed, std::string(name) + ": is not a regular file");
    if (name == std::string("config.json") || name == std::string("model.safetensors")) {
      const ProgramResult evaluated = Run({"evaluate", Path("run")});
      EXPECT_EQ(evaluated.exit_code, 2) << name;
      ExpectMessage(evaluated, std::string(name) + ": is not a regular file");
    }
    fs::remove(path);
    fs::rename(Path("kept"), path);
  }
  EXPECT_EQ(Resume().exit_code, 0);
}

TEST_F(RunFilesTest, APipeInADataDirectoryIsRefused) {
  ASSERT_EQ(Run(Joined({"data", "--out", Path("data")}, kTask)).exit_code, 0);
  fs::remove(Path("data/main.tok"));
  ASSERT_EQ(mkfifo(Path("data/main.tok").c_str(), 0600), 0);
  const ProgramResult result = Train({"--data", Path("data"), "--model", "lstm"});
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "main.tok: is not a regular file");
}

// A pipe is a fine place for a result, if somebody reads it.
TEST_F(RunFilesTest, AnOutputPipeThatNobodyReadsIsRefused) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  const Arguments arguments = {"sample",  "--task", "dyck",  "--lengths", "4",
                               "--count", "2",      "--out", Path("pipe")};
  const ProgramResult result = Run(arguments);
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "pipe: cannot be written");
  const std::string script = "cat " + Path("pipe") + " > " + Path("read") + " & sleep 0.2; " +
                             PUSHDOWN_PROGRAM " sample --task dyck --lengths 4 --count 2 --out " +
                             Path("pipe") + "; wait";
  EXPECT_EQ(std::system(script.c_str()), 0);
  EXPECT_EQ(Lines(Text("read")).size(), 2u);
}

// A number that no process has any more.
pid_t EndedProcess() {
  const pid_t process = fork();
  if (process == 0) _exit(0);
  waitpid(process, nullptr, 0);
  return process;
}

// As TemporaryName makes them, of another process.
std::string LeftBy(pid_t process, const std::string& target) {
  const std::string ours = TemporaryName(target, 0);
  return ours.substr(0, ours.rfind('.') + 1) + std::to_string(process);
}

TEST_F(RunFilesTest, WhatAKilledProcessLeftBesideTheRunIsRemoved) {
  const std::string stale = LeftBy(EndedProcess(), Path("run"));
  const std::string alive = LeftBy(getpid(), Path("run"));
  const std::string elsewhere = Path("run.tmp.another-host.1");
  const std::string other_run = LeftBy(EndedProcess(), Path("run2"));
  for (const std::string& path : {stale, alive, elsewhere, other_run}) {
    fs::create_directory(path);
    WriteFile(fs::relative(path, Path("")).string() + "/config.json", "{}");
  }
  TrainWell(kShort);
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(alive)) << "it may still be at work";
  EXPECT_TRUE(fs::exists(elsewhere)) << "nobody knows whether it is at work";
  EXPECT_TRUE(fs::exists(other_run)) << "it is beside another run";
}

}  // namespace
}  // namespace pushdown::testing_cli
