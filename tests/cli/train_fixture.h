#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cli/formal_text.h"
#include "tests/cli/program.h"

namespace pushdown::testing_cli {

using nlohmann::json;
using Arguments = std::vector<std::string>;
namespace fs = std::filesystem;

inline Arguments Joined(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// A task that takes milliseconds an epoch.
inline const Arguments kTask = {"--task",
                                "marked-reversal",
                                "--lengths",
                                "3:9",
                                "--test-lengths",
                                "3:11",
                                "--training-size",
                                "60",
                                "--test-size",
                                "2",
                                "--validation-size",
                                "20"};
// One that takes long enough to be interrupted.
inline const Arguments kLongTask = {"--task",
                                    "marked-reversal",
                                    "--lengths",
                                    "19:33",
                                    "--test-lengths",
                                    "19",
                                    "--training-size",
                                    "200",
                                    "--test-size",
                                    "1",
                                    "--validation-size",
                                    "20",
                                    "--model",
                                    "rns-2-2",
                                    "--max-epochs",
                                    "12",
                                    "--patience",
                                    "12"};

class TrainTest : public ProgramTest {
 protected:
  explicit TrainTest(Arguments command = {"train"}) : command_(std::move(command)) {}

  Arguments TrainArguments(const Arguments& more, const std::string& out) const {
    return Joined(Joined(command_, {"--out", Path(out)}), more);
  }
  ProgramResult Train(const Arguments& more, const std::string& out = "run") const {
    return Run(TrainArguments(more, out));
  }
  // The same, which must succeed.
  ProgramResult TrainWell(const Arguments& more, const std::string& out = "run") const {
    const ProgramResult result = Train(more, out);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result;
  }
  ProgramResult Resume(const Arguments& more = {}, const std::string& out = "run") const {
    return Train(Joined({"--resume"}, more), out);
  }

  std::string Text(const std::string& file) const { return ReadText(Path(file)); }
  json Json(const std::string& file) const { return json::parse(Text(file)); }
  std::vector<json> Metrics(const std::string& run = "run") const {
    std::vector<json> metrics;
    for (const std::string& line : Lines(Text(run + "/metrics.jsonl"))) {
      metrics.push_back(json::parse(line));
    }
    return metrics;
  }

  // Runs whose results are the same, bit for bit.
  void ExpectSameResults(const std::string& a, const std::string& b) const {
    EXPECT_EQ(Text(a + "/metrics.jsonl"), Text(b + "/metrics.jsonl"));
    EXPECT_EQ(Text(a + "/model.safetensors"), Text(b + "/model.safetensors"));
    EXPECT_GT(Text(a + "/model.safetensors").size(), 1000u);
  }

  // Waits until a file has that many lines, or there is a file if it is 0.
  void WaitFor(const std::string& file, std::size_t lines) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (std::chrono::steady_clock::now() < deadline) {
      if (fs::exists(Path(file)) && Lines(Text(file)).size() >= lines) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    FAIL() << file << " has not " << lines << " lines";
  }

 private:
  Arguments command_;
};

}  // namespace pushdown::testing_cli
