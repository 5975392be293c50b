// `pushdown lm evaluate`, `score` and `generate`, whose numbers are computed again by the oracle of
// models from the files of the run.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/train/checkpoint.h"
#include "tests/cli/lm_fixture.h"
#include "tests/model/stack_rnn_reference.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;

class LmCommandsTest : public LmTest {
 protected:
  std::string Trained(const std::string& model = "vrns-2-2-2") const {
    const ProgramResult result =
        Run(Joined({"lm", "train", "--out", Path("run"), "--threads", "1"}, Small(model)));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Path("run");
  }

  ProgramResult RunWell(const Arguments& arguments, const std::string& input = "") const {
    const ProgramResult result = Run(arguments, input);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }
  json Json(const Arguments& arguments, const std::string& input = "") const {
    return json::parse(RunWell(arguments, input).out);
  }

  // -log p of each token by the oracle, of a text in so many rows.
  static std::vector<double> Reference(const std::string& run, const std::string& text, int rows) {
    const json config = json::parse(ReadText(run + "/config.json"));
    std::map<std::string, int> vocabulary;
    for (const json& word : config.at("vocabulary")) {
      vocabulary.emplace(word.get<std::string>(), static_cast<int>(vocabulary.size()));
    }
    const json& settings = config.at("settings");
    const ModelSpec spec = ParseTextModelSpec(settings.at("model").get<std::string>(), 6,
                                              static_cast<int>(vocabulary.size()));
    const ParameterLayout layout(spec);
    const std::vector<float> floats = ParseParameters(ReadText(run + "/model.safetensors"), layout);
    const std::vector<double> parameters(floats.begin(), floats.end());
    const int end = vocabulary.at("<eos>");
    std::vector<int> stream;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      for (std::string word; words >> word;) {
        const auto found = vocabulary.find(word);
        stream.push_back(found == vocabulary.end() ? vocabulary.at("<unk>") : found->second);
      }
      stream.push_back(end);
    }
    std::vector<double> losses;
    const std::size_t size = stream.size();
    for (int row = 0; row < rows; ++row) {
      const std::size_t longer = size % static_cast<std::size_t>(rows);
      const std::size_t length =
          size / static_cast<std::size_t>(rows) + (static_cast<std::size_t>(row) < longer ? 1 : 0);
      testing_oracle::ReferenceStackRnn<double> model(spec, layout, parameters);
      model.StartText(static_cast<int>(length));
      for (std::size_t n = 0; n < length; ++n) {
        const std::size_t place = losses.size();
        losses.push_back(model.ReadText(place == 0 ? end : stream[place - 1], stream[place]));
      }
    }
    return losses;
  }
  static double Sum(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum;
  }
};

TEST_F(LmCommandsTest, EvaluateAgreesWithTheOracle) {
  for (const char* model : {"lstm", "vrns-2-2-2", "sup-2"}) {
    SCOPED_TRACE(model);
    std::filesystem::remove_all(Path("run"));
    const std::string run = Trained(model);
    for (const char* split : {"test", "valid"}) {
      const std::string text = ReadText(Path(std::string("text/small.") + split + ".txt"));
      for (const int rows : {4, 1}) {
        const json result = Json({"lm", "evaluate", run, "--json", "--split",
                                  split == std::string("test") ? "test" : "validation",
                                  "--batch-size", std::to_string(rows)});
        const std::vector<double> losses = Reference(run, text, rows);
        EXPECT_EQ(result.at("tokens"), losses.size());
        const double expected = Sum(losses) / static_cast<double>(losses.size());
        EXPECT_NEAR(result.at("cross_entropy").get<double>(), expected, 1e-5);
        EXPECT_NEAR(result.at("perplexity").get<double>(), std::exp(expected), 1e-3);
      }
    }
  }
}

TEST_F(LmCommandsTest, EvaluateRepeatsTheValidationOfTheBestEpoch) {
  const std::string run = Trained();
  double best = 1e9;
  for (const std::string& line : Lines(ReadText(run + "/metrics.jsonl"))) {
    best = std::min(best, json::parse(line).at("validation_cross_entropy").get<double>());
  }
  const json result = Json({"lm", "evaluate", run, "--json", "--split", "validation"});
  EXPECT_NEAR(result.at("cross_entropy").get<double>(), best, 1e-12);
  const std::string text = RunWell({"lm", "evaluate", run, "--split", "validation"}).out;
  EXPECT_NE(text.find("perplexity"), std::string::npos) << text;
  // Chunks make no difference but for rounding, and threads none at all.
  const json other = Json({"lm", "evaluate", run, "--json", "--split", "validation",
                           "--chunk-length", "3", "--threads", "3"});
  EXPECT_NEAR(other.at("cross_entropy").get<double>(), best, 1e-5);
  const json threads =
      Json({"lm", "evaluate", run, "--json", "--split", "validation", "--threads", "3"});
  EXPECT_EQ(threads.at("cross_entropy"), result.at("cross_entropy"));
}

