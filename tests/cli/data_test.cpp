#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/formal_text.h"
#include "tests/cli/program.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;
namespace fs = std::filesystem;

class DataTest : public ProgramTest {
 protected:
  ProgramResult Data(const Arguments& more, const std::string& out = "data") const {
    Arguments arguments = {"data", "--out", Path(out)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments);
  }

  std::vector<std::string> Strings(const std::string& file) const {
    return Lines(ReadText(Path("data/" + file)));
  }
};

const Arguments kSmall = {"--task",          "count-3", "--lengths",         "3:9",
                          "--training-size", "25",      "--validation-size", "13",
                          "--test-lengths",  "6:12",    "--test-size",       "2"};

TEST_F(DataTest, HasTheFilesOfTheField) {
  const ProgramResult result = Data(kSmall);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(Files(), Arguments{"data"});
  const auto contents = Contents("data");
  Arguments files;
  for (const auto& [name, text] : contents) files.push_back(name);
  EXPECT_EQ(files, (Arguments{"datasets/test/main.tok", "datasets/validation/main.tok", "main.tok",
                              "main.vocab", "task.json"}));
  EXPECT_EQ(contents.at("main.vocab"), "a\nb\nc\n");
  EXPECT_EQ(contents.at("datasets/test/main.tok"),
            "a a b b c c\na a b b c c\na a a b b b c c c\na a a b b b c c c\n"
            "a a a a b b b b c c c c\na a a a b b b b c c c c\n");
  EXPECT_EQ(Strings("main.tok").size(), 25u);
  EXPECT_EQ(Strings("datasets/validation/main.tok").size(), 13u);
}

TEST_F(DataTest, BatchesHaveOneLength) {
  ASSERT_EQ(
      Data({"--task", "marked-copy", "--training-size", "200", "--batch-size", "8"}).exit_code, 0);
  std::map<std::size_t, int> lengths;
  const std::vector<std::string> strings = Strings("main.tok");
  ASSERT_EQ(strings.size(), 200u);
  for (std::size_t n = 0; n < strings.size(); ++n) {
    const std::size_t length = Tokens(strings[n]).size();
    EXPECT_EQ(length, Tokens(strings[n / 8 * 8]).size()) << "line " << n + 1;
    EXPECT_GE(length, 40u);
    EXPECT_LE(length, 80u);
    ++lengths[length];
  }
  EXPECT_GT(lengths.size(), 1u);
}

TEST_F(DataTest, TheDefaultsAreThoseOfThePaper) {
  ASSERT_EQ(Data({"--task", "unmarked-copy"}).exit_code, 0);
  EXPECT_EQ(Strings("main.tok").size(), 10000u);
  EXPECT_EQ(Strings("datasets/validation/main.tok").size(), 1000u);
  const std::vector<std::string> test = Strings("datasets/test/main.tok");
  ASSERT_EQ(test.size(), 3100u);  // 100 for each of 40, 42, ..., 100
  for (std::size_t n = 0; n < test.size(); ++n) {
    EXPECT_EQ(Tokens(test[n]).size(), 40 + n / 100 * 2) << "line " << n + 1;
  }
  const json task = json::parse(ReadText(Path("data/task.json")));
  EXPECT_EQ(task["batch_size"], 10);
  EXPECT_EQ(task["splits"]["test"]["valid_lengths"], 31);
  EXPECT_EQ(task["splits"]["training"]["valid_lengths"], 21);
}

TEST_F(DataTest, TaskJsonRecordsEverything) {
  Arguments arguments = {"--task",      "dyck",   "--symbols",      "3",
                         "--param",     "t=9/10", "--seed",         "5",
                         "--lengths",   "4:6",    "--test-lengths", "2:8",
                         "--test-size", "3",      "--test-seed",    "18446744073709551615"};
  const ProgramResult result = Data(arguments);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json task = json::parse(ReadText(Path("data/task.json")));
  EXPECT_EQ(task["format"], 1);
  EXPECT_EQ(task["pushdown"], PUSHDOWN_VERSION);
  EXPECT_EQ(task["language"], "dyck");
  EXPECT_EQ(task["symbols"], 3);
  EXPECT_EQ(task["parameters"], json::parse(R"({"s": 0.5, "t": 0.9})"));
  EXPECT_EQ(task["seed"], 5);
  EXPECT_EQ(task["test_seed"], 18446744073709551615u);
  const json& test = task["splits"]["test"];
  EXPECT_EQ(test["file"], "datasets/test/main.tok");
  EXPECT_EQ(test["strings"], 12);
  EXPECT_EQ(test["symbols"], 3 * (3 + 5 + 7 + 9));
  EXPECT_EQ(test["lengths"], json::parse("[2, 8]"));
  EXPECT_EQ(test["valid_lengths"], 4);
  EXPECT_EQ(test["lower_bound_by_length"].size(), 4u);
  // Of length 2 there are three strings, all as likely, and there are four lengths.
  EXPECT_NEAR(test["lower_bound_by_length"]["2"].get<double>(), std::log(3 * 4) / 3, 1e-14);
}

