#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/experiment_fixture.h"
#include "tests/cli/terminal.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

using Row = std::vector<std::string>;

Row Split(const std::string& text, const std::string& separator) {
  Row parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    std::string part = text.substr(begin, end - begin);
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    parts.push_back(part);
    if (end == text.npos) return parts;
    begin = end + separator.size();
  }
}

// The cells of lines such as "| a | b |".
std::vector<Row> MarkdownRows(const std::string& text) {
  std::vector<Row> rows;
  for (const std::string& line : Lines(text)) {
    rows.push_back(Split(line.substr(1, line.size() - 2), "|"));
  }
  return rows;
}

// The cells of lines such as "a & b \\".
std::vector<Row> LatexRows(const std::string& text) {
  std::vector<Row> rows;
  for (const std::string& line : Lines(text)) {
    if (line.ends_with(" \\\\")) rows.push_back(Split(line.substr(0, line.size() - 3), "&"));
  }
  return rows;
}

// The cells of lines without quotes in quoted cells.
std::vector<Row> CsvRows(const std::string& text) {
  std::vector<Row> rows;
  for (const std::string& line : Lines(text)) {
    Row row(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        row.emplace_back();
      } else {
        row.back() += c;
      }
    }
    rows.push_back(row);
  }
  return rows;
}

std::size_t PlaceOf(const Row& headings, const std::string& heading) {
  const auto found = std::find(headings.begin(), headings.end(), heading);
  EXPECT_NE(found, headings.end()) << heading;
  return static_cast<std::size_t>(found - headings.begin());
}

std::string Rounded(const json& number) {
  char text[64];
  std::snprintf(text, sizeof text, "%.4f", number.get<double>());
  return text;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

// An export by hand: cells with one setting and finished runs.
json ExportByHand(const std::string& key,
                  const std::vector<std::pair<std::string, std::vector<double>>>& cells) {
  json all = json::array();
  for (const auto& [value, differences] : cells) {
    json runs = json::array();
    for (const double difference : differences) {
      runs.push_back({{"state", "finished"},
                      {"epochs", 3},
                      {"best_epoch", 2},
                      {"validation_cross_entropy", difference + 1},
                      {"difference", difference},
                      {"seconds", 3723}});
    }
    all.push_back({{"name", value}, {"keys", {{key, value}}}, {"runs", runs}});
  }
  return {{"format", 1},         {"what", "pushdown experiment"},
          {"pushdown", "0.1.0"}, {"experiment", "e"},
          {"title", "By hand"},  {"kind", "strings"},
          {"solved", 0.2},       {"measure", "difference"},
          {"source", ""},        {"cells", all}};
}

class ExperimentResultsTest : public ExperimentTest {
 protected:
  // The best difference of a run, from its metrics.
  static double BestDifference(const std::string& run) {
    double best = HUGE_VAL;
    for (const std::string& line : Lines(ReadText(run + "/metrics.jsonl"))) {
      best = std::min(best, json::parse(line).at("difference").get<double>());
    }
    return best;
  }

  // Exit code 2, nothing on standard output, and one line that says what is wrong.
  void ExpectRefused(const Arguments& arguments, const std::string& message) const {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    ExpectMessage(result, message);
  }
};

TEST_F(ExperimentResultsTest, RunTrainsEvaluatesAndPrintsTheTable) {
  const ProgramResult result = RunTiny();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* cell : {kLstm, kStack}) {
    for (const char* restart : {"restart-1", "restart-2"}) {
      const std::string run = Path("tiny/" + std::string(cell) + "/" + restart);
      EXPECT_EQ(ReadJsonFile(run + "/summary.json")["finished"], true);
      EXPECT_EQ(ReadJsonFile(run + "/test.json")["split"], "test");
      EXPECT_NE(result.err.find(std::string(cell) + "/" + restart + "  difference "),
                std::string::npos)
          << result.err;
    }
  }
  const std::vector<std::string> lines = Lines(result.err);
  ASSERT_EQ(lines.size(), 4u) << result.err;
  EXPECT_EQ(lines[0].rfind("1/4  ", 0), 0u) << lines[0];
  EXPECT_EQ(lines[3].rfind("4/4  ", 0), 0u) << lines[3];
  EXPECT_EQ(result.out, Output({"experiment", "table", Path("tiny")}));
}

