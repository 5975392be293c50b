#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/formal_text.h"
#include "tests/cli/program.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;

const std::vector<std::string> kTasks = {"count-3",
                                         "marked-reverse-and-copy",
                                         "count-and-copy",
                                         "marked-copy",
                                         "unmarked-copy-different-alphabets",
                                         "unmarked-reverse-and-copy",
                                         "unmarked-copy",
                                         "marked-reversal",
                                         "dyck",
                                         "unmarked-reversal",
                                         "padded-reversal",
                                         "hardest-cfl"};

class TasksTest : public ProgramTest {};

TEST_F(TasksTest, ListsTheLanguagesOfThePaper) {
  const ProgramResult result = Run({"tasks"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const std::vector<std::string> lines = Lines(result.out);
  ASSERT_EQ(lines.size(), kTasks.size() + 1);
  // Columns begin where their titles do.
  const std::size_t alphabet = lines[0].find("alphabet");
  const std::size_t example = lines[0].find("example");
  const std::size_t parameters = lines[0].find("parameters");
  for (std::size_t n = 0; n < kTasks.size(); ++n) {
    EXPECT_EQ(lines[n + 1].substr(0, lines[n + 1].find(' ')), kTasks[n]);
  }
  EXPECT_EQ(lines[1].substr(alphabet, 7), "a b c  ");
  EXPECT_EQ(lines[1].substr(example, 19), "a a a b b b c c c  ");
  EXPECT_EQ(lines[1].substr(parameters), "-");
  EXPECT_EQ(lines[9].substr(alphabet, 13), "(1 )1 (2 )2  ");
  EXPECT_EQ(lines[9].substr(parameters), "symbols=2 s=1/2 t=39/40");
}

TEST_F(TasksTest, ExamplesAreStringsOfTheirLanguages) {
  const json list = json::parse(Run({"tasks", "--json"}).out);
  ASSERT_EQ(list.size(), kTasks.size());
  for (std::size_t n = 0; n < list.size(); ++n) {
    EXPECT_EQ(list[n]["name"], kTasks[n]);
    std::string example;
    for (const json& token : list[n]["example"]) example += token.get<std::string>() + " ";
    EXPECT_FALSE(example.empty());
    const ProgramResult score =
        Run({"score", "--task", kTasks[n], "--lengths", "0:20"}, example + "\n");
    EXPECT_EQ(score.exit_code, 0) << score.err;
  }
}

TEST_F(TasksTest, OneTaskHasTheMeaningOfItsParameters) {
  const ProgramResult result = Run({"tasks", "dyck", "--symbols", "3", "--param", "t=9/10"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"# dyck: ", "# --symbols 3: ", "(default 2)", "# --param s=0.5: ",
                           "# --param t=0.9: ", "(default 39/40)", "\nS -> "}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " in " << result.out;
  }
}

TEST_F(TasksTest, WhatIsShownOfAContextFreeTaskIsItsGrammar) {
  for (const std::string task :
       {"marked-reversal", "dyck", "unmarked-reversal", "padded-reversal", "hardest-cfl"}) {
    const std::string grammar = WriteFile("task.cfg", Run({"tasks", task}).out);
    const std::string strings =
        Run({"sample", "--task", task, "--lengths", "9:20", "--count", "5"}).out;
    const ProgramResult by_task = Run({"score", "--task", task, "--lengths", "9:20"}, strings);
    const ProgramResult by_grammar =
        Run({"score", "--grammar", grammar, "--lengths", "9:20", "--json"}, strings);
    EXPECT_EQ(by_grammar.exit_code, 0) << by_grammar.err;
    for (int n = 0; n < 5; ++n) {
      const double expected = std::stod(Split(Lines(by_task.out).at(n + 1), '\t').at(4));
      const json object = json::parse(Lines(by_grammar.out).at(n));
      EXPECT_NEAR(object["log_p_grammar"].get<double>(), expected, 1e-10) << task;
    }
  }
}

TEST_F(TasksTest, JsonOfOneTask) {
  const json dyck = json::parse(Run({"tasks", "dyck", "--symbols", "1", "--json"}).out);
  EXPECT_EQ(dyck["name"], "dyck");
  EXPECT_EQ(dyck["symbols"], 1);
  EXPECT_EQ(dyck["context_free"], true);
  EXPECT_EQ(dyck["alphabet"], json::parse(R"(["(1", ")1"])"));
  EXPECT_EQ(dyck["parameters"][1]["name"], "t");
  EXPECT_EQ(dyck["parameters"][1]["value"], 0.975);
  EXPECT_EQ(dyck["parameters"][1]["default"], "39/40");
  EXPECT_TRUE(dyck["grammar"].is_string());
  const json count = json::parse(Run({"tasks", "count-3", "--json"}).out);
  EXPECT_EQ(count["context_free"], false);
  EXPECT_TRUE(count["symbols"].is_null());
  EXPECT_FALSE(count.contains("grammar"));
}

TEST_F(TasksTest, LargeAlphabetsAreAbbreviated) {
  const std::string text = Run({"tasks", "marked-copy", "--symbols", "1000"}).out;
  EXPECT_NE(text.find("# alphabet: 0 1 2 3 4 5 6 7 ... 997 998 999 #\n"), std::string::npos)
      << text;
}

TEST_F(TasksTest, BadUsage) {
  struct {
    std::vector<std::string> arguments;
    std::string message;
  } cases[] = {
      {{"tasks", "dick"}, "unknown language \"dick\" (did you mean dyck?); known are count-3, "},
      {{"tasks", "--symbols", "3"}, "--symbols and --param need the NAME of a task"},
      {{"tasks", "dyck", "--param", "p=0.5"}, "dyck has no parameter \"p\""},
      {{"tasks", "count-3", "--symbols", "3"}, "count-3"},
      {{"tasks", "dyck", "dyck"}, "see pushdown tasks --help"},
  };
  for (const auto& [arguments, message] : cases) {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    ExpectMessage(result, message);
  }
  EXPECT_EQ(Run({"tasks"}, "", "/dev/full").exit_code, 1);
}

}  // namespace
}  // namespace pushdown::testing_cli
