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
using Arguments = std::vector<std::string>;

const char* const kHeader = "line\tlength\tlog_p\tlog_p_given_length\tlog_p_grammar\tobjection";

struct Row {
  int line;
  int length;
  std::string log_p, log_p_given_length, log_p_grammar, objection;
};

class ScoreTest : public ProgramTest {
 protected:
  ProgramResult Score(const Arguments& more, const std::string& input) const {
    Arguments arguments = {"score"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments, input);
  }

  // The rows between the header and the lower bound.
  static std::vector<Row> Rows(const ProgramResult& result) {
    const std::vector<std::string> lines = Lines(result.out);
    std::vector<Row> rows;
    if (lines.size() < 2 || lines[0] != kHeader || lines.back()[0] != '#') {
      ADD_FAILURE() << "no table: " << result.out << result.err;
      return rows;
    }
    for (std::size_t n = 1; n + 1 < lines.size(); ++n) {
      std::vector<std::string> cells = Split(lines[n] + "\t", '\t');
      EXPECT_EQ(cells.size(), 6u) << lines[n];
      cells.resize(6);
      rows.push_back(
          {std::stoi(cells[0]), std::stoi(cells[1]), cells[2], cells[3], cells[4], cells[5]});
    }
    return rows;
  }

  static double LowerBound(const ProgramResult& result) {
    const std::string last = Lines(result.out).back();
    const std::string begin = "# lower bound H = ";
    EXPECT_EQ(last.rfind(begin, 0), 0u) << last;
    return std::stod(last.substr(begin.size()));
  }
};

TEST_F(ScoreTest, DyckByHand) {
  // As in the test of `sample`: with s = 1/2, t = 39/40 and two types, (i )i weighs 1/160 of the
  // two of its length, (i (j )j )i 39/25600 and (i )i (j )j 1/25600 of 160/25600. There are two
  // lengths.
  const ProgramResult result =
      Score({"--task", "dyck", "--lengths", "2:4"}, "(2 )2\n(1 (2 )2 )1\n(1 )1 (1 )1\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const double given[] = {1.0 / 2, 39.0 / 160, 1.0 / 160};
  const double grammar[] = {1.0 / 160, 39.0 / 25600, 1.0 / 25600};
  const int length[] = {2, 4, 4};
  const std::vector<Row> rows = Rows(result);
  ASSERT_EQ(rows.size(), 3u);
  double log_p = 0;
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(rows[n].line, n + 1);
    EXPECT_EQ(rows[n].length, length[n]);
    EXPECT_NEAR(std::stod(rows[n].log_p), std::log(given[n] / 2), 1e-12);
    EXPECT_NEAR(std::stod(rows[n].log_p_given_length), std::log(given[n]), 1e-12);
    EXPECT_NEAR(std::stod(rows[n].log_p_grammar), std::log(grammar[n]), 1e-12);
    EXPECT_EQ(rows[n].objection, "");
    log_p += std::log(given[n] / 2);
  }
  EXPECT_NEAR(LowerBound(result), -log_p / (3 + 5 + 5), 1e-12);
  EXPECT_NE(result.out.find("nats a symbol, over 3 strings and 13 symbols (EOS counted)\n"),
            std::string::npos);
}

TEST_F(ScoreTest, TheLowerBoundOfAGrammarByHand) {
  // One string for each of the lengths 0, 2, 4: each has probability 1/3.
  const std::string grammar = WriteFile("ab.cfg", "S -> a S b [0.4] | eps [0.6]\n");
  const ProgramResult result =
      Score({"--grammar", grammar, "--lengths", "0:4"}, "\na b\n  a a  b\tb \n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NEAR(LowerBound(result), 3 * std::log(3) / (1 + 3 + 5), 1e-12);
  const std::vector<Row> rows = Rows(result);
  ASSERT_EQ(rows.size(), 3u);
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(rows[n].length, 2 * n);
    EXPECT_NEAR(std::stod(rows[n].log_p), -std::log(3), 1e-12);
    EXPECT_NEAR(std::stod(rows[n].log_p_given_length), 0, 1e-12);
    EXPECT_NEAR(std::stod(rows[n].log_p_grammar), std::log(std::pow(0.4, n) * 0.6), 1e-12);
  }
}

