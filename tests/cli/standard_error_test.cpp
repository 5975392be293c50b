// That messages and progress never end a command: a standard error that is full, closed, or a
// terminal that goes away.

#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/cli/terminal.h"
#include "tests/cli/train_fixture.h"

namespace pushdown::testing_cli {
namespace {

// A training whose batches take some tenths of a second: it is in the middle of one when its
// terminal goes away.
const Arguments kSlowBatches = {"--task",          "marked-reversal",
                                "--lengths",       "20:30",
                                "--test-lengths",  "21",
                                "--training-size", "6000",
                                "--test-size",     "1",
                                "--model",         "rns-2-3",
                                "--batch-size",    "1000",
                                "--max-epochs",    "40",
                                "--threads",       "1"};

class StandardErrorTest : public TrainTest {
 protected:
  // Runs a shell command in which "$program" is the program.
  static int Shell(const std::string& command) {
    const int status = std::system(("program=" PUSHDOWN_PROGRAM "; " + command).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string ShellCommand(const Arguments& arguments) const {
    std::string command = "\"$program\"";
    for (const std::string& argument : arguments) command += " '" + argument + "'";
    return command + " > /dev/null";
  }
};

TEST_F(StandardErrorTest, AFullDiskUnderItKeepsTheExitCode) {
  EXPECT_EQ(Shell(ShellCommand({"train", "--task", "nope", "--model", "lstm", "--out", Path("q")}) +
                  " 2> /dev/full"),
            2);
  EXPECT_EQ(Shell(ShellCommand({"--nonsense"}) + " 2> /dev/full"), 2);
  EXPECT_EQ(Shell("\"$program\" tasks > /dev/full 2> /dev/full"), 1);
}

TEST_F(StandardErrorTest, ItMayBeClosed) {
  EXPECT_EQ(Shell(ShellCommand({"tasks", "--nonsense"}) + " 2>&-"), 2);
  EXPECT_EQ(Shell(ShellCommand({"tasks"}) + " 2>&-"), 0);
}

// Otherwise the first file that the program opens would become its standard error.
TEST_F(StandardErrorTest, AClosedOneDoesNotEndUpInFiles) {
  const Arguments arguments = Joined(kTask, {"--model", "lstm", "--max-epochs", "2"});
  TrainWell(arguments, "whole");
  EXPECT_EQ(Shell(ShellCommand(TrainArguments(arguments, "run")) + " 2>&-"), 0);
  ExpectSameResults("whole", "run");
  EXPECT_EQ(Text("whole/config.json"), Text("run/config.json"));
}

TEST_F(StandardErrorTest, ResultsThatCannotBeWrittenAreAnError) {
  EXPECT_EQ(Shell("\"$program\" tasks >&- 2> /dev/null"), 1);
  EXPECT_EQ(Shell("\"$program\" tasks > /dev/full 2> /dev/null"), 1);
}

TEST_F(StandardErrorTest, ATrainingGoesOnWithoutALog) {
  const Arguments arguments = Joined(kTask, {"--model", "lstm", "--max-epochs", "3"});
  TrainWell(arguments, "whole");
  EXPECT_EQ(Shell(ShellCommand(TrainArguments(arguments, "full")) + " 2> /dev/full"), 0);
  ExpectSameResults("whole", "full");
  // The reader of the log is gone after its first line.
  EXPECT_EQ(Shell("{ { " + ShellCommand(TrainArguments(arguments, "pipe")) + " 2>&3; echo $? > " +
                  Path("code") + "; } 3>&1 | head -n 1 > /dev/null; }"),
            0);
  EXPECT_EQ(Text("code"), "0\n");
  ExpectSameResults("whole", "pipe");
}

TEST_F(StandardErrorTest, ATrainingIsSavedWhenItsTerminalIsClosed) {
  Terminal terminal(TrainArguments(kSlowBatches, "run"));
  ASSERT_GT(terminal.process(), 0);
  const std::string shown = terminal.ReadUntil("epoch   1");
  ASSERT_NE(shown.find("epoch   1"), shown.npos) << shown;
  terminal.Close();
  kill(terminal.process(), SIGHUP);  // the shell's, beside the kernel's
  int status = 0;
  ASSERT_EQ(waitpid(terminal.process(), &status, 0), terminal.process());
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGHUP);
  EXPECT_TRUE(fs::exists(Path("run/checkpoint.safetensors")));
  const ProgramResult result = Resume({"--time-limit", "0.001s"});
  EXPECT_EQ(result.exit_code, 75) << result.err;
  EXPECT_NE(result.err.find("resumed after 1 epochs and "), std::string::npos) << result.err;
}

TEST_F(StandardErrorTest, HangupsAreIgnoredUnderNohup) {
  const Arguments arguments = Joined(kLongTask, {"--threads", "1"});
  TrainWell(arguments, "whole");
  const int code = Shell("trap '' HUP; " + ShellCommand(TrainArguments(arguments, "run")) +
                         " 2> /dev/null & child=$!; while ! [ -s " + Path("run/metrics.jsonl") +
                         " ]; do sleep 0.01; done; kill -HUP $child; wait $child");
  EXPECT_EQ(code, 0);
  ExpectSameResults("whole", "run");
}

}  // namespace
}  // namespace pushdown::testing_cli
