#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/formal_text.h"
#include "tests/cli/program.h"
#include "tests/cli/trained_run.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;

class AnalyzeTest : public TrainedRunTest {
 protected:
  std::string Analyze(const Arguments& arguments) const {
    const ProgramResult result = Run(Joined({"analyze"}, arguments));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }
  void ExpectRefused(const Arguments& arguments, const std::string& message) const {
    const ProgramResult result = Run(Joined({"analyze"}, arguments));
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    ExpectMessage(result, message);
  }
  // The first sentence of a text is what inspect shows: it reads <eos>, a and cat. The transitions
  // of its last step are given all steps, which are those so far.
  void ExpectNumbersOfInspect(const std::string& model) const {
    const ProgramResult inspected = Run({"inspect", model, "a cat", "--json"});
    ASSERT_EQ(inspected.exit_code, 0) << inspected.err;
    const json sentence = json::parse(inspected.out);
    const json read = json::parse(Analyze({"readings", model, "a cat", "--json"}))["strings"][0];
    for (std::size_t t = 0; t < 2; ++t) {
      ExpectNear(read["vectors"][t], sentence["readings"][t + 1]);
    }
    const json found = json::parse(Analyze({"readings", model, "a cat", "--json", "--transitions",
                                            "--positions", "until:a", "--threshold", "0.001"}));
    const json symbol = found["parts"][0]["symbols"][0];
    EXPECT_EQ(symbol["symbol"], "a");
    EXPECT_EQ(symbol["count"], 1);
    if (found["automaton"].is_null()) {
      const json stack = symbol["stacks"][0];
      ExpectNear({stack["push"], stack["no-op"], stack["pop"]},
                 sentence["superposition"][0]["actions"][1]);
      return;
    }
    EXPECT_EQ(found["automaton"]["states"], sentence["automaton"]["states"]);
    EXPECT_EQ(found["automaton"]["symbols"], sentence["automaton"]["symbols"]);
    const auto probabilities = [](const json& transitions) {
      std::map<std::string, double> by_transition;
      for (const json& each : transitions) {
        by_transition[each["from"].dump() + each["transition"].dump()] = each["probability"];
      }
      return by_transition;
    };
    const auto averages = probabilities(symbol["transitions"]);
    const auto expected = probabilities(sentence["automaton"]["transitions"][1]);
    EXPECT_GT(expected.size(), 3u);
    ASSERT_EQ(averages.size(), expected.size());
    for (const auto& [transition, probability] : expected) {
      ASSERT_TRUE(averages.contains(transition)) << transition;
      EXPECT_NEAR(averages.at(transition), probability, 1e-5) << transition;
    }
  }
  static void ExpectNear(const json& found, const json& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t n = 0; n < found.size(); ++n) {
      EXPECT_NEAR(found[n].get<double>(), expected[n].get<double>(), 1e-5) << n;
    }
  }
  static bool Has(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
  }
};

// Trained on 3:9, so that strings of 4:9 are sampled.
TEST_F(AnalyzeTest, PointsAreThoseOfTheSecondHalvesOfSampledStrings) {
  const std::string run = TrainTask("run", "rns-1-2");
  std::vector<std::string> expected;
  const std::string sampled = Run({"sample", "--task", "marked-reversal", "--lengths", "4:9",
                                   "--count", "30", "--seed", "3"})
                                  .out;
  int string = 0;
  for (const std::string& line : Lines(sampled)) {
    ++string;
    const std::vector<std::string> tokens = Tokens(line);
    const std::size_t word = (tokens.size() - 1) / 2;
    for (std::size_t p = word + 2; p <= 2 * word + 1; ++p) {
      expected.push_back(std::to_string(string) + "," + std::to_string(p) + "," + tokens[p - 1]);
    }
  }
  const std::vector<std::string> rows =
      Lines(Analyze({"pca", run, "--count", "30", "--seed", "3", "-o", "csv"}));
  ASSERT_EQ(rows.size(), expected.size() + 1);
  EXPECT_EQ(rows[0], "string,position,symbol,pc1,pc2");
  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_TRUE(rows[n + 1].starts_with(expected[n] + ",")) << rows[n + 1] << " " << expected[n];
  }
}

