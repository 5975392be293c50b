#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/formal_text.h"
#include "tests/cli/program.h"

namespace pushdown::testing_cli {

// Tests of commands that take an experiment, with a small one to try.
class ExperimentTest : public ProgramTest {
 protected:
  using json = nlohmann::json;
  using Arguments = std::vector<std::string>;

  // Two models and two restarts of them, milliseconds each.
  static constexpr const char* kTiny = R"(title = "A tiny experiment"
task = "marked-reversal"
model = ["lstm", "rns-1-2"]
lengths = "3:7"
test-lengths = "3:9"
training-size = 30
validation-size = 10
test-size = 2
hidden-units = 6
max-epochs = 2
restarts = 2
)";
  static constexpr const char* kLstm = "task=marked-reversal,model=lstm";
  static constexpr const char* kStack = "task=marked-reversal,model=rns-1-2";

  ExperimentTest() { WriteFile("tiny.toml", kTiny); }

  static Arguments Joined(Arguments first, const Arguments& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

  // `pushdown experiment run` of the file.
  ProgramResult RunTiny(const Arguments& more = {}, const std::string& out = "tiny") const {
    return Run(Joined({"experiment", "run", Path("tiny.toml"), "--out", Path(out)}, more));
  }
  // The same, which must succeed. Returns the directory.
  std::string Trained(const Arguments& more = {}, const std::string& out = "tiny") const {
    const ProgramResult result = RunTiny(more, out);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Path(out);
  }
  // What a command prints, which must succeed and have nothing to complain of.
  std::string Output(const Arguments& arguments) const {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }
  json OutputJson(const Arguments& arguments) const { return json::parse(Output(arguments)); }

  static json ReadJsonFile(const std::string& path) { return json::parse(ReadText(path)); }

  // The files of a run that its settings determine.
  static std::map<std::string, std::string> Results(const std::string& run) {
    std::map<std::string, std::string> files;
    for (const char* name : {"metrics.jsonl", "model.safetensors"}) {
      files[name] = ReadText(run + "/" + name);
      EXPECT_NE(files[name], "") << run << "/" << name;
    }
    return files;
  }
};

}  // namespace pushdown::testing_cli
