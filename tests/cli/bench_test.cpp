#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/formal_text.h"
#include "tests/cli/program.h"

namespace pushdown::testing_cli {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

// Whether a program is as far as that.
bool CatchesInterrupts(pid_t program) {
  std::istringstream status(ReadText("/proc/" + std::to_string(program) + "/status"));
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("SigCgt:", 0) != 0) continue;
    return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
  }
  return false;
}

class BenchTest : public ProgramTest {
 protected:
  // A measurement as short as it can be.
  ProgramResult Bench(const Arguments& more) const {
    Arguments arguments = {"bench", "--seconds", "0.01", "--hidden-units", "3", "--batch", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments);
  }
  std::string BenchWell(const Arguments& more) const {
    const ProgramResult result = Bench(more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }
  std::vector<json> BenchJson(const Arguments& more) const {
    Arguments arguments = {"-o", "jsonl"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::vector<json> results;
    for (const std::string& line : Lines(BenchWell(arguments))) {
      results.push_back(json::parse(line));
    }
    return results;
  }
};

TEST_F(BenchTest, MeasuresEveryCombinationInTheGivenOrder) {
  const std::vector<json> results =
      BenchJson({"--models", "rns-1-2,lstm", "--lengths", "6,4", "--threads", "2,1"});
  std::vector<json> expected;
  for (const char* model : {"rns-1-2", "lstm"}) {
    for (int length : {6, 4}) {
      for (int threads : {2, 1}) expected.push_back({model, length, threads});
    }
  }
  ASSERT_EQ(results.size(), expected.size());
  for (std::size_t n = 0; n < results.size(); ++n) {
    const json& result = results[n];
    EXPECT_EQ(json({result["model"], result["length"], result["threads"]}), expected[n]);
    EXPECT_GE(result["steps"], 8);
    for (const char* key : {"step_ms", "speedup", "validation_percent", "workspace_mb",
                            "peak_giga_multiply_adds", "peak_resident_mb"}) {
      EXPECT_GT(result[key], 0) << key;
    }
    EXPECT_GE(result["spread_percent"], 0);
    EXPECT_EQ(result["batch"], 2);
    EXPECT_EQ(result["hidden_units"], 3);
    EXPECT_EQ(result["pushdown"], PUSHDOWN_VERSION);
    EXPECT_NE(result["cpu"], "");
    EXPECT_EQ(result["kernels"].get<std::string>().rfind("SIMD target ", 0), 0u);
    if (result["threads"] == 2) {
      EXPECT_EQ(result["speedup"], 1) << "it is the first";
    }
    const bool has_stack = result["model"] == "rns-1-2";
    for (const char* key : {"giga_multiply_adds", "peak_percent", "workspace_per_share"}) {
      EXPECT_EQ(result[key].is_null(), !has_stack) << key;
      if (has_stack) {
        EXPECT_GT(result[key], 0) << key;
      }
    }
  }
}

TEST_F(BenchTest, RatesFollowFromTheTimes) {
  const json result = BenchJson({"--models", "rns-2-3", "--lengths", "10", "--threads", "1"})[0];
  // T = 9: 3 products, 2 strings, (9^3 - 9) / 6 = 120 triples of times, |Q|^3 |Gamma|^2 = 8 * 9.
  const double multiply_adds = 3 * 2 * 120 * 72;
  const double rate = multiply_adds / (result["step_ms"].get<double>() / 1000) / 1e9;
  EXPECT_NEAR(result["giga_multiply_adds"], rate, 1e-9 * rate);
  const double peak = result["peak_giga_multiply_adds"];
  EXPECT_NEAR(result["peak_percent"], 100 * rate / peak, 1e-9 * rate);
  // P = 6, and 55 pairs of times: 36 * 55 floats of 4 bytes.
  const double shares = 36 * 55 * 4;
  EXPECT_NEAR(result["workspace_per_share"], result["workspace_mb"].get<double>() * 1e6 / shares,
              1e-6);
}

TEST_F(BenchTest, CsvHasTheSameColumnsAfterItsComments) {
  const std::vector<std::string> lines =
      Lines(BenchWell({"--models", "lstm,rns-1-2", "--lengths", "4", "-o", "csv"}));
  ASSERT_EQ(lines.size(), 4u + 1 + 4);
  for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(lines[n].rfind("# ", 0), 0u) << lines[n];
  EXPECT_NE(lines[0].find(std::string("pushdown ") + PUSHDOWN_VERSION), std::string::npos);
  EXPECT_NE(lines[0].find("SIMD target "), std::string::npos);
  EXPECT_NE(lines[2].find(" on 1 thread, "), std::string::npos) << lines[2];
  EXPECT_EQ(lines[4],
            "model,length,threads,step_ms,spread_percent,steps,speedup,validation_percent,"
            "giga_multiply_adds,peak_percent,workspace_mb,workspace_per_share");
  EXPECT_EQ(lines[5].rfind("lstm,4,1,", 0), 0u) << lines[5];
  EXPECT_NE(lines[5].find(",,,"), std::string::npos) << "no rate and no share of the peak";
  EXPECT_EQ(lines[8].rfind("rns-1-2,4,2,", 0), 0u) << lines[8];
  EXPECT_EQ(lines[8].find(",,"), std::string::npos) << lines[8];
  EXPECT_EQ(Split(lines[8], ',').size(), 12u);
}

TEST_F(BenchTest, MarkdownIsATable) {
  const std::vector<std::string> lines = Lines(
      BenchWell({"--models", "lstm,vrns-1-1-2", "--lengths", "4", "--threads", "1", "-o", "md"}));
  ASSERT_EQ(lines.size(), 4u + 1 + 2 + 2);
  EXPECT_EQ(lines[4], "");
  for (std::size_t n = 5; n < lines.size(); ++n) {
    EXPECT_EQ(lines[n].size(), lines[5].size()) << lines[n];
    EXPECT_EQ(Split(lines[n], '|').size(), 13u) << lines[n];
  }
  EXPECT_EQ(lines[5].rfind("| model      | length | threads | step, ms |", 0), 0u) << lines[5];
  EXPECT_EQ(lines[6].rfind("|------------|-------:|--------:|---------:|", 0), 0u) << lines[6];
  EXPECT_EQ(lines[7].rfind("| lstm       |      4 |       1 |", 0), 0u) << lines[7];
  EXPECT_EQ(lines[8].rfind("| vrns-1-1-2 |      4 |       1 |", 0), 0u) << lines[8];
}

TEST_F(BenchTest, BadUsageIsRefused) {
  struct {
    Arguments arguments;
    std::string message;
  } cases[] = {
      {{"--models", "gru"}, "--models: unknown model \"gru\"; known are lstm, sup-h, "},
      {{"--models", "lstm,"}, "--models: unknown model \"\""},
      {{"--models", "rns-0-3"}, "--models: "},
      {{"--lengths", "1"}, "--lengths: expected an integer of at least 2, found \"1\""},
      {{"--lengths", "40,10001"}, "--lengths: expected an integer of at most 10000"},
      {{"--lengths", "40,,60"}, "--lengths: expected an integer of at least 2, found \"\""},
      {{"--lengths", "40:60"}, "--lengths: expected an integer of at least 2, found \"40:60\""},
      {{"--threads", "0"}, "--threads: expected an integer of at least 1"},
      {{"--threads", "1,65"}, "--threads: expected an integer of at most 64"},
      {{"--batch", "0"}, "--batch: "},
      {{"--hidden-units", "0"}, "--hidden-units: "},
      {{"--seconds", "0"}, "--seconds: expected a number greater than 0"},
      {{"-o", "xml"}, "-o: "},
      {{"--models", "rns-9-99", "--lengths", "9999"},
       "rns-9-99 with strings of 9999 symbols in batches of 10 on 1 thread needs over 1e9 GB"},
      {{"--models", "lstm", "--lengths", "10000", "--batch", "1000000"},
       "lstm with strings of 10000 symbols in batches of 1000000 on 1 thread needs "},
      {{"--hidden-units", "1000000000"}, "--hidden-units: "},
      {{"rns-3-3"}, "see pushdown bench --help"},
  };
  for (const auto& [arguments, message] : cases) {
    Arguments all = {"bench"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramResult result = Run(all);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    ExpectMessage(result, message);
  }
}

TEST_F(BenchTest, AnInterruptEndsIt) {
  const pid_t child = Start({"bench", "--models", "lstm", "--lengths", "4", "--seconds", "3600"});
  for (int n = 0; n < 10000 && !CatchesInterrupts(child); ++n) usleep(1000);
  kill(child, SIGINT);
  const ProgramResult result = Finish(child);
  EXPECT_EQ(result.exit_code, 128 + SIGINT);
  EXPECT_EQ(result.out, "");
  ExpectMessage(result, "interrupted");
}

TEST_F(BenchTest, AFullDiskFails) {
  const ProgramResult result =
      Run({"bench", "--models", "lstm", "--lengths", "4", "--threads", "1", "--seconds", "0.01"},
          "", "/dev/full");
  EXPECT_EQ(result.exit_code, 1);
  ExpectMessage(result, "standard output: cannot be written: No space left on device");
}

TEST_F(BenchTest, MeasuresRunningText) {
  const std::vector<json> results =
      BenchJson({"--lm", "--models", "lstm,rns-1-2,sup-h-4", "--lengths", "4", "--threads", "1,2",
                 "--vocabulary", "9"});
  ASSERT_EQ(results.size(), 6U);
  for (const json& result : results) {
    EXPECT_EQ(result.at("rows"), 2);
    EXPECT_EQ(result.at("vocabulary"), 9);
    EXPECT_EQ(result.at("length"), 4);
    for (const char* key : {"step_ms", "products_ms", "tokens_per_second", "times_products",
                            "times_first", "validation_percent", "workspace_mb"}) {
      EXPECT_GT(result.at(key).get<double>(), 0) << key;
    }
    const double step = result.at("step_ms").get<double>();
    EXPECT_NEAR(result.at("tokens_per_second").get<double>() * step, 2 * 4 * 1000, 1);
    EXPECT_NEAR(result.at("times_products").get<double>() * result.at("products_ms").get<double>(),
                step, 1e-6 * step);
  }
  EXPECT_EQ(results[0].at("times_first"), 1);
  EXPECT_EQ(results[1].at("times_first"), 1);
  EXPECT_EQ(results[4].at("hidden_units"), 4);
  // Embeddings, LSTM with one bias, output layer.
  EXPECT_EQ(results[0].at("parameters"), 9 * 3 + (3 + 3 + 1) * 12 + 4 * 9);
  EXPECT_NE(BenchWell({"--lm", "--models", "lstm", "--vocabulary", "5"}).find("tokens/s"),
            std::string::npos);
  EXPECT_EQ(Bench({"--vocabulary", "5"}).exit_code, 2);
  EXPECT_EQ(Bench({"--lm", "--models", "gru"}).exit_code, 2);
}

}  // namespace
}  // namespace pushdown::testing_cli
