#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
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

class ParamsTest : public TrainedRunTest {
 protected:
  json Params(const Arguments& more) const {
    const ProgramResult result = Run(Joined({"params", "--json"}, more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return json::parse(result.out);
  }

  static std::map<std::string, double> Bounds(const json& params) {
    std::map<std::string, double> bounds;
    for (const json& tensor : params["tensors"]) bounds[tensor["name"]] = tensor["bound"];
    return bounds;
  }
};

TEST_F(ParamsTest, CountsByHand) {
  // A layer has inputs * outputs weights and a bias for each output.
  const auto layer = [](int inputs, int outputs) { return (inputs + 1) * outputs; };
  for (const int symbols : {1, 3, 50}) {
    for (const int hidden : {20, 7}) {
      const auto lstm = [&](int reading) {
        return layer(symbols + reading + hidden, 4 * hidden) + layer(hidden, symbols + 1);
      };
      const std::map<std::string, int> expected = {
          {"lstm", lstm(0)},
          // Six pairs of state and symbol, each with 6 pushes, 6 replaces and 2 pops.
          {"rns-2-3", lstm(6) + layer(hidden, 6 * (6 + 6 + 2))},
          // The same, a layer for the vector and the bottom vector.
          {"vrns-2-3-3", lstm(6 * 3) + layer(hidden, 6 * (6 + 6 + 2)) + layer(hidden, 3) + 3},
          {"sup-h", lstm(hidden) + layer(hidden, 3)},
          {"sup-10", lstm(10) + layer(hidden, 3) + layer(hidden, 10)},
          {"sup-3-3-3", lstm(9) + 3 * (layer(hidden, 3) + layer(hidden, 3))}};
      for (const auto& [model, count] : expected) {
        const json params = Params({"--model", model, "--hidden-units", std::to_string(hidden),
                                    "--vocabulary", std::to_string(symbols)});
        EXPECT_EQ(params["parameters"], count) << model;
        EXPECT_EQ(params["model"], model);
        EXPECT_EQ(params["hidden_units"], hidden);
        EXPECT_EQ(params["vocabulary"], symbols);
        int sum = 0;
        for (const json& tensor : params["tensors"]) {
          int product = 1;
          for (const json& size : tensor["shape"]) product *= size.get<int>();
          EXPECT_EQ(tensor["count"], product) << tensor;
          sum += product;
        }
        EXPECT_EQ(sum, count) << model;
      }
    }
  }
  // 80 (V + 20) + 80 + 21 (V + 1).
  EXPECT_EQ(Params({"--model", "lstm"})["parameters"], 80 * 23 + 80 + 21 * 4);
}

// The same with embeddings in front, and without the end of a string.
TEST_F(ParamsTest, CountsModelsOfTextByHand) {
  const auto layer = [](int inputs, int outputs) { return (inputs + 1) * outputs; };
  const json defaults = Params({"--model", "rns-4-5", "--text", "--vocabulary", "10000"});
  EXPECT_EQ(defaults["hidden_units"], 256);
  EXPECT_EQ(defaults["embedding_size"], 256);
  EXPECT_EQ(defaults["parameters"], 10000 * 256 + layer(256 + 20 + 256, 4 * 256) +
                                        layer(256, 10000) + layer(256, 20 * (20 + 20 + 4)));
  for (const auto& [name, bound] : Bounds(defaults)) EXPECT_EQ(bound, 0.05) << name;
  EXPECT_EQ(defaults["tensors"][0]["name"], "embeddings");
  const json named = Params({"--model", "sup-h-7", "--text", "--vocabulary", "9",
                             "--embedding-size", "5", "--init-bound", "0.5"});
  EXPECT_EQ(named["hidden_units"], 7);
  EXPECT_EQ(named["parameters"], 9 * 5 + layer(5 + 7 + 7, 4 * 7) + layer(7, 9) + layer(7, 3));
  EXPECT_EQ(Bounds(named)["output.bias"], 0.5);
}

TEST_F(ParamsTest, TheTableByHand) {
  const ProgramResult result = Run({"params", "--model", "vrns-1-2-3"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  // V = 3, H = 20, P = 2, R = 6; Xavier's bound is sqrt(6 / (inputs + outputs)).
  EXPECT_EQ(result.out,
            "name                      shape     count  starts\n"
            "controller.weights        [29, 80]   2320  uniform in [-0.1, 0.1]\n"
            "controller.bias           [80]         80  uniform in [-0.1, 0.1]\n"
            "output.weights            [20, 4]      80  uniform in [-0.5, 0.5]\n"
            "output.bias               [4]           4  zero\n"
            "stack.operations.weights  [20, 10]    200  uniform in [-0.4472, 0.4472]\n"
            "stack.operations.bias     [10]         10  zero\n"
            "stack.vector.weights      [20, 3]      60  uniform in [-0.5108, 0.5108]\n"
            "stack.vector.bias         [3]           3  zero\n"
            "stack.bottom_vector       [3]           3  uniform in [-0.1, 0.1]\n"
            "total                                2760\n");
}

TEST_F(ParamsTest, StartsOfThePapersCode) {
  const json paper = Params({"--model", "rns-2-3"});
  EXPECT_EQ(paper["initialization"], "paper");
  EXPECT_NEAR(Bounds(paper)["stack.operations.weights"], std::sqrt(6.0 / (20 + 84)), 1e-12);
  EXPECT_EQ(Bounds(paper)["stack.operations.bias"], 0);
  const json code = Params({"--model", "rns-2-3", "--init", "paper-code"});
  EXPECT_EQ(code["initialization"], "paper-code");
  EXPECT_EQ(Bounds(code)["stack.operations.weights"], 0.1);
  EXPECT_EQ(Bounds(code)["stack.operations.bias"], 0.1);
  EXPECT_NEAR(Bounds(code)["output.weights"], 0.5, 1e-12);
  EXPECT_EQ(Bounds(code)["output.bias"], 0);
}

TEST_F(ParamsTest, TheVocabularyOfALanguage) {
  EXPECT_EQ(Params({"--model", "lstm", "--task", "marked-reversal"})["vocabulary"], 3);
  EXPECT_EQ(Params({"--model", "lstm", "--task", "dyck", "--symbols", "40"})["vocabulary"], 80);
  const std::string grammar = WriteFile("abc.cfg", "S -> a S b | c\n");
  EXPECT_EQ(Params({"--model", "lstm", "--grammar", grammar})["vocabulary"], 3);
  EXPECT_EQ(Params({"--model", "lstm"})["vocabulary"], 3);
}

TEST_F(ParamsTest, TheyAreTheTensorsOfAModelFile) {
  for (const std::string model : {"lstm", "sup-2-3", "sup-h", "vrns-1-2-3"}) {
    const std::string file = ReadText(TrainTask(model, model) + "/model.safetensors");
    ASSERT_GT(file.size(), 8u);
    std::uint64_t size = 0;
    for (int n = 7; n >= 0; --n) size = size << 8 | static_cast<unsigned char>(file[n]);
    const json header = json::parse(file.substr(8, size));
    const json params = Params({"--model", model, "--task", "marked-reversal"});
    std::size_t in_file = 0;
    for (const auto& [name, tensor] : header.items()) in_file += name != "__metadata__" ? 1 : 0;
    EXPECT_EQ(in_file, params["tensors"].size());
    for (const json& tensor : params["tensors"]) {
      const std::string name = tensor["name"].get<std::string>();
      ASSERT_TRUE(header.contains(name)) << name;
      EXPECT_EQ(header[name]["shape"], tensor["shape"]) << name;
    }
  }
}

TEST_F(ParamsTest, BadUsageIsRefused) {
  struct {
    Arguments arguments;
    std::string message;
  } cases[] = {
      {{}, "no model is given; give --model NAME"},
      {{"--model", "gru"}, "--model: unknown model \"gru\"; known are lstm, sup-h, "},
      {{"--model", "rns-0-3"}, "--model: "},
      {{"--model", "lstm", "--hidden-units", "0"}, "--hidden-units: "},
      {{"--model", "lstm", "--vocabulary", "0"}, "--vocabulary: "},
      {{"--model", "lstm", "--bottom", "old"}, "--bottom old is for rns and vrns models"},
      {{"--model", "rns-2-3", "--init", "zero"}, "--init: "},
      {{"--model", "lstm", "--symbols", "3"}, "no language is given"},
      {{"--model", "lstm", "--task", "dyck", "--vocabulary", "3"},
       "give either --vocabulary N, or --vocabulary-file FILE, or --task NAME or --grammar FILE"},
      {{"--model", "lstm", "--task", "dick"}, "dick"},
      {{"--model", "lstm", "--grammar", "/nonexistent.cfg"}, "/nonexistent.cfg: cannot be read"},
      {{"--model", "rns-99-99", "--hidden-units", "16000"}, "--model: "},
      {{"--model", "lstm-5", "--hidden-units", "6"},
       "--hidden-units is 6, but --model lstm-5 has 5"},
      {{"--model", "lstm", "--text", "--task", "dyck"}, "--task is for models of strings"},
      {{"--model", "lstm", "--text", "--init", "paper"}, "--init is for models of strings"},
      {{"--model", "lstm", "--embedding-size", "3"}, "--embedding-size is for models of text"},
  };
  for (const auto& [arguments, message] : cases) {
    const ProgramResult result = Run(Joined({"params"}, arguments));
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    ExpectMessage(result, message);
  }
}

TEST_F(ParamsTest, AFullDiskFails) {
  const ProgramResult result = Run({"params", "--model", "lstm"}, "", "/dev/full");
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "standard output: cannot be written: No space left on device");
}

}  // namespace
}  // namespace pushdown::testing_cli
