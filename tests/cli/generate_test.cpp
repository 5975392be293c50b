#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/cli/formal_text.h"
#include "tests/cli/program.h"
#include "tests/cli/trained_run.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;

class GenerateTest : public TrainedRunTest {
 protected:
  std::vector<json> Generate(const std::string& run, const Arguments& more) const {
    const ProgramResult result = Run(Joined({"generate", run, "--json"}, more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<json> strings;
    for (const std::string& line : Lines(result.out)) strings.push_back(json::parse(line));
    return strings;
  }

  static std::map<int, int> CountsByLength(const std::vector<json>& strings) {
    std::map<int, int> counts;
    for (const json& string : strings) ++counts[string["length"]];
    return counts;
  }
};

TEST_F(GenerateTest, MarksAndObjectionsAreThoseOfScore) {
  const std::string run = TrainTask();
  const ProgramResult result = Run({"generate", run, "--count", "300"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::vector<std::string> lines = Lines(result.out);
  ASSERT_EQ(lines.size(), 300u);
  std::string ended;
  std::vector<std::vector<std::string>> rows;
  std::map<std::string, int> marks;
  for (const std::string& line : lines) {
    const std::vector<std::string> cells = Split(line, '\t');
    ++marks[cells.at(0)];
    if (cells[0] == "cut") {
      EXPECT_EQ(cells.size(), 2u) << line;
      EXPECT_EQ(Tokens(cells.at(1)).size(), 18u) << line;  // twice the longest of training
      continue;
    }
    rows.push_back(cells);
    ended += (cells.size() > 1 ? cells[1] : "") + "\n";
  }
  EXPECT_GT(marks["in"], 0);
  EXPECT_GT(marks["out"], 0);
  EXPECT_GT(marks["cut"], 0);
  EXPECT_EQ(marks.size(), 3u);
  const ProgramResult score =
      Run({"score", "--task", "marked-reversal", "--lengths", "0:18", "--json"}, ended);
  const std::vector<std::string> scores = Lines(score.out);
  ASSERT_EQ(scores.size(), rows.size() + 1);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const json objection = json::parse(scores[n])["objection"];
    EXPECT_EQ(rows[n][0], objection.is_null() ? "in" : "out");
    EXPECT_EQ(rows[n].size() > 2 ? json(rows[n][2]) : json(), objection);
  }
  EXPECT_EQ(result.err, std::to_string(marks["in"]) + " of 300 strings are in the language\n");
}

TEST_F(GenerateTest, JsonHasTheSame) {
  const std::string run = TrainTask();
  const std::vector<json> strings = Generate(run, {"--count", "50"});
  std::string text;
  for (const json& string : strings) {
    EXPECT_EQ(string.size(), 5u);
    EXPECT_EQ(string["objection"].is_string(), string["mark"] == "out");
    EXPECT_EQ(Tokens(string["string"]).size(), string["length"]);
    EXPECT_LT(string["log_p"], 0);
    text += string["mark"].get<std::string>() + "\t" + string["string"].get<std::string>();
    if (string["mark"] == "out") text += "\t" + string["objection"].get<std::string>();
    text += "\n";
  }
  EXPECT_EQ(Run({"generate", run, "--count", "50"}).out, text);
}

TEST_F(GenerateTest, EachStringHasItsOwnRandomNumbers) {
  const std::string run = TrainTask("run", "vrns-1-2-2");
  const std::string many = Run({"generate", run, "--count", "20"}).out;
  const std::string few = Run({"generate", run}).out;
  EXPECT_EQ(Lines(few).size(), 10u);
  EXPECT_EQ(many.substr(0, few.size()), few);
  EXPECT_EQ(Run({"generate", run, "--count", "20", "--seed", "1"}).out, many);
  EXPECT_NE(Run({"generate", run, "--count", "20", "--seed", "2"}).out, many);
  const std::vector<std::string> lines = Lines(many);
  EXPECT_GT(std::set<std::string>(lines.begin(), lines.end()).size(), 10u);
}

TEST_F(GenerateTest, LogProbabilitiesAreThoseOfEvaluate) {
  // One path goes symbol by symbol, the other one over the whole string.
  const std::string data = MakeUnknownData();
  for (const std::string model : {"lstm", "sup-h", "rns-2-2", "vrns-1-2-3"}) {
    const std::string run = Train(model, {"--data", data, "--model", model});
    double log_p = 0;
    int symbols = 0;
    std::string text;
    for (const json& string : Generate(run, {"--count", "30", "--max-length", "40"})) {
      if (string["mark"] == "cut") continue;
      EXPECT_EQ(string["mark"], "-");
      log_p += string["log_p"].get<double>();
      symbols += string["length"].get<int>() + 1;
      text += string["string"].get<std::string>() + "\n";
    }
    WriteFile("data/datasets/test/main.tok", text);
    const json evaluation = json::parse(Run({"evaluate", run, "--json"}).out);
    EXPECT_EQ(evaluation["symbols"], symbols);
    // Each symbol's is rounded to a float.
    EXPECT_NEAR(evaluation["cross_entropy"].get<double>(), -log_p / symbols, 1e-6) << model;
  }
}

TEST_F(GenerateTest, FrequenciesAreTheProbabilities) {
  // With one symbol, a length is a string, and log_p has the probability q of an end after it.
  const std::string grammar = WriteFile("a.cfg", "S -> a S [0.6] | a [0.4]\n");
  const std::string run =
      Train("run", {"--grammar", grammar, "--lengths", "1:4", "--test-lengths", "1:4",
                    "--training-size", "30", "--validation-size", "10", "--model", "rns-1-2",
                    "--hidden-units", "3", "--learning-rate", "0.2"});
  constexpr int kCount = 5000;
  constexpr int kLongest = 3;
  const Arguments count = {"--count", std::to_string(kCount), "--max-length",
                           std::to_string(kLongest)};
  const std::vector<json> strings = Generate(run, count);
  std::map<int, double> probability;
  for (const json& string : strings) {
    probability[string["length"]] = std::exp(string["log_p"].get<double>());
    EXPECT_TRUE(string["mark"] != "cut" || string["length"] == kLongest);
  }
  // Strings of the greatest length are ended or cut; both are counted here.
  std::vector<double> end(kLongest);  // q after 0, 1, .. symbols
  double left = 1;
  for (int length = 0; length < kLongest; ++length) {
    ASSERT_TRUE(probability.count(length));
    end[length] = probability[length] / left;
    left -= probability[length];
  }
  ASSERT_LT(end[0], 0.35);  // else temperatures would change little
  const auto expect_frequencies = [&](const Arguments& more, double exponent) {
    std::map<int, int> counts = CountsByLength(Generate(run, Joined(count, more)));
    double rest = 1;
    for (int length = 0; length <= kLongest; ++length) {
      double p = rest;
      if (length < kLongest) {
        const double stop = std::pow(end[length], exponent);
        const double go_on = std::pow(1 - end[length], exponent);
        p *= stop / (stop + go_on);
      }
      rest -= p;
      // Five standard deviations.
      EXPECT_NEAR(counts[length], kCount * p, 5 * std::sqrt(kCount * p * (1 - p))) << length;
    }
  };
  expect_frequencies({}, 1);
  expect_frequencies({"--temperature", "0.5"}, 2);
  expect_frequencies({"--temperature", "4", "--seed", "2"}, 0.25);
}

TEST_F(GenerateTest, TemperatureZeroTakesTheMostProbableSymbols) {
  const std::string run = TrainTask();
  const std::vector<json> strings = Generate(run, {"--temperature", "0", "--count", "3"});
  ASSERT_EQ(strings.size(), 3u);
  EXPECT_EQ(strings[0], strings[1]);
  EXPECT_EQ(strings[0], strings[2]);
  EXPECT_EQ(Generate(run, {"--temperature", "0", "--count", "3", "--seed", "9"}), strings);
  // Nearly zero is nearly that.
  EXPECT_EQ(Generate(run, {"--temperature", "1e-300", "--count", "3"}), strings);
}

TEST_F(GenerateTest, LongStringsAreCut) {
  const std::string run = TrainTask();
  for (const int longest : {1, 2, 60}) {
    for (const json& string :
         Generate(run, {"--count", "100", "--max-length", std::to_string(longest)})) {
      EXPECT_LE(string["length"], longest);
      EXPECT_TRUE(string["mark"] != "cut" || string["length"] == longest) << string;
    }
  }
}

TEST_F(GenerateTest, StringsLongerThanThoseOfTheTaskAreJudged) {
  // Every string of it is in the language.
  const std::string grammar = WriteFile("ab.cfg", "S -> a S | b S | eps\n");
  const std::string run =
      Train("run", {"--grammar", grammar, "--lengths", "0:2", "--test-lengths", "0:2",
                    "--training-size", "30", "--validation-size", "10", "--model", "lstm"});
  bool any = false;
  for (const json& string : Generate(run, {"--count", "200", "--max-length", "50"})) {
    if (string["mark"] == "cut") continue;
    EXPECT_EQ(string["mark"], "in");
    any = any || string["length"] > 2;
  }
  EXPECT_TRUE(any);
}

TEST_F(GenerateTest, APromptIsPartOfTheStringAndNotOfItsProbability) {
  const std::string run = TrainTask();
  for (const json& string : Generate(run, {"--count", "30", "--prompt", " 0 1  #"})) {
    const std::string text = string["string"];
    EXPECT_EQ(text.rfind("0 1 #", 0), 0u) << text;
    if (string["mark"] == "cut") continue;
    EXPECT_EQ(string["mark"] == "in", text == "0 1 # 1 0");
    // Of the symbols after the prompt, and the end, as `score` has them.
    const json score = json::parse(Run({"score", run, text, "--json"}).out);
    double log_p = 0;
    for (std::size_t n = 3; n < score["log_ps"].size(); ++n) {
      log_p += score["log_ps"][n].get<double>();
    }
    EXPECT_NEAR(string["log_p"].get<double>(), log_p, 1e-5);
  }
  // A prompt that is too long is cut at once.
  const std::vector<json> cut = Generate(run, {"--prompt", "0 1 0 1", "--max-length", "2"});
  EXPECT_EQ(cut[0]["mark"], "cut");
  EXPECT_EQ(cut[0]["string"], "0 1 0 1");
}

TEST_F(GenerateTest, GreedyIsTemperatureZeroOnce) {
  const std::string run = TrainTask();
  const std::vector<json> zero = Generate(run, {"--temperature", "0", "--count", "1"});
  EXPECT_EQ(Generate(run, {"--greedy"}), zero);
  EXPECT_EQ(Generate(run, {"--greedy", "--count", "3"}).size(), 3u);
  EXPECT_EQ(Generate(run, {"--top-k", "1", "--count", "1", "--seed", "9"}), zero);
}

TEST_F(GenerateTest, BeamsAreTheMostProbableStrings) {
  const std::string run = TrainTask("run", "rns-1-2");
  const std::vector<json> best = Generate(run, {"--beam", "50", "--count", "20"});
  ASSERT_EQ(best.size(), 20u);
  std::set<std::string> distinct;
  Arguments strings = {"score", run, "--json"};
  for (const json& string : best) {
    distinct.insert(string["string"]);
    strings.push_back(string["string"]);
    EXPECT_NE(string["mark"], "cut");
  }
  EXPECT_EQ(distinct.size(), 20u);
  const std::vector<std::string> scores = Lines(Run(strings).out);
  ASSERT_EQ(scores.size(), 20u);
  for (std::size_t n = 0; n < 20; ++n) {
    EXPECT_LE(best[n]["log_p"], best[n > 0 ? n - 1 : 0]["log_p"]);
    EXPECT_NEAR(best[n]["log_p"].get<double>(), json::parse(scores[n])["log_p"].get<double>(),
                1e-4);
  }
  // None of many samples is more probable than the first.
  for (const json& string : Generate(run, {"--count", "300"})) {
    EXPECT_TRUE(string["mark"] == "cut" || string["log_p"] <= best[0]["log_p"]) << string;
  }
  // The table has the same, with log p.
  const std::vector<std::string> lines = Lines(Run({"generate", run, "--beam", "50"}).out);
  ASSERT_EQ(lines.size(), 10u);
  const std::vector<std::string> cells = Split(lines[0], '\t');
  EXPECT_EQ(cells.at(0), best[0]["mark"]);
  EXPECT_NEAR(std::stod(cells.at(1)), best[0]["log_p"].get<double>(), 1e-6);
  EXPECT_EQ(cells.at(2), best[0]["string"]);
  EXPECT_EQ(Lines(Run({"generate", run, "--beam", "3"}).out).size(), 3u);
}

TEST_F(GenerateTest, WithoutALanguageNothingIsJudged) {
  const std::string run = Train("run", {"--data", MakeUnknownData(), "--model", "lstm"});
  const ProgramResult result = Run({"generate", run, "--count", "100", "--json"});
  EXPECT_EQ(result.err, "");
  for (const std::string& line : Lines(result.out)) {
    const json string = json::parse(line);
    EXPECT_EQ(string["mark"] != "-", string["mark"] == "cut" && string["length"] == 16);
    EXPECT_LE(string["length"], 16);  // twice the longest of training
    EXPECT_TRUE(string["objection"].is_null());
  }
}

TEST_F(GenerateTest, NoStrings) {
  const ProgramResult result = Run({"generate", TrainTask(), "--count", "0"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "0 of 0 strings are in the language\n");
}

// The model has everything that it takes, the longest length of training included.
TEST_F(GenerateTest, NeitherTheDataNorTheRunIsNeeded) {
  const std::string data = MakeUnknownData();
  const std::string run = Train("run", {"--data", data, "--model", "lstm"});
  const ProgramResult before = Run({"generate", run});
  EXPECT_EQ(before.err, "");
  std::filesystem::remove_all(data);
  EXPECT_EQ(Run({"generate", run}).out, before.out);
  std::filesystem::rename(run + "/model.safetensors", Path("alone.safetensors"));
  std::filesystem::remove_all(run);
  const ProgramResult after = Run({"generate", Path("alone.safetensors")});
  EXPECT_EQ(after.exit_code, 0) << after.err;
  EXPECT_EQ(after.out, before.out);
}

TEST_F(GenerateTest, BadUsageIsRefused) {
  const std::string run = TrainTask();
  struct {
    Arguments arguments;
    std::string message;
  } cases[] = {
      {{"--temperature", "-1"}, "--temperature: "},
      {{"--temperature", "nan"}, "--temperature: "},
      {{"--temperature", "inf"}, "--temperature: "},
      {{"--temperature", "warm"}, "--temperature: "},
      {{"--max-length", "0"}, "expected an integer of at least 1"},
      {{"--max-length", "10001"}, "expected an integer of at most 10000"},
      {{"--count", "-1"}, "--count: "},
      {{"--running"}, "--running is for models of text"},
      {{"--top-k", "0"}, "--top-k: "},
      {{"--beam", "0"}, "--beam: "},
      {{"--beam", "2", "--temperature", "1"}, "--beam and --temperature do not go together"},
      {{"--beam", "2", "--top-k", "3"}, "--beam and --top-k do not go together"},
      {{"--beam", "2", "--greedy"}, "--beam and --greedy do not go together"},
      {{"--beam", "2", "--seed", "3"}, "--beam and --seed do not go together"},
      {{"--beam", "2", "--count", "3"}, "--count 3 and --beam 2 do not go together"},
      {{"--greedy", "--temperature", "0.5"}, "--greedy and --temperature do not go together"},
      {{"--prompt", "0 x"}, "--prompt: \"x\" is not in the model's vocabulary; it has: 0 1 #"},
      {{"--prompt", "0\n1"}, "--prompt: has more than one line"},
      {{"another"}, "see pushdown generate --help"},
  };
  for (const auto& [arguments, message] : cases) {
    const ProgramResult result = Run(Joined({"generate", run}, arguments));
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    ExpectMessage(result, message);
  }
  ExpectMessage(Run({"generate"}), "RUN is required; see pushdown generate --help");
}

TEST_F(GenerateTest, BrokenRunsAreRefused) { ExpectBrokenRunsAreRefused("generate"); }

TEST_F(GenerateTest, AFullDiskFails) {
  const ProgramResult result = Run({"generate", TrainTask()}, "", "/dev/full");
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "standard output: cannot be written: No space left on device");
}

}  // namespace
}  // namespace pushdown::testing_cli