TEST_F(LmCommandsTest, EvaluateReadsOtherData) {
  const std::string run = Trained();
  std::filesystem::create_directories(Path("other/datasets/test"));
  WriteFile("other/main.tok", "a dog\n");
  WriteFile("other/datasets/test/main.tok", "a dog sees the cat\r\na zebra\r\n");
  const json result = Json({"lm", "evaluate", run, "--data", Path("other"), "--json"});
  EXPECT_EQ(result.at("tokens"), 9);
  EXPECT_NEAR(result.at("cross_entropy").get<double>(),
              Sum(Reference(run, "a dog sees the cat\na zebra\n", 4)) / 9, 1e-5);
  const ProgramResult missing =
      Run({"lm", "evaluate", run, "--data", Path("other"), "--split", "validation"});
  EXPECT_EQ(missing.exit_code, 2);
  std::filesystem::remove(Path("text/small.test.txt"));
  const ProgramResult no_test = Run({"lm", "evaluate", run});
  EXPECT_EQ(no_test.exit_code, 2);
  EXPECT_NE(no_test.err.find("no test set"), std::string::npos) << no_test.err;
}

TEST_F(LmCommandsTest, ScoreAgreesWithTheOracle) {
  const std::string run = Trained();
  // More sentences than rows, longer than a chunk, empty, and with words nobody knows.
  const std::vector<std::string> sentences = {
      "a dog sees the cat",
      "",
      "zebra",
      "a cat that sees the dog likes the mouse likes the dog",
      "a dog",
      "the the the the the the"};
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  const ProgramResult result = RunWell({"lm", "score", run, "--json"}, text);
  const std::vector<std::string> lines = Lines(result.out);
  ASSERT_EQ(lines.size(), sentences.size());
  double total = 0;
  for (std::size_t n = 0; n < sentences.size(); ++n) {
    const json line = json::parse(lines[n]);
    const std::vector<double> expected = Reference(run, sentences[n] + "\n", 1);
    EXPECT_EQ(line.at("sentence"), n + 1);
    ASSERT_EQ(line.at("log_ps").size(), expected.size());
    EXPECT_EQ(line.at("tokens").back(), "<eos>");
    EXPECT_NEAR(line.at("log_p").get<double>(), -Sum(expected), 1e-4);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(line.at("log_ps")[k].get<double>(), -expected[k], 1e-4);
    }
    total += Sum(expected);
  }
  EXPECT_NE(result.err.find("6 sentences"), std::string::npos) << result.err;
  EXPECT_EQ(json::parse(lines[2]).at("tokens")[0], "<unk>");
  // The same from a file, and in the other forms.
  const std::string file = WriteFile("sentences.txt", text);
  EXPECT_EQ(RunWell({"lm", "score", run, file, "--json"}).out, result.out);
  const std::vector<std::string> table = Lines(RunWell({"lm", "score", run, file}).out);
  ASSERT_EQ(table.size(), sentences.size());
  EXPECT_EQ(Split(table[0], '\t')[1], "6");
  EXPECT_EQ(Split(table[0], '\t')[2], sentences[0]);
  const std::vector<std::string> tokens =
      Lines(RunWell({"lm", "score", run, file, "--tokens"}).out);
  EXPECT_EQ(Split(tokens[4], '\t')[2], "cat");
  double of_tokens = 0;
  for (const std::string& line : tokens) of_tokens -= std::stod(Split(line, '\t')[1]);
  EXPECT_NEAR(of_tokens, total, 1e-3);
}

TEST_F(LmCommandsTest, RunningScoresAreThoseOfOneText) {
  const std::string run = Trained("sup-2");
  const std::string text = ReadText(Path("text/small.test.txt"));
  const std::vector<double> expected = Reference(run, text, 1);
  double sum = 0;
  for (const std::string& line :
       Lines(RunWell({"lm", "score", run, "--running", "--json"}, text).out)) {
    sum -= json::parse(line).at("log_p").get<double>();
  }
  EXPECT_NEAR(sum, Sum(expected), 1e-3);
  const json whole = Json({"lm", "evaluate", run, "--batch-size", "1", "--json"});
  EXPECT_NEAR(whole.at("cross_entropy").get<double>() * whole.at("tokens").get<double>(), sum,
              1e-3);
}