TEST_F(ExperimentResultsTest, RunAgainDoesNothingWhenAllIsFinished) {
  const std::string first = RunTiny().out;
  const auto files = Contents("tiny");
  const ProgramResult again = RunTiny();
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.out, first);
  EXPECT_EQ(again.err, "");
  EXPECT_EQ(Contents("tiny"), files);
  // The file is not needed any more.
  EXPECT_EQ(Output({"experiment", "run", "--out", Path("tiny")}), first);
}

TEST_F(ExperimentResultsTest, TheTableHasTheNumbersOfTheRuns) {
  const std::string experiment = Trained();
  const json table = OutputJson({"experiment", "table", experiment, "-o", "json"});
  EXPECT_EQ(table["measure"], "difference");
  EXPECT_EQ(table["keys"], (json{"task", "model"}));
  ASSERT_EQ(table["rows"].size(), 2u);
  for (const json& row : table["rows"]) {
    const std::string cell = row["model"] == "lstm" ? kLstm : kStack;
    const double a = BestDifference(Path("tiny/" + cell + "/restart-1"));
    const double b = BestDifference(Path("tiny/" + cell + "/restart-2"));
    EXPECT_EQ(row["task"], "marked-reversal");
    EXPECT_EQ(row["runs"], 2);
    EXPECT_EQ(row["finished"], 2);
    EXPECT_EQ(row["failed"], 0);
    EXPECT_EQ(row["best"], std::min(a, b));
    EXPECT_NEAR(row["mean"], (a + b) / 2, 1e-14);
    EXPECT_NEAR(row["sd"], std::abs(a - b) / std::sqrt(2), 1e-14);
    EXPECT_NEAR(row["median"], (a + b) / 2, 1e-14);
    EXPECT_NEAR(row["lower_quartile"], std::min(a, b) + std::abs(a - b) / 4, 1e-14);
    EXPECT_NEAR(row["upper_quartile"], std::min(a, b) + std::abs(a - b) * 3 / 4, 1e-14);
    EXPECT_EQ(row["solved"], 0);
    EXPECT_EQ(row["epochs"], 2);
    const std::string best = cell + (a < b ? "/restart-1" : "/restart-2");
    EXPECT_EQ(row["best_run"], best);
    const json test = OutputJson({"evaluate", Path("tiny/" + best), "--json"});
    EXPECT_EQ(test["bound"], "length");
    EXPECT_NEAR(row["test"], test["difference"].get<double>(), 1e-14);
  }
}

TEST_F(ExperimentResultsTest, AllFormatsHaveTheSameNumbers) {
  const std::string experiment = Trained();
  const auto table = [&](const std::string& format) {
    return Output({"experiment", "table", experiment, "--format", format});
  };
  const json rows = json::parse(table("json"))["rows"];
  const std::vector<Row> csv = CsvRows(table("csv"));
  ASSERT_EQ(csv.size(), 3u);
  ASSERT_EQ(csv[0].size(), rows[0].size());
  for (std::size_t n = 0; n < rows.size(); ++n) {
    for (const auto& [name, value] : rows[n].items()) {
      const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
      EXPECT_EQ(csv[n + 1][PlaceOf(csv[0], name)], text);
    }
  }
  EXPECT_EQ(table("text"), Output({"experiment", "table", experiment}));
  std::vector<Row> text;
  for (const std::string& line : Lines(table("text"))) {
    if (line.empty()) break;
    // Cells are at least two spaces apart.
    Row cells;
    for (const std::string& cell : Split(line, "  ")) {
      if (!cell.empty()) cells.push_back(cell);
    }
    text.push_back(cells);
  }
  std::vector<Row> markdown = MarkdownRows(table("md"));
  ASSERT_EQ(markdown.size(), 4u);
  EXPECT_EQ(markdown[1][0], "---");
  EXPECT_EQ(markdown[1][2], "---:");
  markdown.erase(markdown.begin() + 1);
  const std::string latex_text = table("latex");
  std::vector<Row> latex = LatexRows(latex_text);
  EXPECT_NE(latex_text.find("\\begin{tabular}{llrrrrrrrrrr}\n\\hline\n"), std::string::npos);
  EXPECT_TRUE(latex_text.ends_with("\\hline\n\\end{tabular}\n")) << latex_text;
  for (Row& row : latex) {
    for (std::string& cell : row) {
      if (cell.ends_with(" \\%")) cell = Replaced(cell, "\\%", "%");
    }
  }
  EXPECT_EQ(markdown, text);
  EXPECT_EQ(latex, text);
  ASSERT_EQ(text.size(), 3u);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    for (const char* name : {"best", "mean", "sd", "median", "test"}) {
      EXPECT_EQ(text[n + 1][PlaceOf(text[0], name)], Rounded(rows[n][name])) << name;
    }
    EXPECT_EQ(text[n + 1][PlaceOf(text[0], "model")], rows[n]["model"]);
    EXPECT_EQ(text[n + 1][PlaceOf(text[0], "runs")], "2/2");
    EXPECT_EQ(text[n + 1][PlaceOf(text[0], "solved")], "0 %");
    EXPECT_EQ(text[n + 1][PlaceOf(text[0], "epochs")], "2");
    EXPECT_EQ(text[n + 1][PlaceOf(text[0], "quartiles")],
              Rounded(rows[n]["lower_quartile"]) + " .. " + Rounded(rows[n]["upper_quartile"]));
  }
  EXPECT_EQ(Lines(table("text")).back(),
            "By validation: difference in nats a symbol; solved: below 0.01");
}

