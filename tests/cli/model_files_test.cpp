// Models without their runs, runs without their data, and runs that are made from others.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/cli/trained_run.h"

namespace pushdown::testing_cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class ModelFilesTest : public TrainedRunTest {
 protected:
  ProgramResult Expect(int exit_code, const Arguments& arguments) const {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    return result;
  }
};

TEST_F(ModelFilesTest, AModelAloneIsEvaluatedAndSampled) {
  const std::string run = TrainTask();
  const std::string all = Expect(0, {"evaluate", run, "--lengths", "3:15", "--json"}).out;
  fs::rename(run + "/model.safetensors", Path("alone.safetensors"));
  fs::remove_all(run);
  const std::string model = Path("alone.safetensors");
  // Strings of the same lengths, drawn with the default seed, as the run's test set was.
  const json sampled =
      json::parse(Expect(0, {"evaluate", model, "--lengths", "3:15", "--json"}).out);
  EXPECT_TRUE(sampled["sampled"].get<bool>());
  // The bound depends on the length only, and there are as many strings of each length.
  EXPECT_NEAR(sampled["lower_bound"].get<double>(), json::parse(all)["lower_bound"].get<double>(),
              1e-12);
  EXPECT_NEAR(sampled["difference"].get<double>(), json::parse(all)["difference"].get<double>(),
              0.2);
  ExpectMessage(Expect(2, {"evaluate", model}), "give --lengths A:B to sample some");
  EXPECT_FALSE(Expect(0, {"generate", model}).out.empty());
  ExpectMessage(Expect(2, {"lm", "generate", model}), "is a model of strings");
}

TEST_F(ModelFilesTest, WeightsFromElsewhereBecomeAModel) {
  const std::string run = TrainTask();
  const std::string weights = run + "/model.safetensors";
  Expect(0, {"params", "--import", weights, "--like", run, "--out", Path("like.safetensors")});
  Expect(0, {"params", "--import", weights, "--model", "lstm", "--task", "marked-reversal", "--out",
             Path("task.safetensors")});
  WriteFile("symbols.txt", "0\n1\n#\n");
  Expect(0, {"params", "--import", weights, "--model", "lstm", "--vocabulary-file",
             Path("symbols.txt"), "--out", Path("names.safetensors")});
  const std::string expected = Expect(0, {"generate", run, "--max-length", "20"}).out;
  for (const char* name : {"like.safetensors", "task.safetensors"}) {
    EXPECT_EQ(Expect(0, {"generate", Path(name), "--max-length", "20"}).out, expected) << name;
  }
  // Without a language, nothing is known of the strings but that they have ended.
  EXPECT_EQ(Expect(0, {"generate", Path("names.safetensors"), "--count", "1"}).out[0],
            expected.starts_with("cut") ? 'c' : '-');
  // A training can begin with it.
  Expect(0, Joined({"train", "--model", "lstm", "--start-from", Path("task.safetensors"),
                    "--max-epochs", "1", "--out", Path("more")},
                   SetArguments()));

  const auto refused = [&](const Arguments& more, const std::string& message) {
    ExpectMessage(Expect(2, Joined({"params", "--import", weights}, more)), message);
  };
  refused({"--like", run}, "give --out MODEL");
  refused({"--model", "lstm", "--out", Path("x")}, "the symbols of the model have no names");
  refused({"--model", "lstm", "--task", "dyck", "--out", Path("x")}, "has shape");
  refused({"--model", "sup-3", "--like", run, "--out", Path("x")}, "do not go together");
  refused({"--like", run, "--out", weights}, "--out is the input file");
  ExpectMessage(
      Expect(2, {"params", "--import", Path("symbols.txt"), "--like", run, "--out", Path("x")}),
      "symbols.txt: ");
  EXPECT_FALSE(fs::exists(Path("x")));
}

TEST_F(ModelFilesTest, ARunGoesOnWithDataThatWereMoved) {
  const std::string data = MakeUnknownData();
  const std::string run = Train("run", {"--data", data, "--model", "lstm"});
  fs::rename(data, Path("moved"));
  const Arguments resume = {"train", "--resume", "--out", run, "--max-epochs", "3"};
  ExpectMessage(Expect(2, resume), "if it was moved, give --data DIR");
  ExpectMessage(Expect(2, {"evaluate", run}), "if it was moved, give --data DIR");
  Expect(0, Joined(resume, {"--data", Path("moved")}));
  EXPECT_EQ(Settings(run)["data"], fs::canonical(Path("moved")).string());
  const auto table = [&](const Arguments& more) {
    const std::string text = Expect(0, Joined({"evaluate", run}, more)).out;
    return text.substr(text.find("split"));
  };
  EXPECT_EQ(table({"--data", Path("moved")}), table({}));
  // Others are refused.
  WriteFile("moved/main.tok", "a\n");
  ExpectMessage(Expect(2, {"train", "--resume", "--out", run, "--max-epochs", "4"}),
                "the strings are not those that the run began with");
}

TEST_F(ModelFilesTest, ARunIsRepeatedFromItsConfiguration) {
  const std::string run = TrainTask("run", "sup-3");
  const std::string config = run + "/config.json";
  Expect(0, {"train", "--config", config, "--out", Path("again")});
  EXPECT_EQ(ReadText(Path("again/metrics.jsonl")), ReadText(run + "/metrics.jsonl"));
  EXPECT_EQ(ReadText(Path("again/model.safetensors")), ReadText(run + "/model.safetensors"));
  Expect(0, {"train", "--config", config, "--model", "rns-1-2", "--out", Path("other")});
  json changed = Settings(run);
  EXPECT_EQ(Settings(Path("other"))["model"], "rns-1-2");
  changed["model"] = "rns-1-2";
  EXPECT_EQ(Settings(Path("other")), changed);
  ExpectMessage(Expect(2, {"lm", "train", "--config", config, "--out", Path("text")}),
                "the settings are those of a model of strings");
}

TEST_F(ModelFilesTest, ADryRunWritesNothingAndSaysWhatItTakes) {
  const Arguments arguments =
      Joined(SetArguments(), {"--model", "lstm", "--threads", "1", "--restarts", "4", "--jobs", "2",
                              "--out", Path("run"), "--dry-run"});
  const ProgramResult text = Expect(0, Joined({"train"}, arguments));
  EXPECT_NE(text.out.find("hidden-units         20\n"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("60 strings in 6 batches an epoch"), std::string::npos) << text.out;
  const json plan = json::parse(Expect(0, Joined({"train", "--json"}, arguments)).out);
  EXPECT_EQ(plan["settings"]["lengths"], "3:9");
  EXPECT_EQ(plan["batches_per_epoch"], 6);
  EXPECT_GT(plan["memory_bytes"].get<double>(), 0);
  EXPECT_GT(plan["longest_seconds"].get<double>(), 0);
  EXPECT_FALSE(fs::exists(Path("run")));
}

}  // namespace
}  // namespace pushdown::testing_cli