TEST_F(AnalyzeTest, PcaIsTheSameForTheSameSeed) {
  const std::string run = TrainTask("run", "rns-1-2");
  const std::string text = Analyze({"pca", run});
  EXPECT_EQ(text, Analyze({"pca", run + "/model.safetensors", "--seed", "1"}));
  EXPECT_NE(text, Analyze({"pca", run, "--seed", "2"}));
  for (const char* part :
       {"rns-1-2", "100 strings of its language, lengths 4:9", "second-half", "component",
        "nearest centroid", "in 2 dimensions", "silhouette", "Component 1 from left to right"}) {
    EXPECT_TRUE(Has(text, part)) << part << " in " << text;
  }
}

TEST_F(AnalyzeTest, FormatsAndFiles) {
  const std::string run = TrainTask("run", "vrns-2-2-2");
  const json pca = json::parse(Analyze({"pca", run, "--components", "5", "-o", "json"}));
  EXPECT_EQ(pca["components"].size(), 5u);
  EXPECT_EQ(json::parse(Analyze({"pca", run, "--components", "5", "--json"})), pca);
  EXPECT_EQ(pca["names"][3], "q0 0 [2]");
  const json scatter = json::parse(Analyze({"pca", run, "-o", "vega-lite"}));
  EXPECT_EQ(scatter["data"]["values"].size(), pca["points"].size());
  EXPECT_EQ(Analyze({"pca", run, "-o", "pgfplots", "--out", Path("figure.tex")}), "");
  EXPECT_TRUE(Has(ReadText(Path("figure.tex")), "\\end{tikzpicture}\n"));

  const json readings = json::parse(Analyze({"readings", run, "0 1 # 1 0", "-o", "json"}));
  EXPECT_EQ(readings["strings"][0]["vectors"].size(), 5u);
  EXPECT_EQ(readings["strings"][0]["vectors"][0].size(), 8u);
  const json heatmap = json::parse(Analyze({"readings", run, "0 1 # 1 0", "-o", "vega-lite"}));
  EXPECT_EQ(heatmap["data"]["values"].size(), 40u);
  EXPECT_TRUE(Has(Analyze({"readings", run, "-o", "pgfplots"}), "matrix plot*"));
  EXPECT_EQ(Lines(Analyze({"readings", run, "0 # 0", "#", "-o", "csv"})).size(), 1u + 3 + 1);
}

TEST_F(AnalyzeTest, ReadingsHaveARowForEachSymbol) {
  const std::string run = TrainTask("run", "rns-1-2");
  const std::vector<std::string> lines = Lines(Analyze({"readings", run, "0 1 # 1 0"}));
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines[0], "Readings of rns-1-2, from 0 (blank) to 1 (█)");
  EXPECT_EQ(lines[2], "     q0 ⊥ q0 0");
  EXPECT_EQ(lines[3], "1 0 │█████     │");  // the initial stack
  EXPECT_TRUE(lines[5].starts_with("3 # │"));
  const std::string strings = WriteFile("strings.txt", "0 # 0\n\n# \n");
  const std::string text = Analyze({"readings", run, "--file", strings});
  EXPECT_TRUE(Has(text, "\n0 # 0\n")) << text;
  EXPECT_TRUE(Has(text, "The empty string has no readings.")) << text;
}

TEST_F(AnalyzeTest, TransitionsAreListedInWords) {
  const std::string run = TrainTask("run", "rns-1-2");
  const std::string text = Analyze({"readings", run, "--transitions", "--threshold", "0"});
  for (const char* part : {"first-half:", "second-half:", "on #, 100 times: push ", "replace ",
                           "  push 0 on ⊥, staying in q0", "pop 0, staying in q0"}) {
    EXPECT_TRUE(Has(text, part)) << part << " in " << text;
  }
  const json parts =
      json::parse(Analyze({"readings", run, "--transitions", "-o", "json", "--positions", "all"}));
  ASSERT_EQ(parts["parts"].size(), 1u);
  EXPECT_EQ(parts["parts"][0]["symbols"].size(), 3u);
  const std::string sup = TrainTask("sup", "sup-2");
  EXPECT_TRUE(Has(Analyze({"readings", sup, "--transitions"}), "no-op"));
}