TEST_F(LmCommandsTest, GenerateMakesSentences) {
  const std::string run = Trained();
  const ProgramResult result = RunWell({"lm", "generate", run, "--count", "20", "--json"});
  const std::vector<std::string> lines = Lines(result.out);
  ASSERT_EQ(lines.size(), 20U);
  for (const std::string& line : lines) {
    const json sentence = json::parse(line);
    const std::string text = sentence.at("sentence");
    if (!sentence.at("ended").get<bool>()) continue;
    // Scoring says the same of it.
    EXPECT_NEAR(sentence.at("log_p").get<double>(), -Sum(Reference(run, text + "\n", 1)), 1e-3);
  }
  EXPECT_EQ(RunWell({"lm", "generate", run, "--count", "20", "--json"}).out, result.out);
  EXPECT_NE(RunWell({"lm", "generate", run, "--count", "20", "--json", "--seed", "2"}).out,
            result.out);
  // The first ones of more are the same; in running text the second one is another.
  const std::vector<std::string> three =
      Lines(RunWell({"lm", "generate", run, "--count", "3", "--json"}).out);
  EXPECT_EQ(three, std::vector<std::string>(lines.begin(), lines.begin() + 3));
  EXPECT_EQ(Lines(RunWell({"lm", "generate", run, "--count", "20", "--json", "--running"}).out)[0],
            lines[0]);
  EXPECT_NE(RunWell({"lm", "generate", run, "--count", "20", "--json", "--running"}).out,
            result.out);
}

TEST_F(LmCommandsTest, GenerateFollowsAPromptAndItsLimits) {
  const std::string run = Trained();
  for (const std::string& line :
       Lines(RunWell({"lm", "generate", run, "--prompt", "a dog", "--max-length", "4"}).out)) {
    EXPECT_EQ(line.rfind("a dog", 0), 0U) << line;
    EXPECT_LE(Tokens(line).size(), 4U);
  }
  const std::string greedy = RunWell({"lm", "generate", run, "--temperature", "0"}).out;
  for (const std::string& line : Lines(greedy)) EXPECT_EQ(line, Lines(greedy)[0]);
  EXPECT_EQ(Run({"lm", "generate", run, "--prompt", "a <eos>"}).exit_code, 2);
  EXPECT_EQ(Run({"lm", "generate", run, "--prompt", "a\ndog"}).exit_code, 2);
  EXPECT_EQ(Run({"lm", "generate", run, "--max-length", "0"}).exit_code, 2);
}

// One shape of commands for strings and text: the other spelling says the same.
TEST_F(LmCommandsTest, TheCommandsOfStringsTakeText) {
  const std::string run = Trained();
  for (const Arguments& more : {Arguments{}, {"--split", "validation"}, {"--batch-size", "1"}}) {
    EXPECT_EQ(RunWell(Joined({"evaluate", run, "--json"}, more)).out,
              RunWell(Joined({"lm", "evaluate", run, "--json"}, more)).out);
  }
  const std::vector<std::string> strings =
      Lines(RunWell({"generate", run, "--count", "5", "--json", "--prompt", "a"}).out);
  const std::vector<std::string> sentences =
      Lines(RunWell({"lm", "generate", run, "--count", "5", "--json", "--prompt", "a"}).out);
  ASSERT_EQ(strings.size(), 5U);
  for (std::size_t n = 0; n < strings.size(); ++n) {
    const json string = json::parse(strings[n]);
    const json sentence = json::parse(sentences[n]);
    EXPECT_EQ(string.at("string"), sentence.at("sentence"));
    EXPECT_EQ(string.at("length"), sentence.at("words"));
    EXPECT_EQ(string.at("log_p"), sentence.at("log_p"));
    EXPECT_EQ(string.at("mark"), sentence.at("ended").get<bool>() ? "-" : "cut");
  }
  const std::string text = "a dog sees the cat\n\nzebra\n";
  for (const Arguments& more : {Arguments{}, {"--running"}}) {
    const std::string table = RunWell(Joined({"score", run}, more), text).out;
    EXPECT_EQ(table,
              "log_p\tsymbols\tstring\n" + RunWell(Joined({"lm", "score", run}, more), text).out);
  }
  EXPECT_EQ(RunWell({"score", run, "--tokens"}, text).out,
            "line\tlog_p\tsymbol\n" + RunWell({"lm", "score", run, "--tokens"}, text).out);
  const json score = json::parse(Lines(RunWell({"score", run, "--json"}, text).out)[2]);
  EXPECT_EQ(score.at("string"), "<unk>");
  EXPECT_EQ(score.at("mark"), "-");
  EXPECT_TRUE(score.at("log_p_L").is_null());
  for (const Arguments& strings_only : {Arguments{"evaluate", run, "--lengths", "3:4"},
                                        {"evaluate", run, "--bound", "set"},
                                        {"score", run, "--lengths", "3:4", "a"}}) {
    EXPECT_EQ(Run(strings_only).exit_code, 2) << strings_only[2];
  }
}

