// `pushdown score MODEL` for models of strings. The probabilities of the language are those of
// `pushdown score --task`, which has tests of its own, and those of the model the ones that
// `generate` and `evaluate` compute in other ways. tests/run/scoring_test.cpp has models whose
// probabilities are known, and lm_commands_test.cpp has text.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/trained_run.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;

class ScoreModelTest : public TrainedRunTest {
 protected:
  ProgramResult RunWell(const Arguments& arguments, const std::string& input = "") const {
    const ProgramResult result = Run(arguments, input);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }
  std::vector<json> Objects(const Arguments& arguments, const std::string& input = "") const {
    std::vector<json> objects;
    for (const std::string& line : Lines(RunWell(arguments, input).out)) {
      objects.push_back(json::parse(line));
    }
    return objects;
  }
};

// The training has the lengths 3:9; longer strings than 18 are not parsed.
const std::vector<std::string> kStrings = {
    "0 1 # 1 0", "0 1 # 1 1", "",      "0 0 0 0 0 # 0 0 0 0 0",
    "# #",       "1 # 1",     "0 1 #", "0 0 0 0 0 0 0 0 0 0 # 0 0 0 0 0 0 0 0 0 0"};

TEST_F(ScoreModelTest, TheOptimumIsThatOfTheLanguageOverTheLengthsOfTraining) {
  const std::string run = TrainTask();
  std::string text;
  for (const std::string& string : kStrings) text += string + "\n";
  const std::vector<json> scores = Objects({"score", run, "--json"}, text);
  ASSERT_EQ(scores.size(), kStrings.size());
  const std::vector<std::string> expected =
      Lines(Run({"score", "--task", "marked-reversal", "--lengths", "3:9", "--json"}, text).out);
  for (std::size_t n = 0; n < kStrings.size(); ++n) {
    SCOPED_TRACE(kStrings[n]);
    const json by_language = json::parse(expected[n]);
    EXPECT_EQ(scores[n].at("line"), n + 1);
    EXPECT_EQ(scores[n].at("string"), kStrings[n]);
    EXPECT_EQ(scores[n].at("length"), by_language.at("length"));
    EXPECT_EQ(scores[n].at("log_p_L"), by_language.at("log_p"));
    if (scores[n].at("length") <= 9) {
      EXPECT_EQ(scores[n].at("objection"), by_language.at("objection"));
      EXPECT_EQ(scores[n].at("log_p_given_length"), by_language.at("log_p_given_length"));
      EXPECT_EQ(scores[n].at("mark"), by_language.at("objection").is_null() ? "in" : "out");
    }
  }
  // By hand: four lengths, and two symbols.
  EXPECT_NEAR(scores[0].at("log_p_L").get<double>(), -std::log(4) - 2 * std::log(2), 1e-12);
  EXPECT_EQ(scores[3].at("mark"), "in");
  EXPECT_NEAR(scores[3].at("log_p_given_length").get<double>(), -5 * std::log(2), 1e-12);
  EXPECT_EQ(scores[3].at("objection"), "has 11 symbols, which is not in --lengths 3:9");
  EXPECT_EQ(scores[7].at("mark"), "-");
  // Other lengths of p_L: eleven of them up to 23.
  const std::vector<json> longer = Objects({"score", run, "--json", "--lengths", "3:23"}, text);
  EXPECT_NEAR(longer[0].at("log_p_L").get<double>(), -std::log(11) - 2 * std::log(2), 1e-12);
  EXPECT_EQ(longer[7].at("mark"), "in");
}

TEST_F(ScoreModelTest, TheModelsProbabilitiesAreThoseOfEvaluate) {
  const std::string data = MakeUnknownData();
  const std::string run = Train("run", {"--data", data, "--model", "rns-2-2"});
  const std::string test = ReadText(data + "/datasets/test/main.tok");
  double log_p = 0;
  long symbols = 0;
  for (const json& score : Objects({"score", run, "--json"}, test)) {
    EXPECT_EQ(score.at("mark"), "-");
    double sum = 0;
    for (const json& each : score.at("log_ps")) sum += each.get<double>();
    EXPECT_NEAR(sum, score.at("log_p").get<double>(), 1e-9);
    EXPECT_EQ(score.at("tokens").size(), score.at("log_ps").size());
    EXPECT_EQ(score.at("tokens").back(), "<eos>");
    log_p += sum;
    symbols += static_cast<long>(score.at("log_ps").size());
  }
  const json evaluation = json::parse(RunWell({"evaluate", run, "--json"}).out);
  EXPECT_EQ(evaluation.at("symbols"), symbols);
  EXPECT_NEAR(evaluation.at("cross_entropy").get<double>(), -log_p / static_cast<double>(symbols),
              1e-6);
  // Without a language there is less to say.
  const ProgramResult table = RunWell({"score", run, "a b a"});
  EXPECT_EQ(Lines(table.out).at(0), "log_p\tsymbols\tstring");
  EXPECT_EQ(Split(Lines(table.out).at(1), '\t').at(2), "a b a");
  EXPECT_EQ(Lines(table.err).size(), 1u) << table.err;
}

