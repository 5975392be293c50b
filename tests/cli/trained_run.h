#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/formal_text.h"
#include "tests/cli/program.h"

namespace pushdown::testing_cli {

// Tests of commands that take a run, with small ones to try.
class TrainedRunTest : public ProgramTest {
 protected:
  using Arguments = std::vector<std::string>;

  static Arguments Joined(Arguments first, const Arguments& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

  // The sets of a run of TrainTask.
  static Arguments SetArguments() {
    return {"--task",
            "marked-reversal",
            "--lengths",
            "3:9",
            "--test-lengths",
            "3:15",
            "--training-size",
            "60",
            "--test-size",
            "3",
            "--validation-size",
            "20"};
  }

  // Trains, and returns the run's directory.
  std::string Train(const std::string& name, const Arguments& more) const {
    const ProgramResult result =
        Run(Joined({"train", "--max-epochs", "2", "--threads", "1", "--out", Path(name)}, more));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Path(name);
  }
  std::string TrainTask(const std::string& name = "run", const std::string& model = "lstm",
                        const Arguments& more = {}) const {
    return Train(name, Joined(Joined(SetArguments(), {"--model", model}), more));
  }

  // A data directory whose language nobody knows, of strings such as a a b.
  std::string MakeUnknownData() const {
    const std::string grammar = WriteFile("ab.cfg", "S -> a S [0.5] | b S [0.2] | a [0.3]\n");
    const ProgramResult result =
        Run({"data", "--grammar", grammar, "--lengths", "1:8", "--test-lengths", "1:12",
             "--training-size", "50", "--validation-size", "20", "--test-size", "2", "--out",
             Path("data")});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::filesystem::remove(Path("data/task.json"));
    return Path("data");
  }

  static nlohmann::json Settings(const std::string& run) {
    return nlohmann::json::parse(ReadText(run + "/config.json")).at("settings");
  }

  // Everything that is wrong with a run, for a command that takes one.
  void ExpectBrokenRunsAreRefused(const std::string& command) const {
    const auto expect_refused = [&](const std::string& run, const std::string& message) {
      const ProgramResult result = Run({command, run});
      EXPECT_EQ(result.exit_code, 2) << message;
      EXPECT_EQ(result.out, "") << message;
      ExpectMessage(result, message);
    };
    expect_refused("/nonexistent/run", "/nonexistent/run");
    std::filesystem::create_directory(Path("empty"));
    expect_refused(Path("empty"), "holds no run: there is no config.json in it");
    const std::string file = WriteFile("file", "text");
    expect_refused(file, file);

    const std::string run = TrainTask();
    const std::string config = ReadText(run + "/config.json");
    WriteFile("run/config.json", config.substr(0, config.size() / 2));
    expect_refused(run, run + "/config.json: ");
    WriteFile("run/config.json", "[1]");
    expect_refused(run, run + "/config.json: ");
    WriteFile("run/config.json", config);

    const std::string model = ReadText(run + "/model.safetensors");
    WriteFile("run/model.safetensors", model.substr(0, model.size() - 100));
    expect_refused(run, run + "/model.safetensors: ");
    WriteFile("run/model.safetensors", "");
    expect_refused(run, run + "/model.safetensors: ");
    const std::string other = TrainTask("other", "rns-2-2");
    WriteFile("run/model.safetensors", ReadText(other + "/model.safetensors"));
    expect_refused(run, run + "/model.safetensors: ");
    std::filesystem::remove(run + "/model.safetensors");
    expect_refused(run, "model.safetensors is missing");
    WriteFile("run/model.safetensors", model);
    EXPECT_EQ(Run({command, run}).exit_code, 0);
  }
};

}  // namespace pushdown::testing_cli