TEST_F(LmCommandsTest, BeamsAndNextWordsAgreeWithTheOracle) {
  const std::string run = Trained();
  const std::vector<std::string> lines =
      Lines(RunWell({"lm", "generate", run, "--beam", "5", "--prompt", "a"}).out);
  ASSERT_EQ(lines.size(), 5U);
  const double of_prompt = Reference(run, "a\n", 1)[0];
  for (const std::string& line : lines) {
    const std::vector<std::string> cells = Split(line, '\t');
    EXPECT_NEAR(std::stod(cells.at(0)), of_prompt - Sum(Reference(run, cells.at(1) + "\n", 1)),
                1e-3);
  }
  // The word after "a dog".
  const json next = Json({"score", run, "--next", "a dog", "--json"});
  EXPECT_EQ(next.at("prefix"), "a dog");
  double total = 0;
  for (const json& word : next.at("next")) {
    const double log_p = word.at("log_p").get<double>();
    const std::string name = word.at("symbol");
    total += std::exp(log_p);
    const std::string text = name == "<eos>" ? "a dog\n" : "a dog " + name + "\n";
    EXPECT_NEAR(log_p, -Reference(run, text, 1)[2], 1e-4) << name;
  }
  EXPECT_NEAR(total, 1, 1e-5);
  const std::string pairs = "a dog sees\tdog a sees\na cat\tcat cat cat\n";
  const std::vector<std::string> rows = Lines(RunWell({"score", run, "--pairs"}, pairs).out);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_NEAR(std::stod(Split(rows[1], '\t').at(3)),
              Sum(Reference(run, "dog a sees\n", 1)) - Sum(Reference(run, "a dog sees\n", 1)),
              1e-3);
}

TEST_F(LmCommandsTest, WhatIsWrongIsSaid) {
  const std::string run = Trained();
  for (const char* command : {"evaluate", "score", "generate"}) {
    SCOPED_TRACE(command);
    const ProgramResult result = Run({"lm", command, Path("nothing")});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("nothing"), std::string::npos) << result.err;
  }
  for (const std::string& text : {std::string(), std::string("a \0 b\n", 6), std::string("\xff\n"),
                                  std::string("a <eos> b\n")}) {
    const ProgramResult result = Run({"lm", "score", run}, text);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("standard input"), std::string::npos) << result.err;
  }
  // A line of a megabyte.
  std::string line;
  for (int n = 0; n < 100000; ++n) line += "a dog sees ";
  const ProgramResult result = Run({"lm", "score", run}, line + "\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(LmCommandsTest, AnEditedConfigurationIsNoticed) {
  const std::string run = Trained();
  const std::string path = run + "/config.json";
  const std::string text = ReadText(path);
  const auto expect_refused = [&](const auto& edit, const std::string& message) {
    json config = json::parse(text);
    edit(config);
    WriteFile("run/config.json", config.dump());
    const ProgramResult result = Run({"lm", "evaluate", run});
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
    EXPECT_EQ(Lines(result.err).size(), 1U) << result.err;
  };
  expect_refused([](json& config) { std::swap(config["vocabulary"][0], config["vocabulary"][1]); },
                 "its vocabulary is");
  expect_refused([](json& config) { config["settings"]["window"] = 1; }, "its window is 35");
  expect_refused([](json& config) { config["settings"]["bottom"] = "old"; }, "its bottom is");
  expect_refused([](json& config) { config["settings"]["depth-limit"] = 3; }, "config.json: ");
  expect_refused([](json& config) { config["vocabulary"] = json::array(); }, "its vocabulary is");
  expect_refused([](json& config) { config["vocabulary"][0] = "a\x1b[31m"; }, "its vocabulary is");
  WriteFile("run/config.json", text);
  EXPECT_EQ(Run({"lm", "evaluate", run}).exit_code, 0);
}

TEST_F(LmCommandsTest, GenerateIsInterruptedWithinASentence) {
  // After "b" there is always another one.
  WriteFile(
      "text/small.train.txt", "a" + [] {
        std::string text;
        for (int n = 0; n < 3000; ++n) text += " b";
        return text;
      }() + "\n");
  WriteFile("text/small.valid.txt", "a b b b b\n");
  WriteFile("text/small.test.txt", "a b\n");
  const std::string run = Trained("lstm");
  const pid_t program = Start({"lm", "generate", run, "--count", "1", "--temperature", "0",
                               "--prompt", "a b b b", "--max-length", "2000000000"});
  usleep(300'000);
  kill(program, SIGINT);
  const ProgramResult result = Finish(program);
  EXPECT_EQ(result.exit_code, 128 + SIGINT) << result.err;
}

}  // namespace
}  // namespace pushdown::testing_cli
