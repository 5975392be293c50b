// What `pushdown train` computes.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/train_fixture.h"

namespace pushdown::testing_cli {
namespace {

TEST_F(TrainTest, LeavesTheFilesOfARun) {
  const ProgramResult result =
      TrainWell(Joined(kTask, {"--model", "rns-1-2", "--max-epochs", "3", "--seed", "7"}));
  Arguments files;
  for (const auto& [name, text] : Contents("run")) files.push_back(name);
  EXPECT_EQ(files, (Arguments{".lock", "checkpoint.safetensors", "config.json", "metrics.jsonl",
                              "model.safetensors", "summary.json", "timing.jsonl"}));
  const json config = Json("run/config.json");
  EXPECT_EQ(config["settings"]["model"], "rns-1-2");
  EXPECT_EQ(config["settings"]["seed"], 7);
  EXPECT_EQ(config["settings"]["language"]["language"], "marked-reversal");
  EXPECT_EQ(config["vocabulary"], (json{"0", "1", "#"}));
  for (const char* field : {"cpu", "simd_target", "threads", "pushdown"}) {
    EXPECT_TRUE(config["machine"].contains(field)) << field;
  }
  const std::vector<json> metrics = Metrics();
  ASSERT_EQ(metrics.size(), 3u);
  double best = INFINITY;
  for (int n = 0; n < 3; ++n) {
    const json& epoch = metrics[static_cast<std::size_t>(n)];
    EXPECT_EQ(epoch["epoch"], n + 1);
    EXPECT_EQ(epoch["best"], epoch["validation_cross_entropy"] < best);
    best = std::min(best, epoch["validation_cross_entropy"].get<double>());
  }
  const json summary = Json("run/summary.json");
  EXPECT_EQ(summary["validation_cross_entropy"], best);
  EXPECT_EQ(summary["stopped_by"], "epoch limit");
  EXPECT_EQ(summary["finished"], true);
  // An epoch a line on standard error, the table of results on standard output.
  EXPECT_NE(result.err.find("epoch   3  loss "), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find('\r'), std::string::npos) << "no bar unless on a terminal";
  EXPECT_NE(result.out.find("epoch limit"), std::string::npos) << result.out;
}

// The optimum that `pushdown data` finds for the same sets is the one that is subtracted.
TEST_F(TrainTest, DifferenceIsFromTheExactOptimum) {
  TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "2", "--data-seed", "31"}));
  ASSERT_EQ(Run(Joined({"data", "--out", Path("data"), "--seed", "31"}, kTask)).exit_code, 0);
  const double optimum = Json("data/task.json")["splits"]["validation"]["lower_bound"];
  for (const json& epoch : Metrics()) {
    EXPECT_DOUBLE_EQ(epoch["difference"].get<double>(),
                     epoch["validation_cross_entropy"].get<double>() - optimum);
  }
}

TEST_F(TrainTest, PreparedDataGivesTheSameAsSampling) {
  const Arguments procedure = {"--model", "sup-3", "--max-epochs", "3", "--seed", "5"};
  TrainWell(Joined(Joined(kTask, procedure), {"--data-seed", "31"}));
  ASSERT_EQ(Run(Joined({"data", "--out", Path("data"), "--seed", "31"}, kTask)).exit_code, 0);
  TrainWell(Joined({"--data", Path("data")}, procedure), "prepared");
  ExpectSameResults("run", "prepared");
}

TEST_F(TrainTest, DataWithoutALanguageHasNoDifference) {
  ASSERT_EQ(Run(Joined({"data", "--out", Path("data")}, kTask)).exit_code, 0);
  fs::remove(Path("data/task.json"));
  TrainWell({"--data", Path("data"), "--model", "lstm", "--max-epochs", "1"});
  EXPECT_TRUE(Metrics().at(0)["difference"].is_null());
}

TEST_F(TrainTest, DataOfAnotherLanguageIsRefused) {
  ASSERT_EQ(Run(Joined({"data", "--out", Path("data")}, kTask)).exit_code, 0);
  std::ofstream(Path("data/datasets/validation/main.tok"), std::ios::app) << "0 # 1\n";
  const ProgramResult result =
      Train({"--data", Path("data"), "--model", "lstm", "--max-epochs", "1"});
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "datasets/validation/main.tok:21: the string is not in the language");
  EXPECT_FALSE(fs::exists(Path("run")));
}

TEST_F(TrainTest, TrainsOnAGrammarThatIsGoneLater) {
  const std::string grammar = WriteFile("g.cfg", "S -> a S b [0.5] | c [0.5]\n");
  TrainWell({"--grammar", grammar, "--lengths", "1:9", "--test-lengths", "1:11", "--training-size",
             "20", "--validation-size", "10", "--test-size", "1", "--model", "rns-1-2",
             "--max-epochs", "2"});
  fs::remove(grammar);
  EXPECT_EQ(Resume().exit_code, 0);
  EXPECT_EQ(Run({"evaluate", Path("run")}).exit_code, 0);
}

TEST_F(TrainTest, DoesNotDependOnThreads) {
  const Arguments arguments =
      Joined(kTask, {"--model", "vrns-2-2-2", "--max-epochs", "3", "--batch-size", "7"});
  TrainWell(Joined(arguments, {"--threads", "1"}), "one");
  TrainWell(Joined(arguments, {"--threads", "2"}), "two");
  TrainWell(Joined(arguments, {"--threads", "5"}), "five");
  ExpectSameResults("one", "two");
  ExpectSameResults("one", "five");
}