TEST_F(ExperimentResultsTest, SpecialCharactersAreEscaped) {
  const std::string file = WriteFile("e.json", ExportByHand("data", {{"a|b\\c", {0.5}},
                                                                     {"50%_&#${x}~^", {0.25}},
                                                                     {"say \"x,y\"", {0.125}},
                                                                     {"two\nlines\x1b[31m", {0.1}}})
                                                   .dump());
  const std::string markdown = Output({"experiment", "table", file, "-o", "md"});
  EXPECT_NE(markdown.find("\n| a\\|b\\\\c | 1/1 | 0.5000 |"), std::string::npos) << markdown;
  EXPECT_EQ(Lines(markdown).size(), 6u) << markdown;
  const std::string latex = Output({"experiment", "table", file, "-o", "latex"});
  EXPECT_NE(latex.find("\na\\textbar{}b\\textbackslash{}c & 1/1 & "), std::string::npos) << latex;
  EXPECT_NE(latex.find("\n50\\%\\_\\&\\#\\$\\{x\\}\\~{}\\^{} & 1/1 & "), std::string::npos)
      << latex;
  const std::string csv = Output({"experiment", "table", file, "-o", "csv"});
  EXPECT_NE(csv.find("\na|b\\c,1,1,0,0.5,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n\"say \"\"x,y\"\"\",1,1,0,0.125,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n\"two\nlines\x1b[31m\",1,1,0,0.1,"), std::string::npos) << csv;
  // Nothing in a file takes hold of the terminal.
  for (const char* command : {"table", "status"}) {
    const std::string text = Output({"experiment", command, file});
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find("two\n"), std::string::npos) << text;
  }
}

TEST_F(ExperimentResultsTest, ColumnsWithoutAnythingAreLeftOut) {
  const std::string file = WriteFile("e.json", ExportByHand("model", {{"lstm", {0.5}}}).dump());
  const std::string text = Output({"experiment", "table", file});
  // There is one run, and no test set.
  EXPECT_EQ(Lines(text)[0],
            "model  runs    best    mean  median         quartiles  solved  epochs        time");
  EXPECT_EQ(Lines(text)[1],
            "lstm    1/1  0.5000  0.5000  0.5000  0.5000 .. 0.5000     0 %       3  1 h 02 min");
  const json row = OutputJson({"experiment", "table", file, "-o", "json"})["rows"][0];
  EXPECT_TRUE(row["sd"].is_null());
  EXPECT_TRUE(row["test"].is_null());
}

TEST_F(ExperimentResultsTest, RowsAreTakenTogetherByASetting) {
  const std::string experiment = Trained();
  const json one = OutputJson({"experiment", "table", experiment, "--by", "task", "-o", "json"});
  ASSERT_EQ(one["rows"].size(), 1u);
  EXPECT_EQ(one["keys"], json{"task"});
  EXPECT_EQ(one["rows"][0]["runs"], 4);
  double sum = 0;
  for (const char* cell : {kLstm, kStack}) {
    for (const char* restart : {"/restart-1", "/restart-2"}) {
      sum += BestDifference(experiment + "/" + cell + restart);
    }
  }
  EXPECT_NEAR(one["rows"][0]["mean"], sum / 4, 1e-14);
  const json all =
      OutputJson({"experiment", "table", experiment, "--by", "model,task", "-o", "json"});
  EXPECT_EQ(all["keys"], (json{"model", "task"}));
  EXPECT_EQ(all["rows"].size(), 2u);
}