TEST_F(ScoreTest, TasksWithoutGrammarLeaveItsColumnEmpty) {
  const ProgramResult result =
      Score({"--task", "marked-copy", "--lengths", "3:9"}, "0 1 1 # 0 1 1\n");
  const std::vector<Row> rows = Rows(result);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NEAR(std::stod(rows[0].log_p), -3 * std::log(2) - std::log(4), 1e-12);
  EXPECT_NEAR(std::stod(rows[0].log_p_given_length), -3 * std::log(2), 1e-12);
  EXPECT_EQ(rows[0].log_p_grammar, "");
}

TEST_F(ScoreTest, AgreesWithTheLogProbabilitiesOfSample) {
  for (const std::string task : {"count-3", "unmarked-reverse-and-copy", "marked-reversal", "dyck",
                                 "padded-reversal", "hardest-cfl"}) {
    const Arguments language = {"--task", task, "--lengths", "20:40"};
    Arguments sample = {"sample", "--log-prob", "--count", "20"};
    sample.insert(sample.end(), language.begin(), language.end());
    std::string strings;
    std::vector<double> expected;
    for (const std::string& line : Lines(Run(sample).out)) {
      const std::vector<std::string> cells = Split(line, '\t');
      expected.push_back(std::stod(cells.at(0)));
      strings += cells.at(1) + "\n";
    }
    const ProgramResult result = Score(language, strings);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::vector<Row> rows = Rows(result);
    ASSERT_EQ(rows.size(), 20u) << task;
    for (std::size_t n = 0; n < rows.size(); ++n) {
      EXPECT_NEAR(std::stod(rows[n].log_p), expected[n], 1e-10) << task;
    }
  }
}

TEST_F(ScoreTest, AgreesWithTheLowerBoundsOfData) {
  ASSERT_EQ(Run({"data", "--task", "padded-reversal", "--out", Path("data"), "--training-size",
                 "40", "--test-size", "1"})
                .exit_code,
            0);
  const json splits = json::parse(ReadText(Path("data/task.json")))["splits"];
  const ProgramResult training = Score({"--task", "padded-reversal", Path("data/main.tok")}, "");
  EXPECT_NEAR(LowerBound(training), splits["training"]["lower_bound"].get<double>(), 1e-12);
  const ProgramResult test = Score(
      {"--task", "padded-reversal", "--lengths", "40:100", Path("data/datasets/test/main.tok")},
      "");
  EXPECT_NEAR(LowerBound(test), splits["test"]["lower_bound"].get<double>(), 1e-12);
}

TEST_F(ScoreTest, StringsOutsideTheLanguageAreReportedAndLeftOut) {
  const std::string file =
      WriteFile("strings", "0 1 # 1 0\n0 1 # 1 1\n0 x # 0 0\n0 0 # 0 0\n0 1 #\n");
  const ProgramResult result = Score({"--task", "marked-reversal", "--lengths", "3:5", file}, "");
  EXPECT_EQ(result.exit_code, 1);
  const std::vector<Row> rows = Rows(result);
  ASSERT_EQ(rows.size(), 5u);
  for (const int good : {0, 3}) EXPECT_EQ(rows[good].objection, "");
  for (const int bad : {1, 2, 4}) {
    EXPECT_EQ(rows[bad].log_p, "-inf");
    EXPECT_EQ(rows[bad].log_p_given_length, "-inf");
    EXPECT_EQ(rows[bad].log_p_grammar, "-inf");
  }
  EXPECT_EQ(rows[1].objection.rfind("position 5: ", 0), 0u) << rows[1].objection;
  EXPECT_EQ(rows[2].objection,
            "position 2: \"x\" is not a symbol of the language; they are: 0 1 #");
  EXPECT_EQ(rows[4].objection.rfind("position 4: ", 0), 0u) << rows[4].objection;
  // Two strings of four, and two lengths; each string with its end.
  EXPECT_NEAR(LowerBound(result), 2 * std::log(4 * 2) / (2 * 6), 1e-12);
  EXPECT_NE(result.out.find("over 2 strings and 12 symbols (EOS counted); 3 strings left out\n"),
            std::string::npos)
      << result.out;
  const std::vector<std::string> messages = Lines(result.err);
  ASSERT_EQ(messages.size(), 4u) << result.err;
  EXPECT_EQ(messages[0], "pushdown: " + file + ":2: " + rows[1].objection);
  EXPECT_EQ(messages[1], "pushdown: " + file + ":3: " + rows[2].objection);
  EXPECT_EQ(messages[2], "pushdown: " + file + ":5: " + rows[4].objection);
  EXPECT_EQ(messages[3], "pushdown: " + file +
                             ": 3 of 5 strings left out of the lower bound, with probability zero");
}

