#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/cli/formal_text.h"
#include "tests/cli/program.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

class SampleTest : public ProgramTest {};

TEST_F(SampleTest, StringsAreOfTheLanguage) {
  const ProgramResult result =
      Run({"sample", "--task", "marked-copy", "--symbols", "3", "--lengths", "3:9"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const std::vector<std::string> lines = Lines(result.out);
  EXPECT_EQ(lines.size(), 10u);
  for (const std::string& line : lines) {
    const std::size_t marker = line.find(" # ");
    ASSERT_NE(marker, std::string::npos) << line;
    const std::string word = line.substr(0, marker);
    EXPECT_EQ(line, word + " # " + word);
    EXPECT_EQ(word.find_first_not_of("012 "), std::string::npos) << line;
    EXPECT_GE(Tokens(line).size(), 3u);
    EXPECT_LE(Tokens(line).size(), 9u);
  }
}

TEST_F(SampleTest, TheCommandOfTheHelpGivesTenStrings) {
  const ProgramResult result = Run({"sample", "--task", "dyck", "--symbols", "40", "--lengths",
                                    "40:80", "--count", "10", "--seed", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::set<std::size_t> lengths;
  for (const std::string& line : Lines(result.out)) {
    std::vector<std::string> open;
    for (const std::string& token : Tokens(line)) {
      if (token[0] == '(') {
        open.push_back(token.substr(1));
      } else {
        ASSERT_FALSE(open.empty()) << line;
        EXPECT_EQ(token, ")" + open.back()) << line;
        open.pop_back();
      }
    }
    EXPECT_TRUE(open.empty()) << line;
    lengths.insert(Tokens(line).size());
  }
  EXPECT_EQ(Lines(result.out).size(), 10u);
  EXPECT_GE(*lengths.begin(), 40u);
  EXPECT_LE(*lengths.rbegin(), 80u);
  EXPECT_GT(lengths.size(), 1u) << "each string has a length of its own";
}

TEST_F(SampleTest, TheSeedDecidesEverything) {
  const auto run = [this](const std::string& seed) {
    return Run({"sample", "--task", "hardest-cfl", "--seed", seed}).out;
  };
  EXPECT_EQ(run("7"), run("7"));
  EXPECT_NE(run("7"), run("8"));
  EXPECT_EQ(run("010"), run("10"));
  EXPECT_EQ(Lines(run("18446744073709551615")).size(), 10u);
}

TEST_F(SampleTest, LogProbabilityOfMarkedCopy) {
  // w # w with w of n symbols: one of 2^n strings of its length, one of the lengths 3, 5, 7, 9.
  const ProgramResult result =
      Run({"sample", "--task", "marked-copy", "--lengths", "3:9", "--count", "50", "--log-prob"});
  EXPECT_EQ(Lines(result.out).size(), 50u);
  for (const std::string& line : Lines(result.out)) {
    const std::vector<std::string> cells = Split(line, '\t');
    ASSERT_EQ(cells.size(), 2u) << line;
    const double n = static_cast<double>(Tokens(cells[1]).size() - 1) / 2;
    EXPECT_NEAR(std::stod(cells[0]), -n * std::log(2) - std::log(4), 1e-12) << line;
  }
}

TEST_F(SampleTest, LogProbabilityOfDyck) {
  // (i )i has weight (1-s)(1-t)/k = 1/160, all alike. With s = 1/2, t = 39/40 and k = 2, nested
  // (i (j )j )i has (1-s) t/k (1-s) (1-t)/k = 39/25600 and (i )i (j )j has s (1-s) ((1-t)/k)^2 =
  // 1/25600; there are four of each.
  const ProgramResult result = Run(
      {"sample", "--task", "dyck", "--lengths", "2:4", "--count", "200", "--log-prob", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::set<std::string> seen;
  for (const std::string& line : Lines(result.out)) {
    const json object = json::parse(line);
    const auto tokens = object["tokens"].get<std::vector<std::string>>();
    ASSERT_EQ(object["length"], tokens.size());
    double given_length = 0.5;
    if (tokens.size() == 4) given_length = tokens[1][0] == '(' ? 39.0 / 160 : 1.0 / 160;
    EXPECT_NEAR(object["log_prob"].get<double>(), std::log(given_length / 2), 1e-12) << line;
    seen.insert(object["tokens"].dump());
  }
  EXPECT_GE(seen.size(), 6u);
}

TEST_F(SampleTest, JsonHasNoLogProbabilityUnlessAsked) {
  const ProgramResult result =
      Run({"sample", "--task", "count-3", "--lengths", "3", "--count", "1", "--json"});
  EXPECT_EQ(json::parse(result.out), json::parse(R"({"length": 3, "tokens": ["a", "b", "c"]})"));
}

TEST_F(SampleTest, TheEmptyStringIsAnEmptyLine) {
  EXPECT_EQ(Run({"sample", "--task", "count-3", "--lengths", "0:2", "--count", "2"}).out, "\n\n");
  EXPECT_EQ(
      Run({"sample", "--task", "count-3", "--lengths", "0", "--count", "1", "--log-prob"}).out,
      "0\t\n");
  EXPECT_EQ(Run({"sample", "--task", "count-3", "--lengths", "3", "--count", "0"}).out, "");
}

TEST_F(SampleTest, ParametersChangeTheDistribution) {
  // Without nesting there is one string of brackets for each sequence of types.
  const Arguments arguments = {"sample",  "--task",  "dyck",      "--symbols", "1",
                               "--param", "t=0",     "--lengths", "6",         "--param",
                               "s=1/4",   "--count", "1"};
  EXPECT_EQ(Run(arguments).out, "(1 )1 (1 )1 (1 )1\n");
}

TEST_F(SampleTest, GrammarFromAFileAndFromStandardInput) {
  const std::string grammar = "S -> a S b [0.4] | eps [0.6]\n";
  const Arguments arguments = {"--lengths", "4:5", "--count", "1", "--log-prob"};
  for (const std::string& file : {WriteFile("ab.cfg", grammar), std::string("-")}) {
    Arguments all = {"sample", "--grammar", file};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramResult result = Run(all, grammar);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const std::vector<std::string> cells = Split(Lines(result.out).at(0), '\t');
    EXPECT_EQ(cells.at(1), "a a b b");
    EXPECT_NEAR(std::stod(cells.at(0)), 0, 1e-12);
  }
}

TEST_F(SampleTest, WarningsOfTheGrammarGoToStandardError) {
  const std::string file = WriteFile("g.cfg", "S -> a\nUnused -> b\n");
  const ProgramResult result = Run({"sample", "--grammar", file, "--lengths", "1", "--count", "2"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "a\na\n");
  EXPECT_EQ(result.err.rfind("pushdown: warning: " + file + ":2:1: ", 0), 0u) << result.err;
}

TEST_F(SampleTest, TokensOfAllScripts) {
  const std::string file = WriteFile("g.cfg", "S -> \xd0\xba\xd0\xbe\xd1\x82 \"h\xc3\xa4user\"\n");
  const Arguments arguments = {"sample", "--grammar", file, "--lengths", "2", "--count", "1"};
  EXPECT_EQ(Run(arguments).out, "\xd0\xba\xd0\xbe\xd1\x82 h\xc3\xa4user\n");
  Arguments with_json = arguments;
  with_json.emplace_back("--json");
  EXPECT_EQ(json::parse(Run(with_json).out)["tokens"][1], "h\xc3\xa4user");
}

TEST_F(SampleTest, OutWritesAFile) {
  const ProgramResult result = Run(
      {"sample", "--task", "count-3", "--lengths", "6", "--count", "1", "--out", Path("strings")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(ReadText(Path("strings")), "a a b b c c\n");
  EXPECT_EQ(Files(), Arguments{"strings"});
}

TEST_F(SampleTest, AFullDiskFails) {
  const Arguments arguments = {"sample", "--task", "count-3", "--count", "10000"};
  const ProgramResult result = Run(arguments, "", "/dev/full");
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "standard output: cannot be written: No space left on device");
  Arguments with_out = arguments;
  with_out.insert(with_out.end(), {"--out", Path("strings")});
  LimitFileSize(4096);
  const ProgramResult limited = Run(with_out);
  EXPECT_EQ(limited.exit_code, 1);
  ExpectMessage(limited, "strings: cannot be written: File too large");
  EXPECT_EQ(Files(), Arguments{});
}

// What is wrong with the language is reported alike by the commands that take one.
struct BadLanguage {
  Arguments arguments;
  std::string message;
};

TEST_F(SampleTest, BadLanguagesAreOneLine) {
  const std::string grammar = WriteFile("ab.cfg", "S -> a S b | eps\n");
  const std::string broken = WriteFile("broken.cfg", "S -> a S b [0.4] |\n  eps [0.4\n");
  const std::string binary = WriteFile("binary.cfg", std::string("S -> \xff\x00\n", 8));
  const BadLanguage cases[] = {
      {{}, "give either --task NAME, one that `pushdown tasks` lists, or --grammar FILE"},
      {{"--task", "dyck", "--grammar", grammar}, "languages are given; give either --task NAME"},
      {{"--task", "dick"}, "unknown language \"dick\" (did you mean dyck?); known are count-3, "},
      {{"--task", "dyck\n"}, "unknown language \"dyck?\""},
      {{"--task", "dyck", "--symbols", "0"}, "--symbols: expected an integer of at least 1"},
      {{"--task", "dyck", "--symbols", "many"}, "--symbols: expected an integer of at least 1"},
      {{"--task", "dyck", "--symbols", "99999999999"}, "--symbols: expected an integer of at most"},
      {{"--task", "dyck", "--symbols", "2000000"}, "the number of symbols is 2000000"},
      {{"--task", "count-3", "--symbols", "2"}, "the number of symbols of count-3 cannot be"},
      {{"--task", "dyck", "--param", "x=0.5"}, "dyck has no parameter \"x\"; it has s, t"},
      {{"--task", "marked-copy", "--param", "p=0.5"}, "marked-copy has no parameter \"p\""},
      {{"--task", "dyck", "--param", "s"}, "--param: expected NAME=VALUE, found \"s\""},
      {{"--task", "dyck", "--param", "s=2"}, "--param: expected a probability such as 0.25"},
      {{"--task", "dyck", "--param", "s=-1"}, "--param: expected a probability"},
      {{"--task", "dyck", "--param", "s=nan"}, "--param: expected a probability"},
      {{"--task", "dyck", "--param", "s="}, "--param: expected a probability"},
      {{"--task", "dyck", "--param", "s=1"}, "parameter s of dyck is 1"},
      {{"--task", "dyck", "--param", "s=0.5", "--param", "s=0.4"}, "\"s\" is given twice"},
      {{"--grammar", grammar, "--symbols", "2"}, "--symbols and --param are for --task"},
      {{"--grammar", grammar, "--param", "p=0.5"}, "--symbols and --param are for --task"},
      {{"--grammar", "/nonexistent/a.cfg"}, "/nonexistent/a.cfg: cannot be read: No such file"},
      {{"--grammar", "/"}, "/: cannot be read: Is a directory"},
      {{"--grammar", broken}, "broken.cfg:2:"},
      {{"--grammar", binary}, "binary.cfg:1:6: the text is not UTF-8"},
      {{"--grammar", "-"}, "standard input:1:"},
      {{"--task", "dyck", "--lengths", "80:40"}, "--lengths: the range \"80:40\" is empty"},
      {{"--task", "dyck", "--lengths", "40-80"}, "--lengths: expected a length or a range"},
      {{"--task", "dyck", "--lengths", "40:"}, "--lengths: expected a length or a range"},
      {{"--task", "dyck", "--lengths", ":80"}, "--lengths: expected a length or a range"},
      {{"--task", "dyck", "--lengths", "1:2:3"}, "--lengths: expected a length or a range"},
      {{"--task", "dyck", "--lengths", "-4:8"}, "--lengths: expected a length or a range"},
      {{"--task", "dyck", "--lengths", "0:10001"}, "--lengths: expected an integer of at most 100"},
      {{"--task", "dyck", "--lengths", ""}, "--lengths"},
      {{"--task", "marked-reversal", "--lengths", "4:4"},
       "--lengths: the language has no string with a length in 4:4; it has some of length 3"},
      {{"--grammar", grammar, "--lengths", "5"}, "no string with a length in 5:5"},
  };
  for (const std::string command : {"sample", "score", "data"}) {
    for (const BadLanguage& bad : cases) {
      Arguments arguments = {command};
      if (command == "data") arguments.insert(arguments.end(), {"--out", Path("new/data")});
      arguments.insert(arguments.end(), bad.arguments.begin(), bad.arguments.end());
      // The strings of `score` come from standard input if nothing else is said.
      const bool reads_input =
          std::find(arguments.begin(), arguments.end(), "-") != arguments.end();
      if (command == "score" && reads_input) arguments.push_back(grammar);
      const ProgramResult result = Run(arguments);
      EXPECT_EQ(result.exit_code, 2) << command << " " << bad.message;
      EXPECT_EQ(result.out, "") << command << " " << bad.message;
      ExpectMessage(result, bad.message);
    }
  }
  std::vector<std::string> files = Files();
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, (Arguments{"ab.cfg", "binary.cfg", "broken.cfg"}));
}

TEST_F(SampleTest, BadNumbersAreRefused) {
  for (const char* count : {"-1", "1.5", "ten", "", "99999999999999999999"}) {
    const ProgramResult result = Run({"sample", "--task", "count-3", "--count", count});
    EXPECT_EQ(result.exit_code, 2) << count;
    ExpectMessage(result, "--count");
  }
  const ProgramResult seed = Run({"sample", "--task", "count-3", "--seed", "18446744073709551616"});
  EXPECT_EQ(seed.exit_code, 2);
  ExpectMessage(seed, "--seed: expected an integer of at most 18446744073709551615");
}

TEST_F(SampleTest, OutMayNotBeTheGrammar) {
  const std::string grammar = WriteFile("ab.cfg", "S -> a\n");
  const ProgramResult result = Run({"sample", "--grammar", grammar, "--out", grammar});
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "--out is the input file");
  EXPECT_EQ(ReadText(grammar), "S -> a\n");
}

TEST_F(SampleTest, AnInterruptLeavesNothingBehind) {
  const std::string out = Path("out.txt");
  for (int signal : {SIGINT, SIGTERM}) {
    const pid_t child = Start({"sample", "--task", "dyck", "--count", "1000000000", "--out", out});
    while (Files().empty()) usleep(1000);  // until something is written
    kill(child, signal);
    const ProgramResult result = Finish(child);
    EXPECT_EQ(result.exit_code, 128 + signal);
    ExpectMessage(result, "interrupted");
    EXPECT_EQ(Files(), Arguments());
  }
}

}  // namespace
}  // namespace pushdown::testing_cli
