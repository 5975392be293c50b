// Options and configuration files of `pushdown train`.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/train_fixture.h"

namespace pushdown::testing_cli {
namespace {

TEST_F(TrainTest, ConfigurationFilesSetOptions) {
  const std::string file = WriteFile("c.toml",
                                     "# all kinds of values\n"
                                     "task = 'marked-reversal'\n"
                                     "model = \"lstm\"\n"
                                     "lengths = \"3:9\"\ntest-lengths = '3'\n"
                                     "training-size = 20\nvalidation-size = 10\ntest-size = 1\n"
                                     "param = ['p=0.5']\n"
                                     "learning-rate = 0.25e-1\n"
                                     "max-epochs = 1\nseed = 9\n");
  TrainWell({"--config", file, "--seed", "11"});
  const json settings = Json("run/config.json")["settings"];
  EXPECT_EQ(settings["learning-rate"], 0.025);
  EXPECT_EQ(settings["seed"], 11) << "the command line goes before the file";
  EXPECT_EQ(settings["language"]["parameters"]["p"], 0.5);
  EXPECT_EQ(settings["training-size"], 20);
}

TEST_F(TrainTest, ConfigurationFilesAreChecked) {
  const std::map<std::string, std::string> cases = {
      {"task = 'marked-reversal'\nlearning_rate = 1\n", ":2: learning_rate is not an option"},
      {"task = marked\n", ":1: "},
      {"model = 'lstm'\ntask = 'marked-reversal'\nbatch-size = 0\n",
       ":3: batch-size: expected an integer of at least 1"},
      {"seed = true\n", ":1: seed: expected a string or a number"},
      {"seed = 1\n[table]\nx = 1\n", ":2: settings have no tables"},
      {"resume = 1\n", ": resume is not an option that a file can have"},
      {"seed = [1, 2]\n", ":1: seed: expected one value"}};
  for (const auto& [text, message] : cases) {
    const ProgramResult result = Train({"--config", WriteFile("c.toml", text)});
    EXPECT_EQ(result.exit_code, 2) << text;
    ExpectMessage(result, message);
  }
  const ProgramResult missing = Train({"--config", Path("nothing.toml")});
  EXPECT_EQ(missing.exit_code, 2);
  ExpectMessage(missing, "nothing.toml");
}

TEST_F(TrainTest, BadUsageIsExplained) {
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"--task", "marked-reversal"}, "no model is given"},
      {{"--model", "lstm"}, "nothing to train on is given"},
      {Joined(kTask, {"--model", "gru"}), "unknown model \"gru\"; known are lstm, sup-h, "},
      {Joined(kTask, {"--model", "lstm", "--bottom", "old"}), "--bottom old is for rns and vrns"},
      {Joined(kTask, {"--model", "rns-2-2", "--initial-vector", "paper-code"}), "is for vrns"},
      {Joined(kTask, {"--model", "lstm", "--learning-rate", "0"}), "greater than 0"},
      {Joined(kTask, {"--model", "lstm", "--learning-rate", "nan"}), "expected a number"},
      {Joined(kTask, {"--model", "lstm", "--time-limit", "2x"}), "expected a time such as"},
      {Joined(kTask, {"--model", "lstm", "--time-limit", "5s2h"}), "expected a time such as"},
      {Joined(kTask, {"--model", "lstm", "--time-limit", "1h1d"}), "expected a time such as"},
      {Joined(kTask, {"--model", "lstm", "--min-learning-rate", "1"}), "is greater than"},
      {Joined(kTask, {"--model", "lstm", "--data", "x"}), "do not go together"},
      {Joined(kTask, {"--model", "lstm", "--threads", "65"}), "an integer of at most 64"},
      {Joined(kTask, {"--model", "lstm", "--restarts", "9", "--jobs", "9", "--threads", "9"}),
       "9 jobs with 9 threads each are too many"},
      {{"--task", "marked-reversal", "--training-size", "2000000000", "--model", "lstm"},
       "of memory"},
      {{"--data", "x", "--model", "lstm"}, "--data: \"x\" does not exist"},
      {{"--task", "dyck", "--lengths", "3", "--test-lengths", "4", "--model", "lstm"},
       "--lengths: the language has no string"},
      {{"--task", "marked-reversal", "--lengths", "1:9999", "--test-lengths", "9", "--model",
        "rns-9-9"},
       "of memory"},
  };
  for (const auto& [arguments, message] : cases) {
    const ProgramResult result = Train(arguments);
    EXPECT_EQ(result.exit_code, 2) << message;
    ExpectMessage(result, message);
    EXPECT_FALSE(fs::exists(Path("run"))) << message;
  }
  const ProgramResult no_out = Run(Joined({"train", "--model", "lstm"}, kTask));
  EXPECT_EQ(no_out.exit_code, 2);
  ExpectMessage(no_out, "give --out DIR");
}

}  // namespace
}  // namespace pushdown::testing_cli