TEST_F(DataTest, LowerBoundsOfCount3) {
  // A string for each length, so that p_L is 1/3 on 3:9 and on 6:12.
  const ProgramResult result = Data(kSmall);
  const json splits = json::parse(ReadText(Path("data/task.json")))["splits"];
  EXPECT_NEAR(splits["test"]["lower_bound"].get<double>(), 6 * std::log(3) / (2 * (7 + 10 + 13)),
              1e-15);
  for (const auto& [length, bound] : splits["test"]["lower_bound_by_length"].items()) {
    EXPECT_NEAR(bound.get<double>(), std::log(3) / (std::stod(length) + 1), 1e-15);
  }
  double symbols = 0;
  for (const std::string& line : Strings("main.tok")) {
    symbols += static_cast<double>(Tokens(line).size()) + 1;
  }
  EXPECT_EQ(splits["training"]["symbols"], symbols);
  EXPECT_NEAR(splits["training"]["lower_bound"].get<double>(), 25 * std::log(3) / symbols, 1e-14);
  // The table has them too.
  const std::vector<std::string> table = Lines(result.out);
  ASSERT_EQ(table.size(), 5u);
  EXPECT_EQ(table[1].rfind("training ", 0), 0u);
  EXPECT_EQ(std::stod(table[1].substr(table[1].rfind(' '))), splits["training"]["lower_bound"]);
}

TEST_F(DataTest, JsonPrintsTheTask) {
  Arguments arguments = kSmall;
  arguments.emplace_back("--json");
  const ProgramResult result = Data(arguments);
  EXPECT_EQ(result.out, ReadText(Path("data/task.json")));
  EXPECT_TRUE(json::parse(result.out).is_object());
}

TEST_F(DataTest, AGrammarIsRecordedSoThatItCanBeUsedAgain) {
  const std::string grammar = WriteFile("ab.cfg", "# Not recorded.\nS -> a S b [1/3] | c\n");
  const Arguments sizes = {"--lengths", "1:9", "--test-lengths", "1:9", "--training-size", "50"};
  Arguments arguments = sizes;
  arguments.insert(arguments.end(), {"--grammar", grammar});
  ASSERT_EQ(Data(arguments).exit_code, 0);
  const json task = json::parse(ReadText(Path("data/task.json")));
  EXPECT_EQ(task["language"], "grammar");
  EXPECT_EQ(task["grammar_file"], "ab.cfg");
  EXPECT_EQ(ReadText(Path("data/task.json")).find(Path("")), std::string::npos);
  EXPECT_FALSE(task.contains("symbols"));
  Arguments again = sizes;
  again.insert(again.end(),
               {"--grammar", WriteFile("again.cfg", task["grammar"].get<std::string>())});
  ASSERT_EQ(Data(again, "again").exit_code, 0);
  auto first = Contents("data");
  auto second = Contents("again");
  first.erase("task.json");
  second.erase("task.json");
  EXPECT_EQ(first, second);
}

TEST_F(DataTest, SeedsDecideTheirSetsOnly) {
  const auto make = [this](const std::string& name, const Arguments& seeds) {
    Arguments arguments = {"--task", "dyck", "--training-size", "30", "--test-size", "2"};
    arguments.insert(arguments.end(), seeds.begin(), seeds.end());
    EXPECT_EQ(Data(arguments, name).exit_code, 0);
    return Contents(name);
  };
  const auto base = make("base", {"--seed", "3", "--test-seed", "4"});
  EXPECT_EQ(make("same", {"--seed", "3", "--test-seed", "4"}), base);
  const auto other_test = make("other-test", {"--seed", "3", "--test-seed", "5"});
  EXPECT_EQ(other_test.at("main.tok"), base.at("main.tok"));
  EXPECT_NE(other_test.at("datasets/test/main.tok"), base.at("datasets/test/main.tok"));
  const auto other = make("other", {"--seed", "4", "--test-seed", "4"});
  EXPECT_NE(other.at("main.tok"), base.at("main.tok"));
  EXPECT_NE(other.at("datasets/validation/main.tok"), base.at("datasets/validation/main.tok"));
  EXPECT_EQ(other.at("datasets/test/main.tok"), base.at("datasets/test/main.tok"));
}