// Our runs 1, 2, 3 and the paper's three have the standard deviation 1; see result_table_test.cpp
// for p.
constexpr const char* kPaper = R"({"source": "A & B, 2023", "runs": 3, "cells": [
  {"model": "near", "mean": 3, "sd": 0.816496580927726, "best": 1.5},
  {"model": "far", "mean": 20, "sd": 0.816496580927726, "best": 19}]})";

TEST_F(ExperimentResultsTest, PublishedNumbersStandBesideOurs) {
  const std::string file = WriteFile(
      "e.json",
      ExportByHand("model", {{"far", {1, 2, 3}}, {"other", {1, 2, 3}}, {"near", {1, 2, 3}}})
          .dump());
  const std::string paper = WriteFile("paper.json", kPaper);
  const json rows =
      OutputJson({"experiment", "table", file, "--against", paper, "-o", "json"})["rows"];
  EXPECT_EQ(rows[0]["published_mean"], 20);
  EXPECT_EQ(rows[0]["published_best"], 19);
  EXPECT_EQ(rows[0]["differs"], true);
  EXPECT_NEAR(rows[0]["p"], 2 * rows[0]["welch_p"].get<double>(), 1e-15);
  const double t = 1 / std::sqrt(2.0 / 3);  // near: 4 degrees of freedom
  EXPECT_NEAR(rows[2]["p"], 1 - t * (t * t + 6) / std::pow(t * t + 4, 1.5), 1e-12);
  EXPECT_EQ(rows[2]["differs"], false);
  EXPECT_EQ(rows[2]["mean_low"], 1);
  EXPECT_EQ(rows[2]["mean_high"], 3);
  EXPECT_EQ(rows[2]["best_low"], 1);
  EXPECT_EQ(rows[2]["best_high"], 3);
  for (const char* name : {"published_mean", "p", "differs", "mean_low"}) {
    EXPECT_TRUE(rows[1][name].is_null()) << name;
  }
  const std::vector<Row> markdown =
      MarkdownRows(Output({"experiment", "table", file, "--against", paper, "-o", "md"}));
  const Row& headings = markdown[0];
  EXPECT_EQ(markdown[2][PlaceOf(headings, "paper's mean")], "20.0000");
  EXPECT_EQ(markdown[2][PlaceOf(headings, "differs")], "*");
  EXPECT_EQ(markdown[3][PlaceOf(headings, "paper's mean")], "");
  EXPECT_EQ(markdown[4][PlaceOf(headings, "paper's best")], "1.5000");
  EXPECT_EQ(markdown[4][PlaceOf(headings, "differs")], "");
  EXPECT_EQ(markdown[4][PlaceOf(headings, "our best of 3")], "1.0000 .. 3.0000");
  const std::string text = Output({"experiment", "table", file, "--against", paper});
  EXPECT_TRUE(text.ends_with("; solved: below 0.2. Paper: A & B, 2023\n")) << text;
}

TEST_F(ExperimentResultsTest, PublishedNumbersOfOtherCellsAreWarnedOf) {
  const std::string paper = WriteFile("paper.json", kPaper);
  const std::string file = WriteFile("e.json", ExportByHand("model", {{"lstm", {1}}}).dump());
  const ProgramResult result = Run({"experiment", "table", file, "--against", paper});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err,
            "pushdown: warning: --against: no row has the settings of a published one, such as "
            "model=near\n");
}

// A window of 80 columns must not put our best beside the paper's mean.
TEST_F(ExperimentResultsTest, ANarrowWindowHasTheSameNumberOfOursAndOfThePaper) {
  json experiment = ExportByHand("model", {{"near", {1, 2, 3}}, {"far", {1, 2, 3}}});
  for (json& cell : experiment["cells"]) {
    cell["keys"]["task"] = "unmarked-reversal";
    cell["keys"]["setting"] = "of some words";
  }
  json paper = json::parse(kPaper);
  paper["source"] = std::string(30, 'x') + " is the name of a paper with a title that is long";
  const std::string file = WriteFile("e.json", experiment.dump());
  Terminal terminal(
      {"experiment", "table", file, "--against", WriteFile("paper.json", paper.dump())});
  const std::string text = terminal.ReadAll();
  const std::vector<std::string> lines = Lines(text);
  for (const std::string& line : lines) EXPECT_LE(line.size(), 81u) << line;  // with \r
  EXPECT_NE(lines[0].find("  mean  paper's mean  differs"), std::string::npos) << text;
  EXPECT_EQ(lines[0].find("best"), std::string::npos) << text;
  EXPECT_NE(text.find("Left out for lack of room: "), std::string::npos) << text;
}

