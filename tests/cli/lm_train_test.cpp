// What `pushdown lm train` computes, and that it goes on exactly where it was stopped.

#include <signal.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/cli/lm_fixture.h"

namespace pushdown::testing_cli {
namespace {

TEST_F(LmTest, LeavesTheFilesOfARun) {
  const ProgramResult result = TrainWell(Small());
  Arguments files;
  for (const auto& [name, text] : Contents("run")) files.push_back(name);
  EXPECT_EQ(files, (Arguments{".lock", "checkpoint.safetensors", "config.json", "metrics.jsonl",
                              "model.safetensors", "summary.json", "timing.jsonl"}));
  const json config = Json("run/config.json");
  EXPECT_EQ(config["kind"], "text");
  EXPECT_EQ(config["settings"]["model"], "vrns-2-2-2");
  EXPECT_EQ(config["settings"]["window"], 35);
  EXPECT_EQ(config["settings"]["embedding-size"], 6) << "as many as hidden units";
  EXPECT_EQ(config["vocabulary"].size(), 11u) << "3 nouns, 3 verbs, a, the, that, <unk> and <eos>";
  const std::vector<json> metrics = Metrics();
  ASSERT_EQ(metrics.size(), 3u);
  for (const json& epoch : metrics) {
    EXPECT_DOUBLE_EQ(epoch["training_perplexity"],
                     std::exp(epoch["training_cross_entropy"].get<double>()));
    EXPECT_DOUBLE_EQ(epoch["validation_perplexity"],
                     std::exp(epoch["validation_cross_entropy"].get<double>()));
    EXPECT_FALSE(epoch.contains("difference"));
  }
  EXPECT_LT(metrics[2]["training_perplexity"], metrics[0]["training_perplexity"]) << "it learns";
  const json summary = Json("run/summary.json");
  EXPECT_EQ(summary["validation_perplexity"],
            metrics[summary["best_epoch"].get<std::size_t>() - 1]["validation_perplexity"]);
  EXPECT_EQ(summary["clipping"], 0.5);
  EXPECT_EQ(summary["stopped_by"], "epoch limit");
  EXPECT_NE(result.err.find("epoch   3  perplexity "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(" tokens/s  at most "), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find('\r'), std::string::npos) << "no bar unless on a terminal";
  EXPECT_NE(result.out.find("validation  perplexity"), std::string::npos) << result.out;
}

TEST_F(LmTest, DoesNotDependOnThreads) {
  for (const char* model : {"lstm", "sup-h", "sup-3-2", "rns-1-2", "vrns-2-2-2"}) {
    const std::string name = model;
    TrainWell(Small(model, {"--threads", "1"}), name + "-1");
    for (const char* threads : {"2", "5"}) {
      TrainWell(Small(model, {"--threads", threads}), name + threads);
      ExpectSameResults(name + "-1", name + threads);
    }
  }
}

// Every session trains on one batch only, or validates, and the next one goes on from its files.
TEST_F(LmTest, GoesOnFromEveryBatch) {
  for (const char* model : {"lstm", "sup-h", "sup-3-2", "rns-2-2", "vrns-1-2-2"}) {
    const std::string name = model;
    Arguments arguments = Small(model, {"--max-epochs", "2", "--batch-size", "8"});
    TrainWell(arguments, name + "-whole");
    int sessions = 0;
    int carrying = 0;
    do {
      const ProgramResult result = Train(Joined(arguments, {"--time-limit", "0.000001s"}), name);
      const bool finished = fs::exists(Path(name + "/summary.json"));
      ASSERT_EQ(result.exit_code, finished ? 0 : 75) << result.err;
      carrying += Text(name + "/checkpoint.safetensors").find("\"carried\":{\"dtype\":\"U8\"") <
                          std::string::npos
                      ? 1
                      : 0;
      arguments = {"--resume", "--threads", ++sessions % 2 == 0 ? "1" : "2"};
    } while (!fs::exists(Path(name + "/summary.json")) && sessions < 1000);
    EXPECT_GT(sessions, 10) << model;
    EXPECT_EQ(carrying, sessions - 4) << "not before validation, and not after it";
    ExpectSameResults(name + "-whole", name);
    EXPECT_EQ(Text(name + "-whole/checkpoint.safetensors"), Text(name + "/checkpoint.safetensors"));
  }
}

class LmInterruptionTest : public LmTest, public ::testing::WithParamInterface<int> {};

// Within the first epoch, as soon as there is a checkpoint.
TEST_P(LmInterruptionTest, ResumedRunIsBitIdentical) {
  TrainWell(Long(), "whole");
  const pid_t child =
      Start(TrainArguments(Joined(Long(), {"--checkpoint-interval", "0.01s"}), "run"));
  WaitFor("run/checkpoint.safetensors", 0);
  ASSERT_EQ(kill(child, GetParam()), 0);
  const ProgramResult result = Finish(child);
  if (GetParam() == SIGKILL) {
    EXPECT_EQ(result.exit_code, -1);
  } else {
    EXPECT_EQ(result.exit_code, 128 + GetParam()) << result.err;
    EXPECT_NE(result.err.find("go on with: pushdown lm train --resume --out " + Path("run") + "\n"),
              std::string::npos)
        << result.err;
  }
  EXPECT_TRUE(Metrics().empty()) << "it was not stopped in time";
  const ProgramResult resumed = Resume({"--threads", "3"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("resumed after 0 epochs and "), std::string::npos) << resumed.err;
  EXPECT_EQ(resumed.err.find("resumed after 0 epochs and 0 "), std::string::npos) << resumed.err;
  ExpectSameResults("whole", "run");
  EXPECT_EQ(Text("whole/checkpoint.safetensors"), Text("run/checkpoint.safetensors"));
}
INSTANTIATE_TEST_SUITE_P(Signals, LmInterruptionTest, ::testing::Values(SIGTERM, SIGKILL),
                         [](const auto& signal) {
                           return signal.param == SIGTERM ? "Terminate" : "Kill";
                         });

TEST_F(LmTest, RestartsAreTheSameInParallel) {
  Arguments arguments = {"--data",         Path("text"), "--model",      "rns-1-2",
                         "--hidden-units", "6",          "--batch-size", "4",
                         "--max-epochs",   "2",          "--restarts",   "3"};
  const ProgramResult sequence = TrainWell(arguments, "sequence");
  TrainWell(Joined(arguments, {"--jobs", "3", "--threads", "2"}), "parallel");
  const json summary = Json("sequence/summary.json");
  ASSERT_EQ(summary["runs"].size(), 3u);
  double best = INFINITY;
  for (int restart = 1; restart <= 3; ++restart) {
    const std::string name = "/restart-" + std::to_string(restart);
    ExpectSameResults("sequence" + name, "parallel" + name);
    best = std::min(
        best, Json("sequence" + name + "/summary.json")["validation_perplexity"].get<double>());
    const json settings = Json("sequence" + name + "/config.json")["settings"];
    EXPECT_GE(settings["learning-rate"], 1);
    EXPECT_LE(settings["learning-rate"], 100);
    EXPECT_GE(settings["clipping"], 0.0112);
    EXPECT_LE(settings["clipping"], 1.12);
    EXPECT_EQ(Json("sequence" + name + "/config.json")["machine"]["threads"].get<unsigned>(),
              std::max(1u, std::thread::hardware_concurrency()))
        << "one at a time, on all CPUs";
  }
  const int number = summary["best"];
  EXPECT_EQ(summary["runs"][static_cast<std::size_t>(number - 1)]["validation_perplexity"], best);
  const json first = Json("sequence/restart-1/config.json")["settings"];
  const json second = Json("sequence/restart-2/config.json")["settings"];
  for (const char* key : {"parameter-seed", "learning-rate", "clipping"}) {
    EXPECT_NE(first[key], second[key]) << key;
  }
  // Giving one of two numbers that are drawn does not change the other.
  arguments = Replaced(arguments, {"--learning-rate", "3", "--max-epochs", "1"});
  TrainWell(arguments, "given");
  EXPECT_EQ(Json("given/restart-2/config.json")["settings"]["clipping"], second["clipping"]);
  EXPECT_EQ(Json("given/restart-2/config.json")["settings"]["learning-rate"], 3);
}

// A rate so high that epochs are better and worse in turn, and a validation text of another kind.
TEST_F(LmTest, TheRateFallsAfterEveryEpochWithoutImprovement) {
  WriteFile("text/small.valid.txt", "the cat a dog\nsees likes a\n");
  TrainWell(Small("lstm", {"--learning-rate", "30", "--clipping", "2", "--max-epochs", "100"}));
  const std::vector<json> metrics = Metrics();
  ASSERT_GE(metrics.size(), 3u);
  int bad = 0;
  for (std::size_t n = 0; n + 1 < metrics.size(); ++n) {
    EXPECT_LT(bad, 2) << "epoch " << n + 1 << " should not have been begun";
    const bool best = metrics[n]["best"];
    bad = best ? 0 : bad + 1;
    EXPECT_DOUBLE_EQ(metrics[n + 1]["learning_rate"],
                     metrics[n]["learning_rate"].get<double>() / (best ? 1 : 1.5));
  }
  EXPECT_EQ(Json("run/summary.json")["stopped_by"], "no improvement");
  EXPECT_FALSE(metrics[metrics.size() - 1]["best"]);
  EXPECT_FALSE(metrics[metrics.size() - 2]["best"]);
}

// Every number has an effect.
TEST_F(LmTest, OptionsMatter) {
  const auto expect_effect = [&](const std::string& model, const std::vector<Arguments>& variants) {
    TrainWell(Small(model), model);
    for (const Arguments& variant : variants) {
      const std::string name = model + variant[0] + variant[1];
      TrainWell(Small(model, variant), name);
      EXPECT_NE(Text(model + "/metrics.jsonl"), Text(name + "/metrics.jsonl")) << name;
    }
  };
  expect_effect("vrns-2-2-2", {{"--hidden-units", "7"},
                               {"--embedding-size", "7"},
                               {"--window", "2"},
                               {"--bottom", "old"},
                               {"--initial-vector", "paper-code"},
                               {"--init-bound", "0.5"},
                               {"--batch-size", "5"},
                               {"--chunk-length", "6"},
                               {"--learning-rate", "1"},
                               {"--clipping", "0.01"},
                               {"--parameter-seed", "1"}});
  expect_effect("sup-2", {{"--depth-limit", "1"}});
}

TEST_F(LmTest, NamesWithHiddenUnits) {
  const Arguments arguments = {"--data",     Path("text"), "--learning-rate", "1",
                               "--clipping", "0.1",        "--max-epochs",    "1"};
  TrainWell(Joined(arguments, {"--model", "lstm-7"}), "named");
  TrainWell(Joined(arguments, {"--model", "lstm", "--hidden-units", "7"}), "given");
  EXPECT_EQ(Text("named/metrics.jsonl"), Text("given/metrics.jsonl"));
  EXPECT_EQ(Json("named/config.json")["settings"]["hidden-units"], 7);
  EXPECT_EQ(Json("named/config.json")["settings"]["embedding-size"], 7);
  TrainWell(Joined(arguments, {"--model", "lstm-7", "--hidden-units", "7"}), "both");
  EXPECT_EQ(Run({"lm", "train", "--resume", "--model", "lstm-7", "--out", Path("named")}).exit_code,
            0);
}

TEST_F(LmTest, ConfigurationFilesSetOptions) {
  const std::string file = WriteFile("c.toml", "data = '" + Path("text") +
                                                   "'\nmodel = 'lstm'\nhidden-units = 5\n"
                                                   "chunk-length = 9\nmax-epochs = 1\n");
  TrainWell({"--config", file, "--max-epochs", "2"});
  EXPECT_EQ(Json("run/config.json")["settings"]["chunk-length"], 9);
  EXPECT_EQ(Metrics().size(), 2u);
  const ProgramResult bad = Train({"--config", WriteFile("bad.toml", "task = 'dyck'\n")}, "other");
  EXPECT_EQ(bad.exit_code, 2);
  ExpectMessage(bad, "task is not an option that a file can have; see pushdown lm train --help");
}

// --- Runs of one kind are not taken for the other.

TEST_F(LmTest, RunsOfStringsAndOfTextAreNotMixedUp) {
  TrainWell(Small("lstm", {"--max-epochs", "1"}));
  ASSERT_EQ(Run(Joined({"train", "--model", "lstm", "--max-epochs", "1", "--out", Path("strings")},
                       kTask))
                .exit_code,
            0);
  EXPECT_EQ(Json("strings/config.json")["kind"], "strings");
  const auto expect_refusal = [&](const Arguments& arguments, const std::string& instead) {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 2) << instead;
    EXPECT_EQ(result.out, "");
    ExpectMessage(result, instead);
  };
  expect_refusal({"train", "--resume", "--out", Path("run")},
                 "is a run of `pushdown lm train`; use `pushdown lm train --resume`");
  expect_refusal({"lm", "train", "--resume", "--out", Path("strings")},
                 "is a run of `pushdown train`; use `pushdown train --resume`");
  expect_refusal({"lm", "evaluate", Path("strings")}, "use `pushdown evaluate`");
  expect_refusal({"lm", "generate", Path("strings")}, "use `pushdown generate`");
  // Runs from before there were models of text have no kind.
  json config = Json("strings/config.json");
  config.erase("kind");
  WriteFile("strings/config.json", config.dump());
  EXPECT_EQ(Run({"train", "--resume", "--out", Path("strings")}).exit_code, 0);
  EXPECT_EQ(Run({"evaluate", Path("strings")}).exit_code, 0);
  for (const json& kind : {json("speech"), json(1), json()}) {
    config["kind"] = kind;
    WriteFile("strings/config.json", config.dump());
    expect_refusal({"evaluate", Path("strings")}, "config.json: ");
  }
}

TEST_F(LmTest, ChangedDataIsNoticed) {
  TrainWell(Small("lstm", {"--max-epochs", "1"}));
  WriteFile("text/small.valid.txt", Sentences(15, 9));
  const ProgramResult result = Resume();
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "the files of --data have changed");
}

TEST_F(LmTest, StartsFromAnotherModelOfTheSameWords) {
  TrainWell(Small("rns-1-2", {"--max-epochs", "1"}), "first");
  TrainWell(Small(
      "rns-1-2", {"--max-epochs", "1", "--learning-rate", "1e-30", "--start-from", Path("first")}));
  const auto perplexity = [&](const std::string& run) {
    return json::parse(
        Run({"lm", "evaluate", Path(run), "--split", "validation", "--json"}).out)["perplexity"];
  };
  EXPECT_EQ(perplexity("run"), perplexity("first"));
  ASSERT_EQ(
      Run({"train", "--task", "dyck", "--lengths", "4", "--test-lengths", "4", "--training-size",
           "10", "--model", "rns-1-2", "--max-epochs", "1", "--out", Path("strings")})
          .exit_code,
      0);
  const ProgramResult result = Train(Small("rns-1-2", {"--start-from", Path("strings")}), "other");
  EXPECT_EQ(result.exit_code, 2);
  ExpectMessage(result, "is a run of `pushdown train`; use `pushdown train --start-from`");
}

TEST_F(LmTest, ResumingWithOtherOptionsIsRefused) {
  EXPECT_EQ(Train(Small("lstm", {"--time-limit", "0.000001s"})).exit_code, 75);
  const auto expect_refusal = [&](const Arguments& more, const std::string& message) {
    const ProgramResult result = Resume(more);
    EXPECT_EQ(result.exit_code, 2);
    ExpectMessage(result, message);
  };
  expect_refusal({"--clipping", "4"}, "--clipping is 4.0, but the run has 0.5");
  expect_refusal({"--chunk-length", "4"}, "--chunk-length is 4, but the run has 5");
  expect_refusal({"--window", "4"}, "--window is for rns and vrns models");
  EXPECT_EQ(Resume(Small("lstm")).exit_code, 0) << "the same options are no contradiction";
}

TEST_F(LmTest, BadUsageIsExplained) {
  WriteFile("file", "");
  fs::create_directory(Path("empty"));
  const Arguments data = {"--data", Path("text")};
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"--model", "lstm"}, "no text to train on is given; give --data DIR"},
      {data, "no model is given"},
      {{"--data", Path("file"), "--model", "lstm"}, "is not a directory"},
      {{"--data", Path("nothing"), "--model", "lstm"}, "does not exist"},
      {{"--data", Path("empty"), "--model", "lstm"}, "--data: "},
      {Joined(data, {"--model", "gru"}), "unknown model \"gru\""},
      {Joined(data, {"--model", "lstm-256", "--hidden-units", "20"}),
       "--hidden-units is 20, but --model lstm-256 has 256"},
      {Joined(data, {"--model", "lstm-x"}), "is not a number of hidden units"},
      {Joined(data, {"--model", "lstm", "--window", "3"}), "--window is for rns and vrns models"},
      {Joined(data, {"--model", "sup-2", "--window", "3"}), "--window is for rns and vrns models"},
      {Joined(data, {"--model", "rns-1-2", "--depth-limit", "3"}), "--depth-limit is for sup"},
      {Joined(data, {"--model", "rns-1-2", "--window", "0"}), "--window: "},
      {Joined(data, {"--model", "lstm", "--bottom", "old"}), "--bottom old is for rns and vrns"},
      {Joined(data, {"--model", "lstm", "--batch-size", "0"}), "--batch-size: "},
      {Joined(data, {"--model", "lstm", "--chunk-length", "0"}), "--chunk-length: "},
      {Joined(data, {"--model", "lstm", "--clipping", "-1"}), "--clipping: "},
      {Joined(data, {"--model", "lstm", "--init-bound", "0"}), "--init-bound: "},
      {Joined(data, {"--model", "lstm", "--embedding-size", "0"}), "--embedding-size: "},
      {Joined(data, {"--model", "lstm", "--min-learning-rate", "200"}), "is greater than"},
      {Joined(data, {"--model", "lstm", "--min-clipping", "2"}),
       "--min-clipping is greater than --max-clipping"},
      {Joined(data, {"--model", "lstm", "--task", "dyck"}), "--task"},
      {Joined(data, {"--model", "rns-3-3", "--window", "5000"}), "of memory"},
  };
  for (const auto& [arguments, message] : cases) {
    const ProgramResult result = Train(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    ExpectMessage(result, message);
    EXPECT_FALSE(fs::exists(Path("run"))) << message;
  }
  EXPECT_EQ(Run({"lm"}).exit_code, 2);
}

