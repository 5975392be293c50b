#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "pushdown/model/parameter_file.h"
#include "tests/cli/formal_text.h"
#include "tests/cli/program.h"
#include "tests/cli/trained_run.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

class EvaluateTest : public TrainedRunTest {
 protected:
  json Evaluate(const std::string& run, const Arguments& more = {}) const {
    const ProgramResult result = Run(Joined({"evaluate", run, "--json"}, more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return json::parse(result.out);
  }

  static double Number(const json& value) { return value.get<double>(); }

  // What an average over all symbols is, from the rows by length.
  static double Mean(const json& rows, const char* field) {
    double sum = 0;
    double symbols = 0;
    for (const json& row : rows) {
      sum += Number(row[field]) * Number(row["symbols"]);
      symbols += Number(row["symbols"]);
    }
    return sum / symbols;
  }

  // Of a string of marked-reversal, w#w^R over two symbols, under p_L over so many lengths. Over
  // one length, it is the bound of the length.
  static double LowerBoundByHand(int length, int lengths) {
    const int half = (length - 1) / 2;
    return (std::log(lengths) + half * std::log(2)) / (length + 1);
  }
};

TEST_F(EvaluateTest, LowerBoundsAreThoseOfTheSameDataset) {
  const std::string run = TrainTask();
  const std::string seed = Settings(run).at("data-seed").dump();
  ASSERT_EQ(Run(Joined({"data", "--seed", seed, "--out", Path("data")}, SetArguments())).exit_code,
            0);
  const json splits = json::parse(ReadText(Path("data/task.json")))["splits"];
  for (const std::string split : {"training", "validation", "test"}) {
    const json result = Evaluate(run, {"--split", split, "--bound", "set"});
    EXPECT_EQ(result["split"], split);
    EXPECT_EQ(result["bound"], "set");
    EXPECT_EQ(result["strings"], splits[split]["strings"]);
    EXPECT_EQ(result["symbols"], splits[split]["symbols"]);
    EXPECT_EQ(result["lower_bound_lengths"], splits[split]["lengths"]);
    EXPECT_NEAR(Number(result["lower_bound"]), Number(splits[split]["lower_bound"]), 1e-12);
    const json& by_length = splits[split]["lower_bound_by_length"];
    EXPECT_EQ(result["by_length"].size(), by_length.size());
    for (const json& row : result["by_length"]) {
      EXPECT_NEAR(Number(row["lower_bound"]), Number(by_length[row["length"].dump()]), 1e-12);
    }
  }
  // The default is the test set, and `score` sees the same optimum in its strings.
  const ProgramResult score = Run({"score", "--task", "marked-reversal", "--lengths", "3:15",
                                   "--json", Path("data/datasets/test/main.tok")});
  EXPECT_NEAR(Number(Evaluate(run, {"--bound", "set"})["lower_bound"]),
              Number(json::parse(Lines(score.out).back())["lower_bound"]), 1e-12);
}

TEST_F(EvaluateTest, TheDefaultBoundIsThatOfEachLengthOnTheTestSetOnly) {
  const std::string run = TrainTask();
  for (const std::string split : {"training", "validation", "test"}) {
    const json by_default = Evaluate(run, {"--split", split});
    const std::string bound = split == "test" ? "length" : "set";
    EXPECT_EQ(by_default["bound"], bound);
    EXPECT_EQ(by_default, Evaluate(run, {"--split", split, "--bound", bound}));
    const std::string text = Run({"evaluate", run, "--split", split}).out;
    EXPECT_NE(text.find("\nbound  " + bound + ": the exact optimum"), std::string::npos) << text;
  }
}

TEST_F(EvaluateTest, TheBoundOfALengthDoesNotDependOnOtherLengths) {
  const std::string run = TrainTask();
  const Arguments cases[] = {{"--split", "test"},
                             {"--split", "test", "--lengths", "5:9"},
                             {"--split", "test", "--lengths", "5:21"},
                             {"--split", "validation"},
                             {"--split", "training"},
                             {"--split", "training", "--lengths", "5:7"}};
  for (const Arguments& more : cases) {
    const json result = Evaluate(run, Joined({"--bound", "length"}, more));
    EXPECT_EQ(result["bound"], "length");
    EXPECT_TRUE(result["lower_bound_lengths"].is_null());
    EXPECT_FALSE(result["by_length"].empty());
    for (const json& row : result["by_length"]) {
      EXPECT_NEAR(Number(row["lower_bound"]), LowerBoundByHand(row["length"], 1), 1e-12);
    }
    EXPECT_NEAR(Number(result["lower_bound"]), Mean(result["by_length"], "lower_bound"), 1e-12);
    EXPECT_NEAR(Number(result["difference"]),
                Number(result["cross_entropy"]) - Number(result["lower_bound"]), 1e-12);
  }
}

// A string of n symbols has n - 1 symbols that are a or b, five to two, and ends with a.
TEST_F(EvaluateTest, BothBoundsAreThoseOfTheStringsThemselves) {
  const std::string grammar = WriteFile("ab.cfg", "S -> a S [0.5] | b S [0.2] | a [0.3]\n");
  ASSERT_EQ(Run({"data", "--grammar", grammar, "--lengths", "1:8", "--test-lengths", "2:12",
                 "--training-size", "50", "--validation-size", "20", "--test-size", "3", "--out",
                 Path("data")})
                .exit_code,
            0);
  const std::string run = Train("run", {"--data", Path("data"), "--model", "lstm"});
  for (const std::string split : {"validation", "test"}) {
    double given_lengths = 0;
    int strings = 0;
    int symbols = 0;
    for (const std::string& line : Lines(ReadText(Path("data/datasets/" + split + "/main.tok")))) {
      const std::vector<std::string> tokens = Tokens(line);
      const auto bs = std::count(tokens.begin(), tokens.end(), "b");
      const auto as = static_cast<std::ptrdiff_t>(tokens.size()) - 1 - bs;
      given_lengths -=
          static_cast<double>(as) * std::log(5.0 / 7) + static_cast<double>(bs) * std::log(2.0 / 7);
      strings += 1;
      symbols += static_cast<int>(tokens.size()) + 1;
    }
    const json length = Evaluate(run, {"--split", split, "--bound", "length"});
    EXPECT_EQ(length["symbols"], symbols);
    EXPECT_NEAR(Number(length["lower_bound"]), given_lengths / symbols, 1e-12) << split;
    const json set = Evaluate(run, {"--split", split, "--bound", "set"});
    const int lengths = split == "test" ? 11 : 8;
    EXPECT_NEAR(Number(set["lower_bound"]), (given_lengths + strings * std::log(lengths)) / symbols,
                1e-12)
        << split;
    EXPECT_EQ(set["cross_entropy"], length["cross_entropy"]);
  }
}

TEST_F(EvaluateTest, TheBoundOfALengthWithOneStringIsZero) {
  const std::string grammar = WriteFile("a.cfg", "S -> a S [0.9] | a [0.1]\n");
  const std::string run = Train(
      "run", {"--grammar", grammar, "--lengths", "1:7", "--test-lengths", "1:9", "--model", "lstm",
              "--training-size", "10", "--validation-size", "10", "--test-size", "3"});
  const json result = Evaluate(run);
  json rows = result["by_length"];
  rows.push_back(result);
  for (const json& row : rows) {
    // Not below zero, which rounding must not make it.
    EXPECT_GE(Number(row["lower_bound"]), 0);
    EXPECT_LT(Number(row["lower_bound"]), 1e-12);
    EXPECT_GT(Number(row["difference"]), 0);
  }
  const std::string text = Run({"evaluate", run}).out;
  EXPECT_EQ(text.find("-0.000000"), std::string::npos) << text;
}

TEST_F(EvaluateTest, ValidationIsThatOfTheBestEpoch) {
  for (const std::string model : {"lstm", "vrns-1-2-3"}) {
    const std::string run = TrainTask(model, model, {"--seed", "3"});
    double best = HUGE_VAL;
    double difference = 0;
    for (const std::string& line : Lines(ReadText(run + "/metrics.jsonl"))) {
      const json epoch = json::parse(line);
      if (Number(epoch["validation_cross_entropy"]) >= best) continue;
      best = Number(epoch["validation_cross_entropy"]);
      difference = Number(epoch["difference"]);
    }
    const json result = Evaluate(run, {"--split", "validation"});
    EXPECT_EQ(result["model"], model);
    EXPECT_NEAR(Number(result["cross_entropy"]), best, 1e-12);
    EXPECT_NEAR(Number(result["difference"]), difference, 1e-12);
  }
}

TEST_F(EvaluateTest, NumbersOfAllStringsAreMeansOfTheRows) {
  const json result = Evaluate(TrainTask());
  EXPECT_EQ(result["lengths"], (json{3, 15}));
  EXPECT_EQ(result["training_lengths"], (json{3, 9}));
  const json& rows = result["by_length"];
  ASSERT_EQ(rows.size(), 7u);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const int length = 3 + 2 * static_cast<int>(n);
    EXPECT_EQ(rows[n]["length"], length);
    EXPECT_EQ(rows[n]["strings"], 3);
    EXPECT_EQ(rows[n]["symbols"], 3 * (length + 1));
    EXPECT_NEAR(Number(rows[n]["lower_bound"]), LowerBoundByHand(length, 1), 1e-12);
    EXPECT_NEAR(Number(rows[n]["difference"]),
                Number(rows[n]["cross_entropy"]) - Number(rows[n]["lower_bound"]), 1e-12);
    EXPECT_NEAR(Number(rows[n]["perplexity"]), std::exp(Number(rows[n]["cross_entropy"])), 1e-12);
  }
  for (const char* field : {"cross_entropy", "lower_bound", "difference"}) {
    EXPECT_NEAR(Number(result[field]), Mean(rows, field), 1e-12) << field;
  }
}

TEST_F(EvaluateTest, TheTableHasTheNumbersOfTheJsonAndAChart) {
  const std::string run = TrainTask();
  const json expected = Evaluate(run);
  const ProgramResult result = Run({"evaluate", run});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const std::vector<std::string> lines = Lines(result.out);
  ASSERT_GT(lines.size(), 20u) << result.out;
  EXPECT_EQ(lines[0], "run    " + run);
  EXPECT_EQ(lines[1], "model  lstm, 20 hidden units, 2004 parameters, trained on lengths 3:9");
  EXPECT_EQ(lines[2], "split  test, lengths 3:15: 21 strings, 210 symbols");
  EXPECT_EQ(lines[3], "unit   nats a symbol, EOS counted");
  EXPECT_EQ(lines[4],
            "bound  length: the exact optimum of each length for a model that is told the");
  EXPECT_EQ(lines[5],
            "       length; a model that must also predict where a string ends loses about");
  EXPECT_EQ(lines[6], "       log(number of lengths)/(length + 1) to it");
  EXPECT_EQ(lines[8], "length  strings  cross-entropy  length bound  difference");
  json rows = expected["by_length"];
  rows.push_back(expected);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    std::istringstream cells(lines[9 + n]);
    std::string name;
    int strings = 0;
    double cross_entropy = 0;
    double lower_bound = 0;
    double difference = 0;
    cells >> name >> strings >> cross_entropy >> lower_bound >> difference;
    EXPECT_FALSE(cells.fail()) << lines[9 + n];
    EXPECT_EQ(name, n + 1 < rows.size() ? rows[n]["length"].dump() : "all");
    EXPECT_EQ(strings, rows[n]["strings"]);
    EXPECT_NEAR(cross_entropy, Number(rows[n]["cross_entropy"]), 1e-6);
    EXPECT_NEAR(lower_bound, Number(rows[n]["lower_bound"]), 1e-6);
    EXPECT_NEAR(difference, Number(rows[n]["difference"]), 1e-6);
  }
  EXPECT_EQ(lines[18].rfind("Difference by length from the length bound; the full height is ", 0),
            0u)
      << lines[18];
  EXPECT_EQ(lines[19],
            "The length bound is the exact optimum of each length for a model that is told the");
  EXPECT_EQ(lines[20], "length; a model that must also predict where a string ends loses about");
  EXPECT_EQ(lines[21], "log(number of lengths)/(length + 1) to it.");
  EXPECT_EQ(Tokens(lines.back()).back(), "15") << result.out;
  EXPECT_NE(result.out.find("█"), std::string::npos) << result.out;
}