TEST_F(ExperimentResultsTest, TheExportTakesThePlaceOfTheDirectory) {
  const std::string experiment = Trained();
  const std::string text = Output({"experiment", "export", experiment});
  const std::string file = Path("export.json");
  EXPECT_EQ(Output({"experiment", "export", experiment, "--out", file}), "");
  EXPECT_EQ(ReadText(file), text);
  EXPECT_EQ(Output({"experiment", "export", file}), text);
  const json run = json::parse(text)["cells"][0]["runs"][0];
  EXPECT_EQ(run["curve"].size(), 2u);
  EXPECT_EQ(run["test"]["by_length"].size(), 4u);  // 3, 5, 7 and 9
  for (const Arguments& more :
       {Arguments{"-o", "text"}, {"-o", "md"}, {"-o", "latex"}, {"--by", "model"}}) {
    EXPECT_EQ(Output(Joined({"experiment", "table", file}, more)),
              Output(Joined({"experiment", "table", experiment}, more)));
  }
  for (const Arguments& more : {Arguments{}, {"--json"}}) {
    EXPECT_EQ(Output(Joined({"experiment", "status", file}, more)),
              Output(Joined({"experiment", "status", experiment}, more)));
  }
  // All digits, but for the time.
  const auto rows = [&](const std::string& path) {
    json all = OutputJson({"experiment", "table", path, "-o", "json"})["rows"];
    for (json& row : all) row.erase("seconds");
    return all;
  };
  EXPECT_EQ(rows(file), rows(experiment));
}

TEST_F(ExperimentResultsTest, StatusSaysWhatIsDoneAndWhy) {
  const std::string experiment = Trained({"--only", "model=lstm", "--restarts", "1"});
  // A run that cannot go on.
  fs::create_directories(experiment + "/" + kStack + "/restart-1");
  WriteFile("tiny/" + std::string(kStack) + "/restart-1/config.json", "{");
  const ProgramResult failed = RunTiny();
  EXPECT_EQ(failed.exit_code, 1) << failed.err;
  EXPECT_NE(failed.err.find("pushdown: 1 of 4 runs failed; `pushdown experiment status " +
                            experiment + "` says why, and --retry-failed tries again\n"),
            std::string::npos)
      << failed.err;
  const json status = OutputJson({"experiment", "status", experiment, "--json"});
  EXPECT_EQ(status["experiment"], "tiny");
  EXPECT_EQ(status["finished"], 3);
  EXPECT_EQ(status["failed"], 1);
  EXPECT_EQ(status["to do"], 0);
  ASSERT_EQ(status["failures"].size(), 1u);
  EXPECT_EQ(status["failures"][0]["run"], std::string(kStack) + "/restart-1");
  ASSERT_EQ(status["cells"].size(), 2u);
  for (const char* state : {"to do", "stopped", "running", "finished", "failed"}) {
    for (const json& cell : status["cells"]) EXPECT_TRUE(cell[state].is_number()) << state;
  }
  EXPECT_EQ(status["cells"][0]["best"],
            std::min(BestDifference(experiment + "/" + kLstm + "/restart-1"),
                     BestDifference(experiment + "/" + kLstm + "/restart-2")));
  const std::vector<std::string> lines = Lines(Output({"experiment", "status", experiment}));
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines[0], "A tiny experiment");
  EXPECT_EQ(lines[1], "3 finished, 0 running, 1 failed, 0 to do");
  EXPECT_EQ(
      lines[3],
      "cell                                finished  running  stopped  failed  best difference");
  EXPECT_EQ(
      lines[5].rfind("task=marked-reversal,model=rns-1-2       1/2        0        0       1", 0),
      0u)
      << lines[5];
  EXPECT_EQ(lines[7].rfind("failed: " + std::string(kStack) + "/restart-1: ", 0), 0u) << lines[7];
  EXPECT_NE(lines[7].find("config.json"), std::string::npos) << lines[7];
  // The table counts what is finished.
  const json row = OutputJson({"experiment", "table", experiment, "-o", "json"})["rows"][1];
  EXPECT_EQ(row["finished"], 1);
  EXPECT_EQ(row["failed"], 1);
  EXPECT_EQ(row["runs"], 2);
  EXPECT_TRUE(row["sd"].is_null());
  // It is not tried again unasked.
  EXPECT_EQ(RunTiny().exit_code, 1);
  fs::remove_all(experiment + "/" + kStack + "/restart-1");
  EXPECT_EQ(RunTiny({"--retry-failed"}).exit_code, 0);
  EXPECT_EQ(OutputJson({"experiment", "status", experiment, "--json"})["finished"], 4);
}

