// docs/tutorial.md: its commands, all of them and in their order, in an empty directory.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/cli/program.h"
#include "tests/sanitized.h"

namespace pushdown::testing_cli {
namespace {

namespace fs = std::filesystem;

// What stands in blocks that begin with ```sh.
std::string CommandsOf(const std::string& document) {
  const std::string begin = "\n```sh\n";
  std::string commands;
  for (std::size_t at = document.find(begin); at != document.npos; at = document.find(begin, at)) {
    at += begin.size();
    commands += document.substr(at, document.find("```\n", at) - at);
  }
  return commands;
}

using TutorialTest = ProgramTest;

TEST_F(TutorialTest, EveryCommandRuns) {
  if (kSanitized) GTEST_SKIP() << "trains nine models";
  const fs::path bin = fs::path(PUSHDOWN_PROGRAM).parent_path();
  if (!fs::exists(bin.parent_path() / "share/pushdown/report.html")) {
    GTEST_SKIP() << "this program was built without the page (Debian: node-d3 esbuild)";
  }
  const std::string commands =
      CommandsOf(ReadText(fs::path(PUSHDOWN_SOURCES) / "docs/tutorial.md"));
  ASSERT_NE(commands.find("pushdown report "), std::string::npos) << commands;

  const std::string script =
      WriteFile("commands", "set -eu\nPATH=\"" + bin.string() +
                                ":$PATH\"\nmkdir \"$0.d\"\ncd \"$0.d\"\n" + commands);
  const std::string run = "bash " + script + " > " + Path("output") + " 2>&1 < /dev/null";
  ASSERT_EQ(std::system(run.c_str()), 0) << ReadText(Path("output"));
  EXPECT_NE(ReadText(Path("commands.d/report.html")).find("Agreement across clauses"),
            std::string::npos);
}

}  // namespace
}  // namespace pushdown::testing_cli
