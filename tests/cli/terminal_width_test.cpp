// That what is shown fits the terminal that it is shown on.

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/all_commands.h"
#include "tests/cli/terminal.h"
#include "tests/cli/train_fixture.h"

namespace pushdown::testing_cli {
namespace {

// Characters, without those that erase a line.
std::size_t Width(std::string line) {
  const std::string erase = "\033[K";
  for (std::size_t n = line.find(erase); n != line.npos; n = line.find(erase)) {
    line.erase(n, erase.size());
  }
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

// The lines and the drawings of a bar, which begin at the left edge again.
std::vector<std::string> Drawn(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

void ExpectFits(const std::string& text, std::size_t columns) {
  for (const std::string& line : Drawn(text)) EXPECT_LE(Width(line), columns) << line;
}

const unsigned short kWidths[] = {120, 80, 60, 40};

class TerminalWidthTest : public TrainTest {};

TEST_F(TerminalWidthTest, ATrainingFitsIt) {
  for (const unsigned short columns : kWidths) {
    SCOPED_TRACE(columns);
    const std::string out = "run-" + std::to_string(columns);
    Terminal terminal(
        TrainArguments(Joined(kTask, {"--model", "rns-2-2", "--max-epochs", "2"}), out),
        {24, columns, 0, 0});
    const std::string text = terminal.ReadAll();
    EXPECT_NE(text.find("epoch   2  "), text.npos) << text;
    EXPECT_NE(text.find("difference"), text.npos) << text;
    ExpectFits(text, columns);
  }
}

TEST_F(TerminalWidthTest, AnInspectionFitsIt) {
  ASSERT_EQ(Train(Joined(kTask, {"--model", "rns-2-2", "--max-epochs", "1"})).exit_code, 0);
  for (const unsigned short columns : kWidths) {
    if (columns < 60) continue;  // numbers alone take more than 40
    SCOPED_TRACE(columns);
    Terminal terminal({"inspect", Path("run"), "0 1 0 0 # 0 0 1 0", "--runs", "2"},
                      {24, columns, 0, 0});
    const std::string text = terminal.ReadAll();
    EXPECT_NE(text.find("Run 2"), text.npos) << text;
    ExpectFits(text, std::min<std::size_t>(columns, 80));
  }
}

TEST_F(TerminalWidthTest, AnInspectionOfNamesWithoutRoomIsComplete) {
  ASSERT_EQ(Train(Joined(kTask, {"--symbols", "12", "--model", "rns-1-2", "--max-epochs", "1"}))
                .exit_code,
            0);
  for (unsigned short columns = 40; columns <= 50; ++columns) {
    SCOPED_TRACE(columns);
    Terminal terminal({"inspect", Path("run"), "10 1 # 1 10"}, {24, columns, 0, 0});
    const std::string text = terminal.ReadAll();
    EXPECT_NE(text.find("pushed in step"), text.npos) << text;
    EXPECT_EQ(text.find("pushdown: "), text.npos) << text;
  }
}

TEST_F(TerminalWidthTest, ABarFollowsItsChanges) {
  // Epochs that take more than the second after which there is a bar.
  Terminal terminal(
      TrainArguments({"--task", "marked-reversal", "--lengths", "40:60", "--test-lengths", "41",
                      "--training-size", "4000", "--validation-size", "10", "--test-size", "1",
                      "--model", "rns-3-3", "--max-epochs", "1000", "--threads", "1"},
                     "run"),
      {24, kWidths[0], 0, 0});
  const std::string redraw = "\r\033[K";
  ASSERT_NE(terminal.ReadUntil(redraw).find(redraw), std::string::npos) << "no bar";
  for (const unsigned short columns : kWidths) {
    SCOPED_TRACE(columns);
    terminal.SetColumns(columns);
    terminal.ReadUntil(redraw);  // what was on its way
    std::string text;
    for (int n = 0; n < 3; ++n) text += terminal.ReadUntil(redraw);
    EXPECT_NE(text.find(" %"), text.npos) << text;
    ExpectFits(text, columns);
  }
  kill(terminal.process(), SIGKILL);
  waitpid(terminal.process(), nullptr, 0);
}

TEST_F(TerminalWidthTest, SeveralRestartsFitIt) {
  Terminal terminal(TrainArguments(Joined(kTask, {"--model", "lstm", "--max-epochs", "2",
                                                  "--restarts", "2", "--jobs", "1"}),
                                   "run"),
                    {24, 60, 0, 0});
  const std::string text = terminal.ReadAll();
  EXPECT_NE(text.find("restart  2  epoch   2  "), text.npos) << text;
  EXPECT_NE(text.find("Left out for lack of room: "), text.npos) << text;
  ExpectFits(text, 60);
}

TEST_F(TerminalWidthTest, LogsAreComplete) {
  const ProgramResult result = TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "2"}));
  for (const char* part :
       {"loss ", "validation ", "difference ", "rate ", "strings/s", "at most"}) {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << " in " << result.err;
  }
  EXPECT_NE(result.out.find("1st rate"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("Left out"), std::string::npos) << result.out;
  ExpectFits(result.out, 80);
}

TEST_F(TerminalWidthTest, TablesFitIt) {
  const std::vector<Arguments> commands = {
      {"tasks"},
      {"params", "--model", "vrns-2-3-3"},
      {"data", "--task", "dyck", "--lengths", "2:6", "--out", Path("data")},
      {"bench", "--models", "rns-2-3", "--lengths", "2", "--threads", "1", "--seconds", "0.001"},
      {"bench", "--lm", "--models", "lstm-4", "--lengths", "2", "--threads", "1", "--batch", "1",
       "--vocabulary", "5", "--seconds", "0.001"}};
  for (const Arguments& command : commands) {
    SCOPED_TRACE(command[0]);
    fs::remove_all(Path("data"));
    Terminal terminal(command, {24, 60, 0, 0});
    const std::string text = terminal.ReadAll();
    EXPECT_GT(text.size(), 200u) << text;
    ExpectFits(text, 60);
  }
}

TEST_F(TerminalWidthTest, AnalysesFitIt) {
  const ProgramResult trained =
      Run(TrainArguments(Joined(kTask, {"--model", "vrns-2-2-3", "--max-epochs", "1"}), "run"));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const std::string run = Path("run");
  const std::vector<Arguments> commands = {{"analyze", "pca", run},
                                           {"analyze", "readings", run},
                                           {"analyze", "readings", run, "--of", "hidden"},
                                           {"analyze", "readings", run, "--transitions"}};
  for (const Arguments& command : commands) {
    Terminal terminal(command, {24, 60, 0, 0});
    const std::string text = terminal.ReadAll();
    EXPECT_GT(text.size(), 200u) << text;
    ExpectFits(text, 60);
  }
}

TEST_F(TerminalWidthTest, TablesSayWhatTheyLeaveOut) {
  Terminal narrow({"tasks"}, {24, 80, 0, 0});
  const std::string text = narrow.ReadAll();
  EXPECT_EQ(text.find("symbols=2"), text.npos) << text;
  EXPECT_NE(text.find("Left out for lack of room: alphabet; example; parameters."), text.npos)
      << text;
  const std::string whole = Run({"tasks"}).out;
  EXPECT_EQ(whole.find("Left out"), whole.npos) << whole;
  Terminal wide({"tasks"}, {24, 200, 0, 0});
  std::string shown = wide.ReadAll();
  shown.erase(std::remove(shown.begin(), shown.end(), '\r'), shown.end());
  EXPECT_EQ(shown, whole);
}

TEST_F(TerminalWidthTest, HelpIsNotWiderThanAPageAndHasExamples) {
  const std::vector<CommandHelp> commands =
      HelpOfAllCommands([this](const Arguments& arguments) { return Run(arguments).out; });
  for (const auto& [command, help] : commands) {
    SCOPED_TRACE(command.empty() ? "pushdown" : command.back());
    EXPECT_NE(help.find("Examples:\n"), help.npos);
    ExpectFits(help, 100);
  }
  EXPECT_EQ(commands.size(), 1u + 19 + 2 + 4 + 7 + 1)
      << "the program, its commands, those of analyze, lm, experiment and stack";
}

}  // namespace
}  // namespace pushdown::testing_cli