TEST_F(ScoreModelTest, TablesHaveTheSameAsJson) {
  const std::string run = TrainTask("run", "vrns-1-2-2");
  const Arguments two = {"0 1 # 1 0", "0 #"};
  const std::vector<json> objects = Objects(Joined({"score", run, "--json"}, two));
  const ProgramResult result = RunWell(Joined({"score", run}, two));
  const std::vector<std::string> lines = Lines(result.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "log_p\tsymbols\tlog_p_L\tmark\tstring\tobjection");
  const std::vector<std::string> in = Split(lines[1], '\t');
  ASSERT_EQ(in.size(), 5u);
  EXPECT_NEAR(std::stod(in[0]), objects[0].at("log_p").get<double>(), 1e-6);
  EXPECT_EQ(in[1], "6");
  EXPECT_NEAR(std::stod(in[2]), objects[0].at("log_p_L").get<double>(), 1e-6);
  EXPECT_EQ(in[3], "in");
  EXPECT_EQ(in[4], "0 1 # 1 0");
  const std::vector<std::string> out = Split(lines[2], '\t');
  ASSERT_EQ(out.size(), 6u);
  EXPECT_EQ(out[2], "-inf");
  EXPECT_EQ(out[3], "out");
  EXPECT_EQ(out[5], objects[1].at("objection"));
  EXPECT_NE(result.err.find("2 strings, 9 symbols (EOS counted): "), std::string::npos);
  EXPECT_NE(result.err.find("1 of 2 strings are in the language\n"), std::string::npos);
  EXPECT_NE(result.err.find("1 string in p_L over the lengths 3:9: model "), std::string::npos);

  const std::vector<std::string> tokens = Lines(RunWell({"score", run, "--tokens", "0 #"}).out);
  ASSERT_EQ(tokens.size(), 4u);
  EXPECT_EQ(tokens[0], "line\tlog_p\tsymbol");
  const char* const names[] = {"0", "#", "<eos>"};
  for (std::size_t n = 0; n < 3; ++n) {
    const std::vector<std::string> cells = Split(tokens[n + 1], '\t');
    EXPECT_EQ(cells.at(0), "1");
    EXPECT_NEAR(std::stod(cells.at(1)), objects[1].at("log_ps")[n].get<double>(), 1e-6);
    EXPECT_EQ(cells.at(2), names[n]);
  }
  // From a file, and from a model alone, which does not know the lengths.
  const std::string file = WriteFile("strings", "0 1 # 1 0\r\n0 #\n");
  EXPECT_EQ(RunWell({"score", run, "--file", file}).out, result.out);
  std::filesystem::copy_file(run + "/model.safetensors", Path("alone.safetensors"));
  const ProgramResult alone = RunWell({"score", Path("alone.safetensors"), "--file", file});
  EXPECT_EQ(Split(Lines(alone.out).at(1), '\t').at(2), "");
  EXPECT_NE(alone.err.find("give --lengths"), std::string::npos) << alone.err;
  EXPECT_EQ(RunWell({"score", Path("alone.safetensors"), "--file", file, "--lengths", "3:9"}).out,
            result.out);
}

TEST_F(ScoreModelTest, NextSymbolsAreThoseThatStringsHave) {
  const std::string run = TrainTask();
  const std::vector<json> next = Objects({"score", run, "--next", "--json", "0 1 #", ""});
  ASSERT_EQ(next.size(), 2u);
  EXPECT_EQ(next[1].at("prefix"), "");
  double total = 0;
  for (const json& symbol : next[0].at("next")) {
    const std::string name = symbol.at("symbol");
    const std::string string = name == "<eos>" ? "0 1 #" : "0 1 # " + name;
    const json score = Objects({"score", run, "--json", string})[0];
    EXPECT_NEAR(symbol.at("log_p").get<double>(), score.at("log_ps")[3].get<double>(), 1e-6);
    total += std::exp(symbol.at("log_p").get<double>());
  }
  EXPECT_EQ(next[0].at("next").size(), 4u);
  EXPECT_NEAR(total, 1, 1e-5);
  const std::vector<std::string> lines =
      Lines(RunWell({"score", run, "--next", "--top", "2", "0 1 #", ""}).out);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "line\tlog_p\tp\tsymbol");
  EXPECT_EQ(Split(lines[1], '\t').at(3), next[0].at("next")[0].at("symbol"));
  EXPECT_EQ(Split(lines[4], '\t').at(0), "2");
  EXPECT_EQ(Split(lines[4], '\t').at(3), next[1].at("next")[1].at("symbol"));
}