TEST_F(ExperimentResultsTest, IsFinishedAnswersWithItsExitCode) {
  const std::string experiment = Trained({"--restarts", "1"});
  const auto answer = [&] {
    const ProgramResult result = Run({"experiment", "is-finished", experiment});
    EXPECT_EQ(result.out + result.err, "");
    return result.exit_code;
  };
  EXPECT_EQ(answer(), 1);
  Trained();
  EXPECT_EQ(answer(), 0);
  fs::remove(experiment + "/" + kLstm + "/restart-1/test.json");
  EXPECT_EQ(answer(), 1);
  ExpectRefused({"experiment", "is-finished", Path("nothing")}, "nothing: does not exist");
}

TEST_F(ExperimentResultsTest, CompareTakesRunsTogetherThatDifferInSeeds) {
  const std::string experiment = Trained();
  Arguments runs;
  for (const char* cell : {kLstm, kStack}) {
    for (const char* restart : {"/restart-1", "/restart-2"}) {
      runs.push_back(experiment + "/" + cell + restart);
    }
  }
  const json table = OutputJson(Joined({"compare", "-o", "json"}, runs));
  EXPECT_EQ(table["keys"], json{"model"});
  const json expected = OutputJson({"experiment", "table", experiment, "-o", "json"});
  ASSERT_EQ(table["rows"].size(), 2u);
  for (std::size_t n = 0; n < 2; ++n) {
    for (const char* name :
         {"model", "runs", "finished", "best", "mean", "sd", "test", "seconds"}) {
      EXPECT_EQ(table["rows"][n][name], expected["rows"][n][name]) << name;
    }
    // Runs that belong to no experiment have no names but their directories.
    EXPECT_EQ(table["rows"][n]["best_run"],
              experiment + "/" + expected["rows"][n]["best_run"].get<std::string>());
  }
  EXPECT_EQ(Lines(Output(Joined({"compare"}, runs)))[0].rfind("model    runs    best ", 0), 0u);
  ExpectRefused({"compare", runs[0], experiment},
                "tiny is an experiment; `pushdown experiment table` has its results");
  ExpectRefused({"compare"}, "runs is required");
}

TEST_F(ExperimentResultsTest, DryRunSaysWhatThereIsToDo) {
  const std::string text = Output({"experiment", "run", Path("tiny.toml"), "--dry-run", "--out",
                                   Path("tiny"), "--jobs", "2", "--threads", "1"});
  EXPECT_FALSE(fs::exists(Path("tiny")));
  const std::vector<std::string> lines = Lines(text);
  ASSERT_EQ(lines.size(), 6u) << text;
  EXPECT_EQ(Tokens(lines[0])[0], "cell");
  EXPECT_EQ(lines[1].rfind("task=marked-reversal,model=lstm        2  ", 0), 0u) << lines[1];
  EXPECT_EQ(lines[2].rfind("task=marked-reversal,model=rns-1-2     2  ", 0), 0u) << lines[2];
  EXPECT_EQ(lines[4].rfind("4 runs in 2 cells, 2 side by side with 1 thread each: at most ", 0), 0u)
      << lines[4];
  const Arguments as_json = {"experiment", "run", Path("tiny.toml"), "--dry-run", "--json",
                             "--jobs",     "2",   "--threads",       "1"};
  const json plan = OutputJson(as_json);
  EXPECT_EQ(plan["runs"], 4);
  EXPECT_EQ(plan["finished"], 0);
  EXPECT_EQ(plan["jobs"], 2);
  EXPECT_EQ(plan["threads"], 1);
  std::vector<double> seconds;  // of a run
  ASSERT_EQ(plan["cells"].size(), 2u);
  for (const json& cell : plan["cells"]) {
    EXPECT_EQ(cell["runs"], 2);
    EXPECT_EQ(cell["max_epochs"], 2);
    EXPECT_GT(cell["seconds_per_epoch"], 0);
    seconds.push_back(2 * cell["seconds_per_epoch"].get<double>());
  }
  // Each job has the first run of a cell; whoever is free takes the second of the first cell, and
  // then that of the second.
  double a = seconds[0];
  double b = seconds[1];
  (a <= b ? a : b) += seconds[0];
  (a <= b ? a : b) += seconds[1];
  EXPECT_NEAR(plan["longest_seconds"], std::max(a, b), 1e-9 * a);
}