TEST_F(ScoreTest, OnlyTheFirstObjectionsAreRepeated) {
  std::string strings;
  for (int n = 0; n < 100; ++n) strings += "a\n";
  const ProgramResult result = Score({"--task", "count-3", "--lengths", "0:3"}, strings);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(Rows(result).size(), 100u);
  EXPECT_EQ(Lines(result.err).size(), 6u) << result.err;
  EXPECT_NE(result.err.find("standard input: 100 of 100 strings left out"), std::string::npos);
  EXPECT_EQ(Lines(result.out).back(),
            "# no lower bound, since there are no strings of the language; 100 strings left out");
}

TEST_F(ScoreTest, OtherLengthsAreObjectionsThatSayWhatWouldDo) {
  const ProgramResult result = Score({"--task", "count-3", "--lengths", "6:9"},
                                     "a b c\na a b b c c\na a a a b b b b c c c c\n");
  EXPECT_EQ(result.exit_code, 1);
  const std::vector<Row> rows = Rows(result);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].objection, "has 3 symbols, which is not in --lengths 6:9");
  EXPECT_EQ(rows[0].log_p, "-inf");
  EXPECT_EQ(std::stod(rows[0].log_p_given_length), 0);
  EXPECT_EQ(rows[1].objection, "");
  EXPECT_EQ(rows[2].objection, "has 12 symbols, which is not in --lengths 6:9");
  EXPECT_EQ(rows[2].log_p, "-inf");
  EXPECT_EQ(rows[2].log_p_given_length, "");
  EXPECT_NE(result.err.find("; --lengths 3:12 would also have those of other lengths\n"),
            std::string::npos);
  const ProgramResult again = Score({"--task", "count-3", "--lengths", "3:12"},
                                    "a b c\na a b b c c\na a a a b b b b c c c c\n");
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

TEST_F(ScoreTest, JsonHasTheSame) {
  const ProgramResult result = Score({"--task", "dyck", "--lengths", "2", "--json"},
                                     "(1 )1\n(1 )2\n(1 \xff\xfe\n(1 (1 )1 )1\n");
  EXPECT_EQ(result.exit_code, 1);
  const std::vector<std::string> lines = Lines(result.out);
  ASSERT_EQ(lines.size(), 5u) << result.out;
  const json good = json::parse(lines[0]);
  EXPECT_EQ(good["line"], 1);
  EXPECT_EQ(good["length"], 2);
  EXPECT_NEAR(good["log_p"].get<double>(), -std::log(2), 1e-12);
  EXPECT_NEAR(good["log_p_given_length"].get<double>(), -std::log(2), 1e-12);
  EXPECT_NEAR(good["log_p_grammar"].get<double>(), -std::log(160), 1e-12);
  EXPECT_TRUE(good["objection"].is_null());
  for (const int n : {1, 2, 3}) {
    const json bad = json::parse(lines[n]);
    EXPECT_EQ(bad["line"], n + 1);
    EXPECT_TRUE(bad["log_p"].is_null()) << bad;
    EXPECT_TRUE(bad["objection"].is_string()) << bad;
  }
  const json summary = json::parse(lines[4]);
  EXPECT_EQ(summary["strings"], 1);
  EXPECT_EQ(summary["symbols"], 3);
  EXPECT_EQ(summary["left_out"], 3);
  EXPECT_NEAR(summary["lower_bound"].get<double>(), std::log(2) / 3, 1e-12);
  EXPECT_TRUE(json::parse(Lines(Score({"--task", "dyck", "--json"}, "").out).at(0))["lower_bound"]
                  .is_null());
}