TEST_F(EvaluateTest, TheTextSaysWhatTheBoundOfTheSetIs) {
  const ProgramResult result = Run({"evaluate", TrainTask(), "--bound", "set"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::vector<std::string> lines = Lines(result.out);
  ASSERT_GT(lines.size(), 20u) << result.out;
  EXPECT_EQ(lines[4], "bound  set: the exact optimum if all lengths in 3:15 are equally likely");
  EXPECT_EQ(lines[5],
            "       A model that learned the lengths 3:9 may be below it at these lengths;");
  EXPECT_EQ(lines[8], "length  strings  cross-entropy     set bound  difference");
  EXPECT_NEAR(std::stod(lines[9].substr(30)), LowerBoundByHand(3, 7), 1e-6) << lines[9];
  EXPECT_EQ(lines[18].rfind("Difference by length from the set bound; the full height is ", 0), 0u)
      << lines[18];
  EXPECT_EQ(lines[19],
            "The set bound is the exact optimum if all lengths in 3:15 are equally likely.");
}

TEST_F(EvaluateTest, LengthsOfTheSetAreItsRows) {
  const std::string run = TrainTask();
  const json all = Evaluate(run);
  const json some = Evaluate(run, {"--lengths", "4:9", "--bound", "set"});
  EXPECT_EQ(some["sampled"], false);
  EXPECT_EQ(all["whole_set"], true);
  EXPECT_EQ(some["whole_set"], false);
  EXPECT_EQ(some["lengths"], (json{4, 9}));
  // The bound is that of these lengths, of which the language has three.
  EXPECT_EQ(some["lower_bound_lengths"], (json{4, 9}));
  ASSERT_EQ(some["by_length"].size(), 3u);
  for (int n = 0; n < 3; ++n) {
    const json& row = some["by_length"][n];
    EXPECT_EQ(row["cross_entropy"], all["by_length"][n + 1]["cross_entropy"]);
    EXPECT_NEAR(Number(row["lower_bound"]), LowerBoundByHand(row["length"], 3), 1e-12);
  }
  for (const char* field : {"cross_entropy", "lower_bound", "difference"}) {
    EXPECT_NEAR(Number(some[field]), Mean(some["by_length"], field), 1e-12) << field;
  }
  EXPECT_EQ(Evaluate(run, {"--lengths", "3:15"})["by_length"], all["by_length"]);
  const int length = Evaluate(run, {"--split", "validation"})["by_length"][0]["length"];
  const json one = Evaluate(run, {"--split", "validation", "--lengths", std::to_string(length)});
  ASSERT_EQ(one["by_length"].size(), 1u);
  EXPECT_NEAR(Number(one["lower_bound"]), LowerBoundByHand(length, 1), 1e-12);
}

TEST_F(EvaluateTest, TheBoundMayBeOfOtherLengths) {
  const std::string run = TrainTask();
  const json some = Evaluate(run, {"--lengths", "4:9", "--bound-lengths", "3:15"});
  EXPECT_EQ(some["lengths"], (json{4, 9}));
  // It is that of the set then, also without --bound.
  EXPECT_EQ(some["bound"], "set");
  EXPECT_EQ(some["lower_bound_lengths"], (json{3, 15}));
  for (const json& row : some["by_length"]) {
    EXPECT_NEAR(Number(row["lower_bound"]), LowerBoundByHand(row["length"], 7), 1e-12);
  }
  EXPECT_NEAR(Number(some["lower_bound"]), Mean(some["by_length"], "lower_bound"), 1e-12);
  // Longer ones than any string of the run has.
  const json longer = Evaluate(run, {"--bound-lengths", "3:41"});
  for (const json& row : longer["by_length"]) {
    EXPECT_NEAR(Number(row["lower_bound"]), LowerBoundByHand(row["length"], 20), 1e-12);
  }
  const ProgramResult too_few = Run({"evaluate", run, "--bound-lengths", "3:9"});
  EXPECT_EQ(too_few.exit_code, 2);
  ExpectMessage(too_few, "--bound-lengths 3:9: a string has 11 symbols, which is not one of these");
}

TEST_F(EvaluateTest, TheBoundOfALengthHasNoLengthsToChoose) {
  const std::string run = TrainTask();
  const Arguments arguments = {"evaluate", run, "--bound-lengths", "3:15"};
  const ProgramResult result = Run(Joined(arguments, {"--bound", "length"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  ExpectMessage(result, "--bound length and --bound-lengths do not go together");
  EXPECT_EQ(Run(arguments).out, Run(Joined(arguments, {"--bound", "set"})).out);
}

TEST_F(EvaluateTest, ThereIsNoBoundToChooseForAnUnknownLanguage) {
  const std::string run = Train("run", {"--data", MakeUnknownData(), "--model", "lstm"});
  const ProgramResult result = Run({"evaluate", run, "--bound-lengths", "1:20"});
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "--bound-lengths: there is no lower bound");
  const ProgramResult kind = Run({"evaluate", run, "--bound", "length"});
  EXPECT_EQ(kind.exit_code, 2);
  ExpectMessage(kind, "--bound: there is no lower bound");
}

// A digit of the configuration that was changed changes the numbers, so that it must not go unseen.
TEST_F(EvaluateTest, AChangedConfigurationIsWarnedOf) {
  const std::string run = TrainTask();
  json config = json::parse(ReadText(run + "/config.json"));
  WriteFile("run/config.json", config.dump());  // its layout does not matter
  EXPECT_EQ(Run({"evaluate", run}).err, "");
  config["settings"]["test-seed"] = 12345;
  WriteFile("run/config.json", config.dump());
  for (const char* command : {"evaluate", "generate"}) {
    const ProgramResult result = Run({command, run});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.err.find("pushdown: warning: " + run +
                              "/config.json: was changed after it was written"),
              std::string::npos)
        << result.err;
  }
  config.erase("checksum");  // as earlier versions wrote it
  WriteFile("run/config.json", config.dump());
  EXPECT_EQ(Run({"evaluate", run}).err, "");
}

TEST_F(EvaluateTest, TheModelOfAnotherRestartIsWarnedOf) {
  const std::string run = TrainTask("run", "lstm", {"--restarts", "2"});
  fs::copy_file(run + "/restart-2/model.safetensors", run + "/restart-1/model.safetensors",
                fs::copy_options::overwrite_existing);
  const ProgramResult result = Run({"evaluate", run});
  EXPECT_NE(result.err.find("restart-1/model.safetensors: is the model of another run"),
            std::string::npos)
      << result.err;
}

// Which restart is the best is in the models' files, whose checksums notice damage.
TEST_F(EvaluateTest, DamagedMetricsDoNotChangeTheBestRestart) {
  const std::string run = TrainTask("run", "lstm", {"--restarts", "3"});
  const json before = Evaluate(run);
  const std::string best = before["run"];
  WriteFile(fs::relative(best, Path("")).string() + "/metrics.jsonl", "");
  EXPECT_EQ(Evaluate(run), before);
  for (const char* restart : {"restart-1", "restart-2", "restart-3"}) {
    WriteFile(std::string("run/") + restart + "/metrics.jsonl", "nonsense\n");
  }
  EXPECT_EQ(Evaluate(run), before);
  // A model that is gone is not passed over either.
  fs::remove(best + "/model.safetensors");
  const ProgramResult result = Run({"evaluate", run});
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "model.safetensors is missing; `pushdown train --resume` writes it again");
  EXPECT_EQ(Run({"train", "--resume", "--out", run}).exit_code, 0);
  EXPECT_EQ(Evaluate(run), before);
}

// Models of earlier versions do not have the score in their file.
TEST_F(EvaluateTest, TheBestRestartOfAnEarlierVersionIsFoundByItsMetrics) {
  const std::string run = TrainTask("run", "lstm", {"--restarts", "2"});
  const json before = Evaluate(run);
  for (const char* restart : {"restart-1", "restart-2"}) {
    const std::string path = Path(std::string("run/") + restart + "/model.safetensors");
    Safetensors file = ParseSafetensors(ReadText(path));
    json description = json::parse(file.metadata.at(kFileDescription));
    description.erase("difference");
    file.metadata[kFileDescription] = description.dump();
    WriteFile(std::string("run/") + restart + "/model.safetensors", SerializeParameterFile(file));
  }
  EXPECT_EQ(Evaluate(run), before);
}

TEST_F(EvaluateTest, OtherLengthsAreSampled) {
  const std::string run = TrainTask();
  const json result = Evaluate(run, {"--lengths", "10:21", "--bound", "set"});
  EXPECT_EQ(result["sampled"], true);
  EXPECT_EQ(result["whole_set"], false);
  EXPECT_EQ(result["lower_bound_lengths"], (json{10, 21}));
  ASSERT_EQ(result["by_length"].size(), 6u);
  for (const json& row : result["by_length"]) {
    EXPECT_EQ(row["strings"], 3);
    EXPECT_NEAR(Number(row["lower_bound"]), LowerBoundByHand(row["length"], 6), 1e-12);
  }
  const std::string text = Run({"evaluate", run, "--lengths", "10:21"}).out;
  EXPECT_NE(text.find("split  test (a new sample), lengths 10:21: 18 strings"), std::string::npos)
      << text;
}

TEST_F(EvaluateTest, ManyLengthsArePooledInTheChart) {
  const std::string run = TrainTask();
  const ProgramResult result = Run({"evaluate", run, "--lengths", "3:301"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("A bar is of 3 neighbouring lengths"), std::string::npos) << result.out;
  const std::vector<std::string> lines = Lines(result.out);
  for (const std::string& line : lines) EXPECT_LT(line.size(), 240u) << line;  // 3 bytes a block
  // 150 lengths in 50 bars, with a label below every fifth one.
  const std::vector<std::string> labels = Tokens(lines.back());
  EXPECT_EQ(std::count_if(labels.begin(), labels.end(), [](auto& label) { return !label.empty(); }),
            10);
  EXPECT_EQ(labels.back(), "273");
}

TEST_F(EvaluateTest, NegativeDifferencesAreDrawnAsZero) {
  // A string of n symbols has the probability 1/9, and about 2^-(n+1) for a model that knows
  // nothing yet.
  const std::string grammar = WriteFile("a.cfg", "S -> a S | a\n");
  const std::string run =
      Train("run", {"--grammar", grammar, "--lengths", "1:2", "--test-lengths", "1:9", "--model",
                    "lstm", "--training-size", "10", "--validation-size", "10", "--learning-rate",
                    "1e-6", "--test-size", "2"});
  int negative = 0;
  const json result = Evaluate(run, {"--bound", "set"});
  for (const json& row : result["by_length"]) negative += row["difference"] < 0 ? 1 : 0;
  ASSERT_GT(negative, 1);
  ASSERT_LT(negative, 9);
  const std::string text = Run({"evaluate", run, "--bound", "set"}).out;
  EXPECT_NE(
      text.find("\n" + std::to_string(negative) + " of 9 bars are negative and drawn as zero.\n"),
      std::string::npos)
      << text;
  const std::string none = Run({"evaluate", run, "--lengths", "1", "--bound-lengths", "1:9"}).out;
  EXPECT_EQ(Lines(none).back(),
            "There is no chart of the difference by length: it is nowhere above zero.");
}

TEST_F(EvaluateTest, ThreadsDoNotChangeTheResult) {
  const std::string run = TrainTask("run", "rns-2-2");
  const json one = Evaluate(run, {"--threads", "1"});
  EXPECT_EQ(Evaluate(run, {"--threads", "3"}), one);
  EXPECT_EQ(Evaluate(run), one);
}

TEST_F(EvaluateTest, TheBestRestartIsTaken) {
  const std::string run = TrainTask("run", "lstm", {"--restarts", "3"});
  std::string best;
  double lowest = HUGE_VAL;
  for (const std::string restart : {"restart-1", "restart-2", "restart-3"}) {
    const json result = Evaluate(run + "/" + restart, {"--split", "validation"});
    if (Number(result["cross_entropy"]) >= lowest) continue;
    lowest = Number(result["cross_entropy"]);
    best = run + "/" + restart;
  }
  const json result = Evaluate(run, {"--split", "validation"});
  EXPECT_EQ(result["run"], best);
  EXPECT_EQ(Number(result["cross_entropy"]), lowest);
}

TEST_F(EvaluateTest, WithoutALanguageThereIsNoLowerBound) {
  const std::string run = Train("run", {"--data", MakeUnknownData(), "--model", "lstm"});
  const json result = Evaluate(run);
  EXPECT_EQ(result["lengths"], (json{1, 12}));
  EXPECT_EQ(result["strings"], 24);
  EXPECT_TRUE(result["lower_bound"].is_null());
  EXPECT_TRUE(result["difference"].is_null());
  EXPECT_TRUE(result["bound"].is_null());
  EXPECT_TRUE(result["lower_bound_lengths"].is_null());
  EXPECT_NEAR(Number(result["perplexity"]), std::exp(Number(result["cross_entropy"])), 1e-12);
  EXPECT_EQ(Evaluate(run, {"--lengths", "2:3"})["strings"], 4);

  const std::string text = Run({"evaluate", run}).out;
  EXPECT_NE(text.find("length  strings  cross-entropy    perplexity\n"), std::string::npos) << text;
  EXPECT_EQ(text.find(" bound"), std::string::npos) << text;
  EXPECT_EQ(text.find("\nbound"), std::string::npos) << text;
  EXPECT_EQ(text.find("Difference"), std::string::npos) << text;

  const ProgramResult beyond = Run({"evaluate", run, "--lengths", "2:13"});
  EXPECT_EQ(beyond.exit_code, 2);
  ExpectMessage(beyond,
                "--lengths 2:13: the test set has lengths 1:12; others could be sampled if "
                "the language were known");
  std::filesystem::remove(Path("data/datasets/test/main.tok"));
  const ProgramResult no_test = Run({"evaluate", run});
  EXPECT_EQ(no_test.exit_code, 2);
  ExpectMessage(no_test, "there is no test set; --split validation has strings");
  std::filesystem::remove(Path("data/main.vocab"));
  const ProgramResult no_data = Run({"evaluate", run});
  EXPECT_EQ(no_data.exit_code, 2);
  ExpectMessage(no_data, "main.vocab");
}

TEST_F(EvaluateTest, ADataDirectoryWithItsLanguageIsLikeASample) {
  const std::string sampled = TrainTask("sampled");
  const std::string seed = Settings(sampled).at("data-seed").dump();
  ASSERT_EQ(Run(Joined({"data", "--seed", seed, "--out", Path("data")}, SetArguments())).exit_code,
            0);
  const std::string read = Train("read", {"--data", Path("data"), "--model", "lstm"});
  for (const Arguments& more : {Arguments{}, Arguments{"--lengths", "3:19"}}) {
    json expected = Evaluate(sampled, more);
    json result = Evaluate(read, more);
    expected.erase("run");
    result.erase("run");
    EXPECT_EQ(result, expected);
  }
}

TEST_F(EvaluateTest, LengthsThatThereAreNotAreRefused) {
  const std::string run = TrainTask();
  struct {
    Arguments arguments;
    std::string message;
  } cases[] = {
      {{"--lengths", "4"},
       "--lengths 4:4: the test set, which has lengths 3:15, has no string of this length"},
      {{"--lengths", "16"}, "--lengths: "},
      {{"--lengths", "3:11", "--split", "validation"},
       "--lengths 3:11: the validation set has lengths 3:9; others can be sampled for --split "
       "test only"},
      {{"--lengths", "3:11", "--split", "training"}, "the training set has lengths 3:9"},
      {{"--lengths", "9:3"}, "the range \"9:3\" is empty"},
      {{"--lengths", "3:10001"}, "at most 10000"},
      {{"--split", "main"}, "--split: "},
      {{"--bound", "lengths"}, "--bound: "},
      {{"--threads", "0"}, "expected an integer of at least 1"},
      {{"another"}, "see pushdown evaluate --help"},
  };
  for (const auto& [arguments, message] : cases) {
    const ProgramResult result = Run(Joined({"evaluate", run}, arguments));
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    ExpectMessage(result, message);
  }
  ExpectMessage(Run({"evaluate"}), "RUN is required; see pushdown evaluate --help");
}

TEST_F(EvaluateTest, WhatDoesNotFitTheMemoryIsRefused) {
  const std::string run = TrainTask("run", "rns-3-3");
  const ProgramResult result = Run({"evaluate", run, "--lengths", "3:10000", "--threads", "64"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  ExpectMessage(result, "rns-3-3 with strings of 10000 symbols on 64 threads needs ");
}

TEST_F(EvaluateTest, BrokenRunsAreRefused) { ExpectBrokenRunsAreRefused("evaluate"); }

TEST_F(EvaluateTest, AFullDiskFails) {
  const ProgramResult result = Run({"evaluate", TrainTask()}, "", "/dev/full");
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "standard output: cannot be written: No space left on device");
}

}  // namespace
}  // namespace pushdown::testing_cli