TEST_F(ExperimentResultsTest, DryRunLeavesOutWhatIsFinished) {
  const std::string out = Trained({"--restarts", "1"});
  const Arguments dry = {"experiment", "run", Path("tiny.toml"), "--dry-run", "--out", out};
  const json plan = OutputJson(Joined(dry, {"--json", "--only", "model=lstm"}));
  EXPECT_EQ(plan["runs"], 1);
  EXPECT_EQ(plan["finished"], 1);
  ASSERT_EQ(plan["cells"].size(), 1u);
  EXPECT_EQ(plan["cells"][0]["name"], kLstm);
  EXPECT_NE(Output(dry).find("2 runs in 2 cells (2 more have ended), "), std::string::npos);
  EXPECT_EQ(Output(Joined(dry, {"--restarts", "1"})),
            "0 runs to do: all 2 are finished or have failed\n");
}

TEST_F(ExperimentResultsTest, MistakesAreNamed) {
  const std::string experiment = Trained();
  const std::string file = Path("tiny.toml");
  const Arguments run = {"experiment", "run", file, "--out", experiment};
  const Arguments table = {"experiment", "table", experiment};
  ExpectRefused({"experiment", "table"}, "dir is required; see pushdown experiment table --help");
  ExpectRefused({"experiment", "table", Path("nothing")}, "nothing: does not exist");
  ExpectRefused({"experiment", "table", experiment + "/" + kLstm}, "holds no experiment");
  ExpectRefused({"experiment", "table", file}, file + ": line 1");
  ExpectRefused(Joined(table, {"-o", "html"}),
                "--format: expected text, md, csv, json or latex, found \"html\"");
  ExpectRefused(Joined(table, {"--by", "models"}),
                "not distinguished by \"models\" (did you mean model?); there are task, model");
  ExpectRefused(Joined(table, {"--against", file}), file + ": line 1");
  ExpectRefused(Joined(table, {"--against", Path("nothing")}), "nothing: cannot be read");
  ExpectRefused({"experiment", "status", Path("nothing")}, "nothing: does not exist");
  ExpectRefused({"experiment", "export", Path("nothing")}, "nothing: does not exist");
  ExpectRefused({"experiment", "run"}, "no experiment is given; give FILE, a TOML file");
  ExpectRefused({"experiment", "run", file}, "no directory is given; give --out DIR");
  ExpectRefused({"experiment", "run", Path("nothing")}, "nothing: cannot be read");
  ExpectRefused(Joined(run, {"--only", "model=sup-3"}),
                "--only: no cell has model=sup-3; there are lstm, rns-1-2");
  ExpectRefused(Joined(run, {"--only", "modle=lstm"}),
                "--only: the cells are not distinguished by \"modle\" (did you mean model?); there "
                "are task, model");
  ExpectRefused(Joined(run, {"--only", "lstm"}), "--only: expected SETTING=VALUE");
  ExpectRefused(Joined(run, {"--set", "max-epochs"}), "--set: expected SETTING=VALUE");
  ExpectRefused(Joined(run, {"--set", "max-epoch=3"}),
                "--set: there is no setting \"max-epoch\" (did you mean max-epochs?)");
  ExpectRefused(Joined(run, {"--set", "max-epochs=x"}),
                "--set: max-epochs: expected an integer of at least 1, found \"x\"");
  ExpectRefused(Joined(run, {"--set", "model=lstm"}),
                "--set: model: the cells are distinguished by it");
  ExpectRefused(Joined(run, {"--set", "hidden-units=7"}),
                "tiny holds an experiment that this file cannot continue: in the cell " +
                    std::string(kLstm) + ", hidden-units is 7, expected 6; choose another --out");
  ExpectRefused({"experiment", "run", "--out", experiment, "--set", "hidden-units=7"},
                "--set: give FILE, too, whose settings it changes");
  ExpectRefused(Joined(run, {"--restarts", "0"}),
                "--restarts: expected an integer of at least 1, found \"0\"");
  ExpectRefused(Joined(run, {"--time-limit", "soon"}), "--time-limit: ");
  const ProgramResult result =
      Run({"experiment", "export", experiment, "--out", Path("nothing/export.json")});
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "nothing/export.json: cannot be written");
}