TEST_F(ScoreTest, LineEndsOfAllKinds) {
  const Arguments arguments = {"--task", "count-3", "--lengths", "0:3"};
  EXPECT_EQ(Rows(Score(arguments, "a b c\r\na b c\r\n")).size(), 2u);
  EXPECT_EQ(Score(arguments, "a b c\r\n\r\na b c").exit_code, 0);
  EXPECT_EQ(Rows(Score(arguments, "a b c\n\na b c")).size(), 3u);
  EXPECT_EQ(Rows(Score(arguments, "\n")).size(), 1u);
  const ProgramResult empty = Score(arguments, "");
  EXPECT_EQ(empty.exit_code, 0);
  EXPECT_EQ(Lines(empty.out).back(),
            "# no lower bound, since there are no strings of the language");
}

TEST_F(ScoreTest, HostileLinesAreObjections) {
  std::string many;
  for (int n = 0; n < 20000; ++n) many += "a ";
  const std::string text = std::string("a \0 c\n", 6) + "\x1b[31m b c\n" +
                           std::string(1000000, 'x') + "\n" + many + "\n" + "h\xc3\xa4user\n";
  const ProgramResult result = Score({"--task", "count-3", "--lengths", "3"}, text);
  EXPECT_EQ(result.exit_code, 1);
  const std::vector<Row> rows = Rows(result);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].objection.rfind("position 2: \"?\" is not a symbol", 0), 0u);
  EXPECT_EQ(rows[1].objection.rfind("position 1: \"?[31m\" is not a symbol", 0), 0u);
  EXPECT_NE(rows[2].objection.find("xxx...\" is not a symbol"), std::string::npos);
  EXPECT_EQ(rows[3].objection, "has 20000 symbols, and no string may have more than 10000");
  EXPECT_EQ(rows[4].objection.rfind("position 1: \"h\xc3\xa4user\" is not a symbol", 0), 0u);
  EXPECT_LT(result.out.size(), 2000u);
  EXPECT_LT(result.err.size(), 2000u);
}

TEST_F(ScoreTest, AFileThatCannotBeReadIsRefused) {
  const ProgramResult missing = Score({"--task", "dyck", "/nonexistent/strings"}, "");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.out, "");
  ExpectMessage(missing, "/nonexistent/strings: cannot be read: No such file or directory");
  const ProgramResult directory = Score({"--task", "dyck", "/"}, "");
  EXPECT_EQ(directory.exit_code, 2);
  ExpectMessage(directory, "/: cannot be read: Is a directory");
  const ProgramResult both = Score({"--grammar", "-"}, "S -> a\n");
  EXPECT_EQ(both.exit_code, 2);
  ExpectMessage(both, "cannot both come from standard input");
}

TEST_F(ScoreTest, AParameterDoesNotSwallowTheFile) {
  const std::string file = WriteFile("strings", "(1 )1\n");
  const ProgramResult result =
      Score({"--task", "dyck", "--lengths", "2", "--param", "t=0.5", file}, "");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  // (1-s)(1-t)/k
  EXPECT_NEAR(std::stod(Rows(result).at(0).log_p_grammar), std::log(0.5 * 0.5 / 2), 1e-12);
}

TEST_F(ScoreTest, AFullDiskFails) {
  const ProgramResult result =
      Run({"score", "--task", "count-3", "--lengths", "3"}, "a b c\n", "/dev/full");
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "standard output: cannot be written: No space left on device");
}

}  // namespace
}  // namespace pushdown::testing_cli