TEST_F(DataTest, MissingParentsAreCreated) {
  EXPECT_EQ(Data(kSmall, "a/b/data/").exit_code, 0);
  EXPECT_EQ(Contents("a/b/data").size(), 5u);
  EXPECT_EQ(Contents("a").size(), 5u);
}

TEST_F(DataTest, AnEmptyDirectoryIsFilledAndKeepsItsPermissions) {
  fs::create_directory(Path("data"));
  ASSERT_EQ(chmod(Path("data").c_str(), 0750), 0);
  EXPECT_EQ(Data(kSmall).exit_code, 0);
  EXPECT_EQ(Contents("data").size(), 5u);
  EXPECT_EQ(fs::status(Path("data")).permissions(), fs::perms(0750));
  EXPECT_EQ(Files(), Arguments{"data"});
}

TEST_F(DataTest, ALinkToAnEmptyDirectoryStays) {
  fs::create_directory(Path("target"));
  fs::create_symlink("target", Path("data"));
  EXPECT_EQ(Data(kSmall).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(Path("data")));
  EXPECT_EQ(Contents("target").size(), 5u);
}

TEST_F(DataTest, WhatExistsIsNotTouched) {
  fs::create_directory(Path("data"));
  WriteFile("data/precious", "text");
  WriteFile("file", "text");
  for (const char* out : {"data", "file", "data/precious"}) {
    // A language that does not exist: the directory is checked before anything else.
    const ProgramResult result = Data({"--task", "no-such-task"}, out);
    EXPECT_EQ(result.exit_code, 2);
    ExpectMessage(result, std::string(out) + ": exists and is not an empty directory");
    EXPECT_EQ(ReadText(Path("data/precious")), "text");
    EXPECT_EQ(ReadText(Path("file")), "text");
  }
}

TEST_F(DataTest, TheWorkingDirectoryIsNotReplaced) {
  fs::create_directory(Path("data"));
  SetWorkingDirectory(Path("data"));
  const ProgramResult result = Data(kSmall);
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "is the working directory");
  EXPECT_TRUE(fs::is_empty(Path("data")));
}

TEST_F(DataTest, ADirectoryBelowAFileIsRefused) {
  WriteFile("file", "text");
  const ProgramResult result = Data(kSmall, "file/data");
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "file/data: cannot be written: Not a directory");
  EXPECT_EQ(Files(), Arguments{"file"});
}

TEST_F(DataTest, AFullDiskLeavesNothingBehind) {
  LimitFileSize(1000);
  const Arguments arguments = {"--task", "dyck", "--training-size", "100"};
  const ProgramResult result = Data(arguments, "a/b/data");
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "a/b/data/main.tok: cannot be written: File too large");
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(Files(), Arguments{});

  fs::create_directory(Path("data"));
  EXPECT_EQ(Data(arguments).exit_code, 1);
  EXPECT_EQ(Files(), Arguments{"data"});
  EXPECT_TRUE(fs::is_empty(Path("data")));
}

TEST_F(DataTest, BadSizesAreRefused) {
  struct {
    Arguments arguments;
    std::string message;
  } cases[] = {
      {{"--training-size", "0"}, "--training-size: expected an integer of at least 1"},
      {{"--validation-size", "-5"}, "--validation-size: expected an integer of at least 1"},
      {{"--test-size", "x"}, "--test-size: expected an integer of at least 1"},
      {{"--batch-size", "0"}, "--batch-size: expected an integer of at least 1"},
      {{"--training-size", "2147483648"}, "--training-size: expected an integer of at most"},
      {{"--training-size", "2000000000", "--lengths", "3:9999"}, "GB of memory"},
      {{"--test-lengths", "9:3"}, "--test-lengths: the range \"9:3\" is empty"},
      {{"--test-lengths", "4:5"}, "--test-lengths: the language has no string"},
  };
  for (const auto& [arguments, message] : cases) {
    Arguments all = {"--task", "count-3"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramResult result = Data(all, "a/data");
    EXPECT_EQ(result.exit_code, 2) << message;
    ExpectMessage(result, message);
    EXPECT_EQ(Files(), Arguments{});
  }
  const ProgramResult without_out = Run({"data", "--task", "count-3"});
  EXPECT_EQ(without_out.exit_code, 2);
  ExpectMessage(without_out, "--out is required; see pushdown data --help");
}

}  // namespace
}  // namespace pushdown::testing_cli