TEST_F(ScoreModelTest, PairsSayWhichStringIsMoreProbable) {
  const std::string run = TrainTask();
  const auto log_p = [&](const std::string& string) {
    return Objects({"score", run, "--json", string})[0].at("log_p").get<double>();
  };
  const Arguments strings = {"0 # 0", "0 0 # 0 0 0 0", "#", "#", "0 0 # 0 0 0 0", "0 # 0"};
  const std::vector<json> pairs = Objects(Joined({"score", run, "--pairs", "--json"}, strings));
  ASSERT_EQ(pairs.size(), 4u);
  const double difference = log_p(strings[0]) - log_p(strings[1]);
  EXPECT_NEAR(pairs[0].at("difference").get<double>(), difference, 1e-6);
  EXPECT_NEAR(pairs[0].at("log_p_1").get<double>(), log_p(strings[0]), 1e-6);
  EXPECT_EQ(pairs[0].at("more_probable"), difference > 0 ? "first" : "second");
  EXPECT_EQ(pairs[1].at("more_probable"), "equal");
  EXPECT_EQ(pairs[2].at("more_probable"), difference > 0 ? "second" : "first");
  // One of the first and the third is right.
  EXPECT_EQ(pairs[3].at("pairs"), 3);
  EXPECT_EQ(pairs[3].at("correct"), 1);
  EXPECT_EQ(pairs[3].at("equal"), 1);
  EXPECT_NEAR(pairs[3].at("accuracy").get<double>(), 1.0 / 3, 1e-12);
  const std::vector<std::string> lines =
      Lines(RunWell({"score", run, "--pairs"}, "0 # 0\t0 0 # 0 0 0 0\n#\t#\n").out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(Split(lines[1], '\t').at(4), pairs[0].at("more_probable"));
  EXPECT_EQ(lines[3].rfind("# accuracy ", 0), 0u) << lines[3];
}

TEST_F(ScoreModelTest, BracketsAreSymbols) {
  const std::string grammar =
      WriteFile("brackets.cfg", "S -> \"[\" S \"]\" S [0.4] | \",\" [0.2] | eps [0.4]\n");
  const std::string run =
      Train("run", {"--grammar", grammar, "--lengths", "2:6", "--test-lengths", "2:6",
                    "--training-size", "20", "--validation-size", "10", "--model", "lstm"});
  const std::vector<json> scores = Objects({"score", run, "--json", "[ , ]", "[ [ ] ]", "[ ]"});
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].at("string"), "[ , ]");
  EXPECT_EQ(scores[1].at("string"), "[ [ ] ]");
  EXPECT_EQ(scores[2].at("mark"), "in");
}

TEST_F(ScoreModelTest, WhatIsWrongIsSaid) {
  const std::string run = TrainTask();
  struct {
    Arguments arguments;
    std::string input;
    std::string message;
  } cases[] = {
      {{}, "", "no model and no language is given; give MODEL"},
      {{run}, "", "standard input: is empty"},
      {{run}, "0 # 0\n0 x\n", "standard input: line 2, position 2: \"x\" is not a symbol of the"},
      {{run, "0", "0 x"}, "", "STRING 2: line 1, position 2: \"x\" is not a symbol of the model"},
      {{run, "0\n1"}, "", "STRING 1: has more than one line"},
      {{run, "--file", Path("none")}, "", "none: cannot be read"},
      {{run, "0", "--file", Path("none")}, "", "STRING and --file do not go together"},
      {{run, "--pairs", "0", "1", "#"}, "", "--pairs: 3 STRINGs given, and a pair has two"},
      {{run, "--pairs"}, "0 1\n", "standard input: line 1: has no tab"},
      {{run, "--pairs", "--next"}, "0\t1\n", "--next and --pairs do not go together"},
      {{run, "--next", "--tokens"}, "0\n", "--next and --tokens do not go together"},
      {{run, "--top", "3"}, "0\n", "--top is for --next"},
      {{run, "--running"}, "0\n", "--running is for models of text"},
      {{run, "--lengths", "4"}, "0\n", "--lengths: "},
      {{run, "--task", "dyck", "--next"}, "", "--next is for a MODEL; with --task or --grammar"},
      {{run, "--task", "dyck", "0"}, "", "STRING is for a MODEL"},
  };
  for (const auto& [arguments, input, message] : cases) {
    const ProgramResult result = Run(Joined({"score"}, arguments), input);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    ExpectMessage(result, message);
  }
  std::string many;
  for (int n = 0; n < 20000; ++n) many += "0 ";
  for (const std::string& hostile :
       {std::string("0 \0 1\n", 6), std::string("\xff\xfe\n"), std::string(1000000, 'x'), many}) {
    const ProgramResult result = Run({"score", run}, hostile);
    EXPECT_EQ(result.exit_code, 2);
    ExpectMessage(result, "standard input: line 1");
  }
  const ProgramResult full = Run({"score", run, "0"}, "", "/dev/full");
  EXPECT_EQ(full.exit_code, 1);
  ExpectMessage(full, "standard output: cannot be written");
}

TEST_F(ScoreModelTest, BrokenRunsAreRefused) {
  const ProgramResult missing = Run({"score", "/nonexistent/run", "0"});
  EXPECT_EQ(missing.exit_code, 2);
  ExpectMessage(missing, "/nonexistent/run");
  const ProgramResult file = Run({"score", WriteFile("strings", "0 1\n")});
  EXPECT_EQ(file.exit_code, 2);
  ExpectMessage(file, "is neither the directory of a run nor a model file");
}

}  // namespace
}  // namespace pushdown::testing_cli
