#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace pushdown::testing_cli {
namespace {

const std::string kFile = R"({"stack": "sup-1", "sequences": []})";
const std::string kReadings = "{\"readings\": []}\n";

class CommandLineTest : public ProgramTest {};

TEST_F(CommandLineTest, HelpGoesToStandardOutput) {
  const std::vector<std::vector<std::string>> commands = {
      {"--help"},         {"stack", "--help"}, {"stack", "run", "--help"}, {"sample", "--help"},
      {"data", "--help"}, {"score", "--help"}, {"tasks", "--help"}};
  for (const std::vector<std::string>& command : commands) {
    const ProgramResult result = Run(command);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_NE(result.out.find("Usage: pushdown"), std::string::npos) << result.out;
  }
  const std::string help = Run({"stack", "run", "--help"}).out;
  for (const char* option : {"FILE", "--dtype", "--chunk", "--gradients", "--out", "\"window\""}) {
    EXPECT_NE(help.find(option), std::string::npos) << option;
  }
}

TEST_F(CommandLineTest, HelpOfACommandIsWhatItsOptionPrints) {
  const std::vector<std::vector<std::string>> commands = {
      {}, {"train"}, {"lm"}, {"lm", "train"}, {"experiment", "is-finished"}, {"help"}};
  for (const std::vector<std::string>& command : commands) {
    std::vector<std::string> help = {"help"};
    help.insert(help.end(), command.begin(), command.end());
    std::vector<std::string> option = command;
    option.emplace_back("--help");
    const ProgramResult result = Run(help);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, Run(option).out);
  }
}

