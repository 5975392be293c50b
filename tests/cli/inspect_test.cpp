#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/lm_fixture.h"
#include "tests/cli/program.h"
#include "tests/cli/trained_run.h"
#include "tests/sanitized.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;

std::vector<json> JsonLines(const std::string& text) {
  std::vector<json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  return lines;
}

// No line of a drawing is longer than 80 characters.
void ExpectFits(const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    });
    EXPECT_LE(columns, 80) << line;
  }
}

class InspectTest : public TrainedRunTest {
 protected:
  static void ExpectHas(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), text.npos) << part << "\nin\n" << text;
    }
  }
  std::string CompileGrammar(const std::string& text) const {
    const ProgramResult result =
        Run({"compile", WriteFile("g.cfg", text), "--out", Path("recognizer")});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Path("recognizer");
  }
};

TEST_F(InspectTest, ShowsStepsRunsAndTops) {
  const std::string run = TrainTask("run", "rns-2-2");
  const ProgramResult result = Run({"inspect", run, "0 1 # 1 0", "--runs", "2", "--samples", "3"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  ExpectHas(result.out, {"0 1 # 1 0\n", "rns-2-2, 20 hidden units: log p -",
                         "optimum -2.773, of p_L with lengths", "step  read     log p   optimum",
                         "transition", "(start)", "<eos>", "Run 1: probability ",
                         "Run 2: probability ", "differs from run 1", "Sampled ", " of 3 times",
                         "stack", "expected height", "given all", "pushed in step 0"});
  ExpectFits(result.out);
}

// The optimum by hand: lengths 3, 5, 7 and 9, each a quarter; the first symbol is 0 or 1. After it,
// # follows only in the two strings of length 3.
TEST_F(InspectTest, JsonHasTheModelsLogPBesideTheOptimum) {
  const std::string run = TrainTask("run", "rns-2-2");
  const ProgramResult result = Run({"inspect", run, "0 # 0", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<json> lines = JsonLines(result.out);
  ASSERT_EQ(lines.size(), 1u);
  const json& predictions = lines[0]["predictions"];
  ASSERT_EQ(predictions.size(), 4u);
  EXPECT_NEAR(predictions[0]["optimum_log_p"], std::log(0.5), 1e-9);
  EXPECT_NEAR(predictions[1]["optimum_log_p"], std::log(0.25), 1e-9);
  EXPECT_NEAR(predictions[2]["optimum_log_p"], 0, 1e-9);
  EXPECT_NEAR(predictions[3]["optimum_log_p"], 0, 1e-9);
  EXPECT_NEAR(lines[0]["optimum"]["log_p"], std::log(0.125), 1e-9);
  double sum = 0;
  for (const json& prediction : predictions) sum += prediction["log_p"].get<double>();
  EXPECT_NEAR(lines[0]["log_p"], sum, 1e-9);
  EXPECT_EQ(lines[0]["automaton"]["transitions"].size(), 2u);
}

TEST_F(InspectTest, FilesHaveAStringALine) {
  const std::string run = TrainTask("run", "vrns-1-2-2");
  const std::string file = WriteFile("strings", "0 # 0\n\n1 1 # 1 1\n");
  const ProgramResult result = Run({"inspect", run, "--file", file, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<json> lines = JsonLines(result.out);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1]["string"], "");
  EXPECT_EQ(lines[1]["predictions"].size(), 1u);
  EXPECT_EQ(lines[2]["string"], "1 1 # 1 1");
  EXPECT_EQ(lines[2]["readings"].size(), 5u);
  EXPECT_EQ(lines[2]["readings"][0].size(), 4u);
  EXPECT_EQ(Run({"inspect", run, "--file", "-", "--json"}, "0 # 0\n\n1 1 # 1 1\n").out, result.out);
}

TEST_F(InspectTest, OnlySomeStepsArePrinted) {
  const std::string run = TrainTask("run", "rns-2-2");
  const std::string text = Run({"inspect", run, "0 1 0 # 0 1 0", "--steps", "2:3"}).out;
  EXPECT_EQ(text.find("(start)"), text.npos) << text;
  EXPECT_EQ(text.find("<eos>"), text.npos) << text;
  ExpectHas(text, {"\n2     1", "\n3     0", "step  2  3\n"});
}

TEST_F(InspectTest, RunsMayBeTablesOfSteps) {
  const std::string run = TrainTask("run", "rns-2-2");
  const Arguments arguments = {"inspect", run, "0 1 # 1 0", "--samples", "1"};
  const ProgramResult result = Run(Joined(arguments, {"--table"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.find("\nstate q0"), result.out.npos) << "a drawing";
  ExpectFits(result.out);
  const std::size_t first = result.out.find("Run 1: ");
  const std::size_t sampled = result.out.find("Sampled 1 of 1 times");
  ASSERT_NE(sampled, result.out.npos) << result.out;
  const std::string table = result.out.substr(first, sampled - first);
  ExpectHas(table, {"\nstep  read     transition", "  stack\n0     (start)", "  ⊥\n1     0  ",
                    "\n2     1        q", "\n3     #        q", "\n4     1        q"});
  EXPECT_EQ(table.find("\n5 "), table.npos) << "the last symbol does nothing to the stack";
  ExpectHas(Run(Joined(arguments, {"--table", "--steps", "2:3"})).out, {"stack\n2     1     q"});
}

TEST_F(InspectTest, OtherModelsHaveWhatTheyHave) {
  const ProgramResult sup = Run({"inspect", TrainTask("sup", "sup-3-2"), "0 1 # 1 0"});
  ASSERT_EQ(sup.exit_code, 0) << sup.err;
  ExpectHas(sup.out, {"push", "no-op", "pop", "weights", "norms"});
  ExpectFits(sup.out);
  const ProgramResult vrns = Run({"inspect", TrainTask("vrns", "vrns-1-2-3"), "0 1 # 1 0"});
  ASSERT_EQ(vrns.exit_code, 0) << vrns.err;
  ExpectHas(vrns.out, {"Run 1: "});
  EXPECT_EQ(vrns.out.find("…"), vrns.out.npos) << vrns.out;
  ExpectFits(vrns.out);
  const ProgramResult wide = Run({"inspect", TrainTask("wide", "vrns-1-2-9"), "0 1 # 1 0"});
  ExpectHas(wide.out, {"…  q0 ⊥"});  // the ninth component
  ExpectFits(wide.out);
  const ProgramResult lstm = Run({"inspect", TrainTask("lstm", "lstm"), "0 1 # 1 0"});
  ASSERT_EQ(lstm.exit_code, 0) << lstm.err;
  ExpectHas(lstm.out, {"The model has no stack."});
}

TEST_F(InspectTest, AModelFileAloneNeedsLengthsForAnOptimum) {
  const std::string run = TrainTask("run", "rns-1-2");
  const std::string model = Path("alone.safetensors");
  std::filesystem::copy_file(run + "/model.safetensors", model);
  ExpectHas(Run({"inspect", model, "0 # 0"}).out, {"no optimum", "--lengths A:B"});
  const std::string text = Run({"inspect", model, "0 # 0", "--lengths", "3"}).out;
  ExpectHas(text, {"optimum -0.693, of p_L"});
}

TEST_F(InspectTest, ARecognizerHasTheNamesOfItsAutomaton) {
  const std::string recognizer = CompileGrammar("S -> a S b | a b\n");
  const ProgramResult result = Run({"inspect", recognizer, "a a b b", "--runs", "10"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  ExpectHas(result.out, {"accepted, y = 0.5", "; 2 runs, with the one", "Run 1: "});
  ExpectFits(result.out);
  const json object = JsonLines(Run({"inspect", recognizer, "a b b", "--json"}).out).at(0);
  EXPECT_EQ(object["kind"], "recognizer");
  EXPECT_EQ(object["recognition"]["accepted"], false);
  EXPECT_EQ(object["inputs"], json({"a", "b", "b", "<eos>"}));
  EXPECT_TRUE(object["log_p"].is_null());
  EXPECT_EQ(object["automaton"]["transitions"].size(), 3u);
}

TEST_F(InspectTest, MistakesAreSaid) {
  const std::string run = TrainTask("run", "rns-1-2");
  const auto expect_refused = [&](const Arguments& arguments, const std::string& message) {
    const ProgramResult result = Run(Joined({"inspect"}, arguments));
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    ExpectMessage(result, message);
  };
  expect_refused({}, "MODEL is required");
  expect_refused({run}, "no string is given");
  expect_refused({run, "0", "--file", "x"}, "not both");
  expect_refused({run, "0 2 0"},
                 "position 2: \"2\" is not in the vocabulary; the symbols are: 0 1 #");
  expect_refused({run, "0\n1"}, "more than one line");
  expect_refused({run, "--file", Path("none")}, Path("none"));
  expect_refused({run, "--file", WriteFile("bad", "0 # 0\n0 x\n")}, "line 2, position 2");
  expect_refused({run, "0 # 0", "--steps", "4:5"}, "--steps 4:5: string 1 has steps 0:3");
  expect_refused({run, "0 # 0", "--steps", "5:4"}, "--steps: ");
  expect_refused({run, "0 # 0", "--lengths", "2"}, "--lengths: ");
  expect_refused({run, "0 # 0", "--runs", "-1"}, "--runs: ");
  expect_refused({run, "0 # 0", "--top", "0"}, "--top: ");
  expect_refused({run, "0 # 0", "--seed", "2"}, "--seed without --samples");
  expect_refused({CompileGrammar("S -> a\n"), "a", "--lengths", "1"}, "predicts nothing");
  WriteFile("recognizer/model.safetensors", "broken");
  expect_refused({Path("recognizer"), "a"}, "recognizer/model.safetensors");
  WriteFile("recognizer/config.json", "[1]");
  expect_refused({Path("recognizer"), "a"}, "recognizer/config.json");
  expect_refused({"/nonexistent", "a"}, "/nonexistent");
  expect_refused({WriteFile("file", "text"), "a"}, Path("file"));
}

TEST_F(InspectTest, StringsThatAreTooLongForTheMemoryAreRefused) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs an address space of terabytes";
  const std::string run = TrainTask("run", "rns-2-2");
  LimitAddressSpace(rlim_t{1} << 30);
  std::string text;
  for (int n = 0; n < 9000; ++n) text += "0 ";
  const ProgramResult result = Run({"inspect", run, "--file", WriteFile("long", text + "\n")});
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "of memory");
}

class InspectTextTest : public LmTest {};

TEST_F(InspectTextTest, ASentenceIsTheFirstOneOfAText) {
  const ProgramResult trained = Run(TrainArguments(Small("rns-1-2"), "run"));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const std::string run = Path("run");
  const ProgramResult result = Run({"inspect", run, "a cat sees the zebra"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"<eos>", "<unk>", "Run 1: ", "transition"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << result.out;
  }
  ExpectFits(result.out);
  const std::vector<json> lines =
      JsonLines(Run({"inspect", run, "--file", "-", "--json"}, "a cat\nthe dog sees\n").out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["inputs"], json({"<eos>", "a", "cat"}));
  EXPECT_EQ(lines[1]["predictions"].size(), 4u);
  // The same as `lm score`, which reads each sentence by itself.
  const std::vector<json> scores =
      JsonLines(Run({"lm", "score", run, "--json"}, "a cat\nthe dog sees\n").out);
  for (std::size_t n = 0; n < 2; ++n) {
    EXPECT_NEAR(lines[n]["log_p"], scores[n]["log_p"].get<double>(), 1e-4);
  }
}

}  // namespace
}  // namespace pushdown::testing_cli