// Learning rates beyond all measure.
TEST_F(LmTest, ADivergingRunEndsWithAReason) {
  const ProgramResult result =
      Train(Small("lstm", {"--learning-rate", "1e33", "--clipping", "1e9"}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("epoch 1, batch 1 of "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("the step would be too large"), std::string::npos) << result.err;
}

TEST_F(LmTest, RefusesADirectoryWhoseNameCannotBeKept) {
  const std::string name = "d\xff";
  std::filesystem::copy(Path("text"), Path(name));
  const ProgramResult result =
      Run(Joined({"lm", "train", "--out", Path("run")},
                 {"--data", Path(name), "--model", "lstm", "--hidden-units", "3"}));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("not UTF-8"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(Path("run")));
}

TEST_F(LmTest, HugeBatchesAndChunksAreThoseOfTheText) {
  const ProgramResult result =
      Run(Joined({"lm", "train", "--out", Path("run")},
                 Small("rns-1-2", {"--batch-size", "1000000", "--chunk-length", "1000000"})));
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(LmTest, TextsThatAreBrokenAreRefusedByLine) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "small.train.txt: is empty"},
      {"\n\n", "small.train.txt: "},
      {std::string("a b\nc \0 d\n", 10), "line 2, position 2"},
      {"a b\n\xff\xfe\n", "line 2, position 1"},
      {"a <eos>\n", "line 1, position 2"},
      {std::string(100'000, 'x') + "\n", "line 1, position 1"}};
  for (const auto& [text, message] : cases) {
    WriteFile("text/small.train.txt", text);
    const ProgramResult result = Train(Small("lstm"));
    EXPECT_EQ(result.exit_code, 2) << message;
    ExpectMessage(result, message);
    EXPECT_FALSE(fs::exists(Path("run"))) << message;
  }
}

TEST_F(LmTest, UnusualTextsAreFine) {
  // Windows line ends, one word, a line of 10 MB, no end of the last line, a byte order mark.
  std::string line;
  while (line.size() < 10'000'000) line += "a b c d ";
  const std::string texts[] = {"a b\r\nb a\r\n", "a\n", line + "\n", "a b\na", "\ufeffa b\n"};
  for (const std::string& text : texts) {
    for (const char* split : {"train", "valid", "test"}) {
      WriteFile(std::string("text/small.") + split + ".txt", text);
    }
    fs::remove_all(Path("run"));
    const ProgramResult result =
        Train({"--data", Path("text"), "--model", "lstm-2", "--learning-rate", "1", "--clipping",
               "1", "--batch-size", "1000", "--max-epochs", "1"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

}  // namespace
}  // namespace pushdown::testing_cli