TEST_F(AnalyzeTest, WhatIsMissingIsSaid) {
  const std::string lstm = TrainTask("lstm", "lstm");
  ExpectRefused({"pca", lstm}, "is an LSTM without a stack, and has no readings; --of hidden");
  ExpectRefused({"readings", lstm, "--transitions"}, "has no transitions");
  EXPECT_TRUE(Has(Analyze({"pca", lstm, "--of", "hidden"}), "in 20 dimensions"));
  EXPECT_TRUE(Has(Analyze({"readings", lstm, "--of", "hidden"}), " h19 h20\n"));

  const std::string unknown = Train("unknown", {"--data", MakeUnknownData(), "--model", "sup-2"});
  ExpectRefused({"pca", unknown}, "does not say what its language is; --file FILE gives strings");
  const std::string strings = WriteFile("strings.txt", "a a b\nb a\n");
  EXPECT_TRUE(Has(Analyze({"pca", unknown, "--file", strings}), "positions  all"));
}

TEST_F(AnalyzeTest, MistakesAreExplained) {
  const std::string run = TrainTask("run", "rns-1-2");
  ExpectRefused({"pca", Path("nothing")}, "nothing");
  ExpectRefused({"pca", run, "--components", "3"}, "--components: the readings of rns-1-2 have 2");
  ExpectRefused({"pca", run, "--positions", "after:x"}, "--positions: \"x\" is not a symbol");
  ExpectRefused({"pca", run, "--positions", "half"}, "expected all, first-half, second-half");
  ExpectRefused({"pca", run, "--lengths", "1"}, "second-half");
  ExpectRefused({"pca", run, "--lengths", "2"}, "--lengths");
  ExpectRefused({"readings", run, "01#10"},
                "\"01#10\" is not in the vocabulary; symbols are separated by spaces");
  ExpectRefused({"readings", run, "0 # 0", "--seed", "2"}, "are for sampled strings");
  ExpectRefused({"readings", run, "0 # 0", "--file", "x"}, "one of the two");
  ExpectRefused({"readings", run, "--file", Path("none")}, "none");
  ExpectRefused({"readings", run, "--threshold", "0.1"}, "are for --transitions");
  ExpectRefused({"readings", run, "--transitions", "-o", "pgfplots"}, "have no figure");
  ExpectRefused({"readings", run, "--transitions", "--of", "hidden"}, "--of hidden");
  ExpectRefused({"readings", run, "--json", "-o", "csv"}, "--json and -o csv are given");
}

TEST_F(AnalyzeTest, ATextIsOneString) {
  const auto sentences = [](int count) {
    std::string text;
    for (int n = 0; n < count; ++n) text += n % 2 == 0 ? "a cat sleeps\n" : "the dog sees a cat\n";
    return text;
  };
  std::filesystem::create_directory(Path("text"));
  WriteFile("text/train.txt", sentences(40));
  WriteFile("text/valid.txt", sentences(4));
  WriteFile("text/test.txt", sentences(4));
  for (const std::string model : {"vrns-2-2-2", "sup-2"}) {
    const ProgramResult trained =
        Run({"lm", "train", "--data", Path("text"), "--model", model, "--hidden-units", "4",
             "--batch-size", "2", "--chunk-length", "5", "--max-epochs", "1", "--threads", "1",
             "--out", Path(model)});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    ExpectRefused({"pca", Path(model)}, "--file FILE gives a text");
    const std::string file = Path("text/test.txt");  // 4 + 6 + 4 + 6 words, ends included
    const json pca = json::parse(Analyze({"pca", Path(model), "--file", file, "-o", "json"}));
    EXPECT_EQ(pca["points"].size(), 19u);
    EXPECT_EQ(Lines(Analyze({"readings", Path(model), "--file", file, "-o", "csv"})).size(), 21u);
    const json parts = json::parse(
        Analyze({"readings", Path(model), "--file", file, "--transitions", "--json"}))["parts"];
    std::map<std::string, int> counts;
    for (const json& symbol : parts[0]["symbols"]) counts[symbol["symbol"]] = symbol["count"];
    EXPECT_EQ(counts, (std::map<std::string, int>{{"a", 4},
                                                  {"cat", 4},
                                                  {"sleeps", 2},
                                                  {"<eos>", 3},  // the last is at the end
                                                  {"the", 2},
                                                  {"dog", 2},
                                                  {"sees", 2}}));
    ExpectNumbersOfInspect(Path(model));
  }
}

}  // namespace
}  // namespace pushdown::testing_cli