TEST_F(ExperimentResultsTest, BrokenFilesAreNamed) {
  const std::string experiment = Trained();
  const std::string summary = std::string("tiny/") + kLstm + "/restart-2/summary.json";
  WriteFile(summary, "{\"finished\": 7}");
  // It is a failure of its run only.
  const std::string status = Output({"experiment", "status", experiment});
  EXPECT_NE(status.find("3 finished, 0 running, 1 failed, 0 to do"), status.npos) << status;
  EXPECT_NE(status.find("failed: " + std::string(kLstm) + "/restart-2: " + Path(summary) + ": "),
            status.npos)
      << status;
  EXPECT_EQ(Run({"experiment", "is-finished", experiment}).exit_code, 1);
  EXPECT_EQ(Run({"experiment", "run", "--out", experiment, "--retry-failed"}).exit_code, 0);
  EXPECT_EQ(Run({"experiment", "is-finished", experiment}).exit_code, 0);
  WriteFile("tiny/experiment.json", "{");
  ExpectRefused({"experiment", "status", experiment}, "tiny/experiment.json: ");
}

TEST_F(ExperimentResultsTest, ARunOfAnExperimentIsLikeAnyOther) {
  const std::string run = Trained() + "/" + kStack + "/restart-2";
  const json test = OutputJson({"evaluate", run, "--json"});
  EXPECT_EQ(test["model"], "rns-1-2");
  EXPECT_EQ(test["cross_entropy"], ReadJsonFile(run + "/test.json")["cross_entropy"]);
  const ProgramResult strings = Run({"generate", run, "--count", "3"});
  EXPECT_EQ(strings.exit_code, 0) << strings.err;
  EXPECT_EQ(Lines(strings.out).size(), 3u);
}

TEST_F(ExperimentResultsTest, TrainRepeatsARunBitForBit) {
  const std::string experiment = Trained();
  for (const char* cell : {kLstm, kStack}) {
    const std::string run = experiment + "/" + cell + "/restart-1";
    const std::string again = Path(std::string("again-") + cell);
    const ProgramResult result = Run({"train", "--config", run + "/config.json", "--out", again});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(Results(again), Results(run));
  }
}

TEST_F(ExperimentResultsTest, ResultsDoNotDependOnParallelJobs) {
  Trained({"--jobs", "1", "--threads", "1"}, "one");
  Trained({"--jobs", "4", "--threads", "2"}, "four");
  // One after the other, in another order.
  Trained({"--only", "model=rns-1-2"}, "parts");
  Trained({"--restarts", "1"}, "parts");
  Trained({}, "parts");
  for (const char* cell : {kLstm, kStack}) {
    for (const char* restart : {"/restart-1", "/restart-2"}) {
      const std::string run = cell + std::string(restart);
      for (const char* other : {"four/", "parts/"}) {
        EXPECT_EQ(Results(Path(other + run)), Results(Path("one/" + run)));
        EXPECT_EQ(ReadText(Path(other + run + "/test.json")),
                  ReadText(Path("one/" + run + "/test.json")));
      }
    }
  }
}

TEST_F(ExperimentResultsTest, CellsRestartsAndSettingsAreChosen) {
  const auto finished = [&](const std::string& name) {
    const json status = OutputJson({"experiment", "status", Path(name), "--json"});
    return std::pair(status["cells"][0]["finished"].get<int>(),
                     status["cells"][1]["finished"].get<int>());
  };
  Trained({"--only", "model=rns-1-2"}, "stack");
  EXPECT_EQ(finished("stack"), std::pair(0, 2));
  Trained({"--only", "task=marked-reversal,model=lstm|rns-1-2", "--restarts", "1"}, "first");
  EXPECT_EQ(finished("first"), std::pair(1, 1));
  // More than the file has.
  Trained({"--only", "model=lstm", "--restarts", "3"}, "more");
  EXPECT_EQ(finished("more"), std::pair(3, 0));
  EXPECT_EQ(OutputJson({"experiment", "status", Path("more"), "--json"})["to do"], 3);
  const std::string set = Trained({"--set", "max-epochs=3", "--set", "batch-size=5"}, "set");
  const std::string run = set + "/" + kLstm + "/restart-1";
  EXPECT_EQ(Lines(ReadText(run + "/metrics.jsonl")).size(), 3u);
  EXPECT_EQ(ReadJsonFile(run + "/config.json")["settings"]["batch-size"], 5);
}

}  // namespace
}  // namespace pushdown::testing_cli