TEST_F(CommandLineTest, HelpHasNoLongLines) {
  const std::vector<std::vector<std::string>> commands = {
      {"score"},        {"generate"},       {"evaluate"},
      {"inspect"},      {"analyze", "pca"}, {"analyze", "readings"},
      {"stack", "run"}, {"lm", "score"},    {"lm", "generate"}};
  for (std::vector<std::string> command : commands) {
    command.push_back("--help");
    std::istringstream lines(Run(command).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST_F(CommandLineTest, VersionNamesTheSimdTarget) {
  const ProgramResult result = Run({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.rfind("pushdown " PUSHDOWN_VERSION " (SIMD target: ", 0), 0u) << result.out;
  EXPECT_EQ(Run({"-V"}).out, result.out);
}

TEST_F(CommandLineTest, BadUsageIsOneLineWithAHint) {
  struct {
    std::vector<std::string> arguments;
    std::string message;
  } cases[] = {
      {{}, "see pushdown --help"},
      {{"unknown"},
       "pushdown has no command \"unknown\"; it has: tasks sample data score train evaluate "
       "generate inspect analyze params lm experiment compare report compile recognize stack "
       "bench help; "
       "see pushdown --help"},
      {{"trian"}, "pushdown has no command \"trian\" (did you mean train?); it has: tasks "},
      {{"help", "trian"},
       "pushdown has no command \"trian\" (did you mean train?); it has: tasks "},
      {{"help", "lm", "scroe"},
       "pushdown lm has no command \"scroe\" (did you mean score?); it has: train evaluate score "
       "generate; see pushdown lm --help"},
      {{"help", "train", "lm"},
       "pushdown train has no commands, and so not \"lm\"; see pushdown train --help"},
      {{"stack", "rnu", "a"},
       "pushdown stack has no command \"rnu\" (did you mean run?); it has: run"},
      {{"stack", "run", "a", "--chunk", "2.5"}, "expected an integer of at least 1"},
      {{"stack"}, "see pushdown stack --help"},
      {{"stack", "run"}, "FILE is required; see pushdown stack run --help"},
      {{"stack", "run", "a", "b"}, "see pushdown stack run --help"},
      {{"stack", "run", "a", "--unknown"}, "--unknown"},
      {{"stack", "run", "a", "--line\nbreak"}, "--line?break"},
      {{"stack", "run", "a", "--" + std::string(5000, 'x')}, "xxx..."},
      {{"stack", "run", "a", "--dtype", "half"}, "--dtype: "},
      {{"stack", "run", "a", "--chunk", "0"}, "--chunk: "},
      {{"stack", "run", "a", "--chunk", "-3"}, "--chunk: "},
      {{"stack", "run", "a", "--chunk", "2.5"}, "--chunk"},
      {{"stack", "run", "a", "--chunk"}, "--chunk"},
      {{"stack", "run", "a", "--out", ""}, "--out: "},
      {{"stack", "run", "/nonexistent/a.json"},
       "/nonexistent/a.json: cannot be read: No such file"},
      {{"stack", "run", "/"}, "/: cannot be read: Is a directory"},
  };
  for (const auto& [arguments, message] : cases) {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    ExpectMessage(result, message);
  }
}

TEST_F(CommandLineTest, UnknownSimdTargetIsRefused) {
  setenv("PUSHDOWN_SIMD", "mmx", 1);
  const ProgramResult version = Run({"--version"});
  const ProgramResult run = Run({"stack", "run", "-"}, kFile);
  unsetenv("PUSHDOWN_SIMD");
  for (const ProgramResult& result : {version, run}) {
    EXPECT_EQ(result.exit_code, 2);
    ExpectMessage(result, "pushdown: PUSHDOWN_SIMD: no SIMD target \"mmx\"");
  }
}

class OutputTest : public ProgramTest {};

TEST_F(OutputTest, OutWritesTheFileAndNothingElse) {
  const ProgramResult result = Run({"stack", "run", "-", "--out", Path("out")}, kFile);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(ReadText(Path("out")), kReadings);
  EXPECT_EQ(Files(), std::vector<std::string>{"out"});
}

TEST_F(OutputTest, OutReplacesAFileAndKeepsItsPermissions) {
  WriteFile("out", "old");
  ASSERT_EQ(chmod(Path("out").c_str(), 0640), 0);
  EXPECT_EQ(Run({"stack", "run", "-", "--out", Path("out")}, kFile).exit_code, 0);
  EXPECT_EQ(ReadText(Path("out")), kReadings);
  EXPECT_EQ(std::filesystem::status(Path("out")).permissions(), std::filesystem::perms(0640));
}

TEST_F(OutputTest, OutThroughALinkReplacesItsTarget) {
  WriteFile("target", "old");
  std::filesystem::create_symlink("target", Path("link"));
  EXPECT_EQ(Run({"stack", "run", "-", "--out", Path("link")}, kFile).exit_code, 0);
  EXPECT_EQ(ReadText(Path("target")), kReadings);
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
}

TEST_F(OutputTest, OutMayNotBeTheInput) {
  WriteFile("file", kFile);
  const ProgramResult result = Run({"stack", "run", Path("file"), "--out", Path("file")});
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "--out is the input file");
  EXPECT_EQ(ReadText(Path("file")), kFile);
}

TEST_F(OutputTest, AFailedRunLeavesTheOldFile) {
  WriteFile("out", "old");
  EXPECT_EQ(Run({"stack", "run", "-", "--out", Path("out")}, "{}").exit_code, 2);
  EXPECT_EQ(ReadText(Path("out")), "old");
  EXPECT_EQ(Files(), std::vector<std::string>{"out"});
}

TEST_F(OutputTest, AMissingDirectoryFails) {
  const ProgramResult result = Run({"stack", "run", "-", "--out", Path("no/out")}, kFile);
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "no/out: cannot be written: No such file or directory");
}

TEST_F(OutputTest, ADirectoryIsNotReplaced) {
  const ProgramResult result = Run({"stack", "run", "-", "--out", Path("")}, kFile);
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "cannot be written: Is a directory");
}

TEST_F(OutputTest, AFullDiskFails) {
  const ProgramResult run = Run({"stack", "run", "-"}, kFile, "/dev/full");
  EXPECT_EQ(run.exit_code, 1);
  ExpectMessage(run, "standard output: cannot be written: No space left on device");
  const ProgramResult out = Run({"stack", "run", "-", "--out", "/dev/full"}, kFile);
  EXPECT_EQ(out.exit_code, 1);
  ExpectMessage(out, "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  const ProgramResult help = Run({"--help"}, "", "/dev/full");
  EXPECT_EQ(help.exit_code, 1);
  ExpectMessage(help, "standard output: cannot be written");
}

TEST_F(OutputTest, AClosedPipeFails) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const ProgramResult result =
      Run({"stack", "run", "-"}, kFile, "/dev/fd/" + std::to_string(ends[1]));
  close(ends[1]);
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "standard output: cannot be written: Broken pipe");
}

}  // namespace
}  // namespace pushdown::testing_cli
