#include "cli/man_page.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/all_commands.h"
#include "tests/cli/program.h"
#include "tests/cli/shell.h"

namespace pushdown::testing_cli {
namespace {

namespace fs = std::filesystem;

const char* const kPages = PUSHDOWN_SHARE "/man/man1";

class ManPagesTest : public ProgramTest {
 protected:
  std::vector<CommandHelp> Commands() const {
    return HelpOfAllCommands(
        [this](const std::vector<std::string>& arguments) { return Run(arguments).out; });
  }

  static fs::path PageOf(const std::vector<std::string>& command) {
    std::string name = "pushdown";
    for (const std::string& word : command) name += "-" + word;
    return fs::path(kPages) / (name + ".1");
  }

  // The page as it is read; complaints come first.
  static std::string Rendered(const fs::path& page) {
    return RunShell("MANWIDTH=120 man --warnings -E UTF-8 -l " + Quoted(page.string()) + " 2>&1")
        .out;
  }
};

#define SKIP_WITHOUT(program) \
  if (!HasProgram(program)) GTEST_SKIP() << "there is no " program ", so nothing is tested"

TEST_F(ManPagesTest, EveryCommandHasOneAndNothingElse) {
  std::vector<std::string> expected;
  for (const auto& [command, help] : Commands()) expected.push_back(PageOf(command));
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(kPages)) found.push_back(entry.path());
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
}

TEST_F(ManPagesTest, ManHasNothingToSay) {
  SKIP_WITHOUT("man");
  for (const auto& entry : fs::directory_iterator(kPages)) {
    const ShellResult result = RunShell("MANWIDTH=80 man --warnings -E UTF-8 -l " +
                                        Quoted(entry.path()) + " 2>&1 > /dev/null");
    EXPECT_EQ(result.exit_code, 0) << entry.path();
    EXPECT_EQ(result.out, "") << entry.path();
  }
}

TEST_F(ManPagesTest, MandocHasNothingToSay) {
  SKIP_WITHOUT("mandoc");
  for (const auto& entry : fs::directory_iterator(kPages)) {
    EXPECT_EQ(RunShell("mandoc -T lint -W warning " + Quoted(entry.path())).out, "");
  }
}

TEST_F(ManPagesTest, PagesHaveTheirSectionsInOrder) {
  SKIP_WITHOUT("man");
  for (const auto& entry : fs::directory_iterator(kPages)) {
    const std::string page = Rendered(entry.path());
    std::size_t at = 0;
    for (const char* name :
         {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"}) {
      at = page.find("\n" + std::string(name) + "\n       ", at);
      ASSERT_NE(at, page.npos) << entry.path() << " has no " << name << " there";
    }
  }
}

// Options, and examples with all their quotes and backslashes, are those of the help.
TEST_F(ManPagesTest, PagesHaveTheOptionsAndExamplesOfTheHelp) {
  SKIP_WITHOUT("man");
  for (const auto& [command, help] : Commands()) {
    const std::string page = Rendered(PageOf(command));
    std::istringstream lines(help);
    bool in_examples = false;
    int examples = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) in_examples = false;
      if (in_examples) {
        ++examples;
        EXPECT_NE(page.find("         " + line.substr(2) + "\n"), page.npos) << line;
      }
      if (line == "Examples:") in_examples = true;
      if (line.starts_with("  --") && line.find("  ", 4) != line.npos) {
        const std::string name = line.substr(2, line.find_first_of(" =", 2) - 2);
        EXPECT_NE(page.find("\n       " + name), page.npos) << name;
      }
    }
    EXPECT_GT(examples, 0) << PageOf(command);
  }
}

TEST_F(ManPagesTest, NothingInATextIsARequestOfRoff) {
  SKIP_WITHOUT("man");
  const std::vector<std::string> hostile = {".SH BEGINS WITH A DOT", "'br begins with a quote",
                                            "a \\fBbackslash\\fR and \\n(.k", "`'\"^~-- stay ASCII",
                                            "Γ and 𝔹 and é"};
  cli::CommandDescription command = {.name = "pushdown test", .description = "Test"};
  command.footer = "Text:\n";
  for (const std::string& line : hostile) command.footer += "  " + line + "\n";
  for (const std::string& line : hostile) command.footer += "\n" + line + "\n";
  command.footer += "\nExamples:\n  .TH x\n";
  command.options.push_back({.names = {"-x"}, .description = ".so file", .group = "Options"});
  const std::string page = cli::ManPage(command, nullptr, "2000-01-01", "Pushdown 1");
  EXPECT_TRUE(std::all_of(page.begin(), page.end(), [](char c) { return c == '\n' || c >= ' '; }))
      << "it is not ASCII";
  const std::string text = Rendered(WriteFile("test.1", page));
  EXPECT_EQ(text.find("warning"), text.npos) << text;
  for (const std::string& line : hostile) {
    EXPECT_NE(text.find("\n         " + line + "\n"), text.npos) << line << " is not in\n" << text;
  }
  for (const char* line : {"       .SH BEGINS WITH A DOT\n", "       'br begins with a quote\n",
                           "       Γ and 𝔹 and é\n", "         .TH x\n", ".so file\n"}) {
    EXPECT_NE(text.find(line), text.npos) << line << " is not in\n" << text;
  }
}

}  // namespace
}  // namespace pushdown::testing_cli