TEST_F(TrainTest, RestartsAreTheSameInParallel) {
  const Arguments arguments =
      Joined(kTask, {"--model", "rns-1-2", "--max-epochs", "3", "--restarts", "4"});
  const ProgramResult sequence = TrainWell(Joined(arguments, {"--jobs", "1"}), "sequence");
  TrainWell(Joined(arguments, {"--jobs", "3", "--threads", "2"}), "parallel");
  double best = INFINITY;
  int best_restart = 0;
  for (int restart = 1; restart <= 4; ++restart) {
    const std::string name = "/restart-" + std::to_string(restart);
    ExpectSameResults("sequence" + name, "parallel" + name);
    const double value = Json("sequence" + name + "/summary.json")["difference"];
    if (value < best) best_restart = restart;
    best = std::min(best, value);
  }
  EXPECT_EQ(Json("sequence/summary.json")["best"], best_restart);
  EXPECT_EQ(Json("parallel/summary.json")["best"], best_restart);
  EXPECT_NE(sequence.out.find("\n" + std::to_string(best_restart) + " *"), std::string::npos)
      << sequence.out;
  // They differ from each other, in data, parameters and rate.
  EXPECT_NE(Text("sequence/restart-1/metrics.jsonl"), Text("sequence/restart-2/metrics.jsonl"));
  const json first = Json("sequence/restart-1/config.json")["settings"];
  const json second = Json("sequence/restart-2/config.json")["settings"];
  for (const char* key : {"data-seed", "parameter-seed", "shuffle-seed", "learning-rate"}) {
    EXPECT_NE(first[key], second[key]) << key;
  }
  // The learning rates are within the paper's range.
  EXPECT_GE(first["learning-rate"], 5e-4);
  EXPECT_LE(first["learning-rate"], 1e-2);
}

TEST_F(TrainTest, ARestartCanBeRepeatedAlone) {
  TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "2", "--restarts", "2"}), "both");
  const json settings = Json("both/restart-2/config.json")["settings"];
  Arguments arguments = Joined(kTask, {"--model", "lstm", "--max-epochs", "2"});
  for (const char* key : {"learning-rate", "data-seed", "parameter-seed", "shuffle-seed"}) {
    arguments = Joined(arguments, {std::string("--") + key, settings[key].dump()});
  }
  TrainWell(arguments, "alone");
  ExpectSameResults("both/restart-2", "alone");
}

// Each restart has a validation set of its own, so cross-entropies cannot be compared, but their
// distances to the optimum can. With these seeds, the two disagree.
TEST_F(TrainTest, TheBestRestartIsTheClosestToItsOptimum) {
  bool disagree = false;
  for (int seed = 1; seed <= 8 && !disagree; ++seed) {
    const std::string name = "run-" + std::to_string(seed);
    TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "1", "--restarts", "4", "--seed",
                             std::to_string(seed)}),
              name);
    int closest = 1;
    int lowest = 1;
    const auto summary = [&](int restart) {
      return Json(name + "/restart-" + std::to_string(restart) + "/summary.json");
    };
    for (int n = 2; n <= 4; ++n) {
      if (summary(n)["difference"] < summary(closest)["difference"]) closest = n;
      if (summary(n)["validation_cross_entropy"] < summary(lowest)["validation_cross_entropy"]) {
        lowest = n;
      }
    }
    EXPECT_EQ(Json(name + "/summary.json")["best"], closest);
    const ProgramResult evaluated = Run({"evaluate", Path(name)});
    EXPECT_NE(evaluated.out.find("restart-" + std::to_string(closest)), std::string::npos)
        << evaluated.out;
    disagree = closest != lowest;
  }
  EXPECT_TRUE(disagree) << "the seeds do not show it";
}

// Every number of the procedure has an effect.
TEST_F(TrainTest, OptionsOfTheProcedureMatter) {
  const Arguments base = Joined(kTask, {"--model", "vrns-1-2-2", "--max-epochs", "9", "--patience",
                                        "20", "--learning-rate", "0.02", "--decay-patience", "0"});
  TrainWell(base, "base");
  // Another improvement would be needed than there is, so that the rate falls.
  const std::vector<Arguments> variants = {
      {"--batch-size", "4"},    {"--clipping", "0.5"},     {"--beta1", "0.5"},
      {"--beta2", "0.5"},       {"--epsilon", "0.1"},      {"--decay-threshold", "0.5"},
      {"--shuffle-seed", "3"},  {"--parameter-seed", "3"}, {"--data-seed", "3"},
      {"--init", "paper-code"}, {"--hidden-units", "7"},   {"--initial-vector", "paper-code"},
      {"--bottom", "old"}};
  for (std::size_t n = 0; n < variants.size(); ++n) {
    const std::string name = "variant-" + std::to_string(n);
    TrainWell(Joined(base, variants[n]), name);
    EXPECT_NE(Text("base/metrics.jsonl"), Text(name + "/metrics.jsonl")) << variants[n][0];
  }
  TrainWell(Joined(base, {"--decay-threshold", "0.5", "--decay-factor", "0.5"}), "halved");
  const std::vector<json> metrics = Metrics("halved");
  EXPECT_DOUBLE_EQ(metrics.at(0)["learning_rate"], 0.02);
  EXPECT_DOUBLE_EQ(metrics.at(1)["learning_rate"], 0.02) << "the first epoch is an improvement";
  EXPECT_LT(metrics.at(8)["learning_rate"], 0.011);
  const double rate = metrics.at(8)["learning_rate"];
  EXPECT_DOUBLE_EQ(std::log2(0.02 / rate), std::round(std::log2(0.02 / rate)));
}

}  // namespace
}  // namespace pushdown::testing_cli
