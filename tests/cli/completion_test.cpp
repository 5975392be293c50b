#include "cli/completion.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "pushdown/formal/languages.h"
#include "tests/cli/all_commands.h"
#include "tests/cli/program.h"
#include "tests/cli/shell.h"

namespace pushdown::testing_cli {
namespace {

using Words = std::vector<std::string>;

const char* const kBashScript = PUSHDOWN_SHARE "/bash-completion/completions/pushdown";
const char* const kZshDirectory = PUSHDOWN_SHARE "/zsh/site-functions";

Words LinesOf(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Words Sorted(Words words) {
  std::sort(words.begin(), words.end());
  return words;
}

Words TasksThatBegin(const std::string& text) {
  Words names = LanguageNames();
  std::erase_if(names, [&text](const std::string& name) { return !name.starts_with(text); });
  return names;
}

// What bash offers for the last of the words after "pushdown". It asks readline for files with
// compopt, which works in an interactive shell only; here, what it is told is one of the offers.
Words BashOffers(const Words& words) {
  std::string command =
      "bash --norc -c 'set -u; source \"$1\"; shift; compopt() { echo \"$*\"; }; "
      "COMP_WORDS=(pushdown \"$@\"); COMP_CWORD=$#; _pushdown; printf \"%s\\n\" "
      "\"${COMPREPLY[@]}\"' bash " +
      Quoted(kBashScript);
  for (const std::string& word : words) command += " " + Quoted(word);
  const ShellResult result = RunShell(command + " 2>&1");
  EXPECT_EQ(result.exit_code, 0) << result.out;
  Words offers = LinesOf(result.out);
  std::erase(offers, "");
  return offers;
}

// What zsh offers at the end of a line.
Words ZshOffers(const std::string& line) {
  const ShellResult result = RunShell(Quoted(PUSHDOWN_COMPLETE_IN_ZSH) + " " +
                                      Quoted(kZshDirectory) + " " + Quoted(line) + " 2>&1");
  EXPECT_EQ(result.exit_code, 0) << line << ": " << result.out;
  return LinesOf(result.out);
}

bool Contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class BashCompletionTest : public ProgramTest {};

TEST_F(BashCompletionTest, OffersAllCommands) {
  for (const auto& [command, help] : HelpOfAllCommands(
           [this](const std::vector<std::string>& arguments) { return Run(arguments).out; })) {
    const Words commands = Subcommands(help);
    if (commands.empty()) continue;
    Words words = command;
    words.emplace_back("");
    EXPECT_EQ(BashOffers(words), commands) << help;
    words.insert(words.begin(), "help");
    EXPECT_EQ(BashOffers(words), commands) << help;
  }
}

TEST_F(BashCompletionTest, OffersWhatBeginsAsTheWordDoes) {
  EXPECT_EQ(BashOffers({"re"}), (Words{"report", "recognize"}));
  EXPECT_EQ(BashOffers({"experiment", "st"}), Words{"status"});
  EXPECT_EQ(BashOffers({"train", "--test-"}),
            (Words{"--test-lengths", "--test-size", "--test-seed"}));
  EXPECT_EQ(BashOffers({"--v"}), Words{"--version"});
  EXPECT_EQ(BashOffers({"unknown", "--v"}), Words{"--version"});
}

TEST_F(BashCompletionTest, OffersTheOptionsOfACommandWithoutArguments) {
  EXPECT_TRUE(Contains(BashOffers({"train", ""}), "--task"));
  EXPECT_FALSE(Contains(BashOffers({"evaluate", ""}), "--split"));
  EXPECT_TRUE(Contains(BashOffers({"evaluate", "runs", "-"}), "--split"));
}

TEST_F(BashCompletionTest, OffersValuesToChooseFrom) {
  const Words splits = {"training", "validation", "test"};
  EXPECT_EQ(BashOffers({"evaluate", "--split", ""}), splits);
  EXPECT_EQ(BashOffers({"lm", "evaluate", "--split", ""}), splits);
  EXPECT_EQ(BashOffers({"train", "--task", ""}), LanguageNames());
  EXPECT_EQ(BashOffers({"tasks", "dy"}), TasksThatBegin("dy"));
  EXPECT_EQ(BashOffers({"train", "--json", "--task", "mar"}), TasksThatBegin("mar"));
  EXPECT_EQ(BashOffers({"train", "--bottom", ""}), (Words{"fixed", "old"}));
  EXPECT_EQ(BashOffers({"train", "--model", "rns"}), (Words{"rns-1-3", "rns-2-3", "rns-3-3"}));
  EXPECT_EQ(BashOffers({"lm", "train", "--model", "sup"}), (Words{"sup-h-247", "sup-22"}));
  EXPECT_EQ(BashOffers({"bench", "-o", ""}), (Words{"md", "csv", "jsonl"}));
}

TEST_F(BashCompletionTest, TakesAnEqualsSign) {
  EXPECT_EQ(BashOffers({"evaluate", "--split", "="}), (Words{"training", "validation", "test"}));
  EXPECT_EQ(BashOffers({"evaluate", "--split", "=", "tr"}), Words{"training"});
  EXPECT_EQ(BashOffers({"evaluate", "--split", "=", "training", "--bound-"}),
            Words{"--bound-lengths"});
}

TEST_F(BashCompletionTest, LeavesFilesToReadline) {
  const Words files = {"-o default"};
  EXPECT_EQ(BashOffers({"evaluate", ""}), files);
  EXPECT_EQ(BashOffers({"train", "--grammar", "a"}), files);
  EXPECT_EQ(BashOffers({"experiment", "table", ""}), files);
  EXPECT_EQ(BashOffers({"experiment", "submit", "--", ""}), files);
  EXPECT_EQ(BashOffers({"train", "--out", ""}), Words{"-o dirnames"});
  EXPECT_EQ(BashOffers({"train", "--symbols", ""}), Words{});
}

TEST_F(BashCompletionTest, IsThatOfTheProgram) {
  EXPECT_EQ(
      RunShell("bash --norc -c 'source \"$1\"; complete -p pushdown' bash " + Quoted(kBashScript))
          .out,
      "complete -F _pushdown pushdown\n");
}

class ZshCompletionTest : public ProgramTest {
 protected:
  void SetUp() override {
    if (!HasProgram("zsh")) GTEST_SKIP() << "there is no zsh, so nothing is tested";
  }
};

TEST_F(ZshCompletionTest, HasNoSyntaxError) {
  EXPECT_EQ(RunShell("zsh -n " + Quoted(std::string(kZshDirectory) + "/_pushdown") + " 2>&1").out,
            "");
}

TEST_F(ZshCompletionTest, OffersCommandsOptionsAndValues) {
  EXPECT_EQ(ZshOffers("pushdown re"), (Words{"recognize", "report"}));
  EXPECT_EQ(ZshOffers("pushdown lm "), (Words{"evaluate", "generate", "score", "train"}));
  EXPECT_EQ(ZshOffers("pushdown help lm "), (Words{"evaluate", "generate", "score", "train"}));
  EXPECT_EQ(ZshOffers("pushdown train --test-"),
            (Words{"--test-lengths", "--test-seed", "--test-size"}));
  EXPECT_EQ(ZshOffers("pushdown evaluate --split "), (Words{"test", "training", "validation"}));
  EXPECT_EQ(ZshOffers("pushdown evaluate --split=t"), (Words{"test", "training"}));
  EXPECT_EQ(ZshOffers("pushdown train --json --task mar"), Sorted(TasksThatBegin("mar")));
  EXPECT_EQ(ZshOffers("pushdown bench -o "), (Words{"csv", "jsonl", "md"}));
  EXPECT_EQ(ZshOffers("pushdown train --symbols "), Words{});
}

TEST_F(ZshCompletionTest, OffersFilesAndDirectories) {
  WriteFile("a-file", "");
  std::filesystem::create_directory(Path("a-directory"));
  EXPECT_EQ(ZshOffers("pushdown evaluate " + Path("a")), (Words{"a-directory", "a-file"}));
  EXPECT_EQ(ZshOffers("pushdown train --out " + Path("a")), Words{"a-directory"});
}

TEST(Completion, DescriptionsMayContainWhatShellsRead) {
  cli::CommandDescription program = {.name = "pushdown", .description = "A program"};
  program.options.push_back({.names = {"-x", "--x"},
                             .description = "It's [a] $(false) \\ `test`: \"x\"",
                             .value = "A:B",
                             .group = "Options"});
  program.commands.push_back({.name = "pushdown it", .description = "It's 'one': $HOME"});
  EXPECT_NE(cli::BashCompletion(program).find("words='-x --x'"), std::string::npos);
  const std::string zsh = cli::ZshCompletion(program);
  EXPECT_NE(zsh.find(R"('(-x --x)--x=[It'\''s \[a\] $(false) \\ `test`: "x"]:A\:B: ')"), zsh.npos)
      << zsh;
  EXPECT_NE(zsh.find(R"('it:It'\''s '\''one'\'': $HOME')"), zsh.npos) << zsh;
}

}  // namespace
}  // namespace pushdown::testing_cli
