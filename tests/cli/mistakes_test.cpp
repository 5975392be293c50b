// What people mistype, and what the program says to that.

#include <string>
#include <utility>
#include <vector>

#include "tests/cli/lm_fixture.h"
#include "tests/cli/train_fixture.h"

namespace pushdown::testing_cli {
namespace {

class MistakesTest : public TrainTest {
 protected:
  void ExpectRefused(const Arguments& arguments, const std::string& message) const {
    SCOPED_TRACE(message);
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    ExpectMessage(result, message);
  }
};

TEST_F(MistakesTest, MisspeltNamesHaveSuggestions) {
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"train", "--modle", "lstm"},
       "pushdown train has no option --modle (did you mean --model?); see pushdown train --help"},
      {{"train", "--epochs=3"}, "has no option --epochs (did you mean --max-epochs?)"},
      {{"train", "-model", "lstm"}, "has no option -model (did you mean --model?)"},
      {{"data", "--otu", "x"}, "pushdown data has no option --otu (did you mean --out?)"},
      {{"evaluate", "--spilt", "test", "x"}, "has no option --spilt (did you mean --split?)"},
      {{"--hlep"}, "pushdown has no option --hlep (did you mean --help?); see pushdown --help"},
      {{"trian", "--task", "dyck"},
       "pushdown has no command \"trian\" (did you mean train?); it has: tasks sample "},
      {{"lm", "sample"}, "pushdown lm has no command \"sample\"; it has: train evaluate score gen"},
      {{"--task", "dyck", "sample"},
       "--task is an option of pushdown sample, and stands after that"},
      {{"sample", "--task", "marked-cpoy"},
       "--task: unknown language \"marked-cpoy\" (did you mean marked-copy"},
      {{"tasks", "dick"}, "NAME: unknown language \"dick\" (did you mean dyck?); known are"},
      {{"params", "--model", "lsmt"},
       "--model: unknown model \"lsmt\" (did you mean lstm?); known"},
      {{"params", "--model", "rsn-2-3"}, "unknown model \"rsn-2-3\" (did you mean rns-2-3?)"},
      {{"params", "--model", "RNS-2-3"}, "unknown model \"RNS-2-3\" (did you mean rns-2-3?)"},
      {{"params", "--model", "lstm", "--init", "papr"},
       "--init: expected paper or paper-code, found \"papr\" (did you mean paper?)"},
      {{"bench", "-o", "json"},
       "-o: expected md, csv or jsonl, found \"json\" (did you mean jsonl?)"},
  };
  for (const auto& [arguments, message] : cases) ExpectRefused(arguments, message);
}

TEST_F(MistakesTest, ModelsSayWhichNumbersTheyNeed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"rns-2", "--model: \"rns-2\": rns needs two numbers, states and symbols, such as rns-3-3"},
      {"rns", "rns needs two numbers"},
      {"rns-2-3-4", "rns needs two numbers"},
      {"rns-2-x", "rns needs two numbers"},
      {"vrns-2-3", "vrns needs three numbers, states, symbols and the size of vectors, such as"},
      {"sup", "sup needs the size of each stack's vectors, such as sup-10 or sup-3-3-3"}};
  for (const auto& [model, message] : cases) ExpectRefused({"params", "--model", model}, message);
}

TEST_F(MistakesTest, KeysOfConfigurationFilesHaveSuggestions) {
  ExpectRefused(
      {"train", "--out", Path("run"), "--config", WriteFile("c.toml", "modle = 'lstm'\n")},
      ":1: modle is not an option that a file can have (did you mean model?); see");
  ExpectRefused(
      {"train", "--out", Path("run"), "--config", WriteFile("c.toml", "learning_rate = 1\n")},
      ":1: learning_rate is not an option that a file can have (did you mean learning-rate?)");
  ExpectRefused({"train", "--out", Path("run"), "--config", WriteFile("c.toml", "seed = -1\n")},
                ":1: seed: expected an integer of at least 0, found \"-1\"");
}

TEST_F(MistakesTest, TheParserSpeaksOurWords) {
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"sample", "--task", "dyck", "--lengths"}, "--lengths needs a value: --lengths A:B; see"},
      {{"sample", "--task", "--lengths", "3"},
       "--task: a value is missing; --lengths is the next option"},
      {{"sample", "--task", "dyck", "more"},
       "pushdown sample takes options only, and \"more\" is none; see pushdown sample --help"},
      {{"recognize", "a", "b", "c"},
       "\"c\" is one argument too many: pushdown recognize takes DIR and FILE; see"},
      {{}, "no command is given; pushdown has: tasks sample "},
      {{"lm"}, "no command is given; pushdown lm has: train evaluate score generate; see"},
      {{"tasks", "--json=much"}, "takes no value"},
      {{"evaluate", "x", "--split", "main"},
       "--split: expected training, validation or test, found \"main\""},
  };
  for (const auto& [arguments, message] : cases) ExpectRefused(arguments, message);
}

TEST_F(MistakesTest, TheLastOfEqualOptionsCounts) {
  const Arguments once = {"sample", "--task", "dyck", "--lengths", "4", "--count", "3"};
  const ProgramResult twice =
      Run({"sample", "--lengths", "8", "--json", "--task", "marked-copy", "--count", "1", "--task",
           "dyck", "--json", "--lengths", "4", "--count", "3"});
  EXPECT_EQ(twice.exit_code, 0) << twice.err;
  EXPECT_EQ(twice.out, Run(Joined(once, {"--json"})).out);
  // Those that take several values still do.
  const ProgramResult several =
      Run({"tasks", "dyck", "--param", "s=0.25", "--param", "t=0.75", "--json"});
  EXPECT_EQ(json::parse(several.out)["parameters"][0]["value"], 0.25) << several.err;
  EXPECT_EQ(json::parse(several.out)["parameters"][1]["value"], 0.75) << several.err;
}

TEST_F(MistakesTest, CompileDoesNotReplaceADirectory) {
  const std::string grammar = WriteFile("g.cfg", "S -> a S b | eps\n");
  fs::create_directory(Path("full"));
  WriteFile("full/thesis.tex", "years of work");
  const ProgramResult result = Run({"compile", grammar, "--out", Path("full")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err.rfind("pushdown: --out: ", 0), 0u) << result.err;
  ExpectMessage(result, "is not an empty directory");
}

TEST_F(MistakesTest, DirectoriesThatCannotBeReadAreNotCalledEmpty) {
  BindPermissions();
  for (const char* name : {"locked", "below", "below/run"}) fs::create_directory(Path(name));
  fs::create_symlink("loop", Path("loop"));
  fs::permissions(Path("locked"), fs::perms::none);
  fs::permissions(Path("below"), fs::perms::none);
  WriteFile("file", "text");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"locked", "cannot be read: Permission denied"},
      {"below/run", "cannot be read: Permission denied"},
      {"loop", "cannot be read: Too many levels of symbolic links"},
      {"file", "is not a directory"},
      {"file/run", "does not exist"},
      {"none", "does not exist"}};
  for (const auto& [name, fault] : cases) {
    const bool file_of_no_model = name == "file";
    ExpectRefused({"evaluate", Path(name)},
                  Path(name) + ": " +
                      (file_of_no_model ? "is neither the directory of a run nor a model" : fault));
    ExpectRefused({"recognize", Path(name)}, Path(name) + ": " + fault);
    ExpectRefused({"train", "--resume", "--out", Path(name)}, Path(name) + ": " + fault);
    for (const Arguments& command : {Arguments{"train"}, Arguments{"lm", "train"}}) {
      ExpectRefused(
          Joined(command, {"--data", Path(name), "--model", "lstm", "--out", Path("run")}),
          "--data: \"" + Path(name) + "\" " + fault);
    }
  }
  fs::permissions(Path("locked"), fs::perms::owner_all);
  fs::permissions(Path("below"), fs::perms::owner_all);
}

TEST_F(MistakesTest, TheEarlierNameOfSplitStillWorks) {
  TrainWell(Joined(kTask, {"--model", "lstm", "--max-epochs", "1"}));
  const ProgramResult result = Run({"evaluate", Path("run"), "--split", "validation"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, Run({"evaluate", Path("run"), "--task-split", "validation"}).out);
  const std::string help = Run({"evaluate", "--help"}).out;
  EXPECT_NE(help.find("--split"), help.npos);
  EXPECT_EQ(help.find("--task-split"), help.npos);
}

class LmMistakesTest : public LmTest {
 protected:
  ProgramResult ExpectRefused(const Arguments& arguments, const std::string& input,
                              const std::string& message) const {
    const ProgramResult result = Run(arguments, input);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    ExpectMessage(result, message);
    return result;
  }
};

TEST_F(LmMistakesTest, ATextWithoutATestSetHasAValidationSet) {
  fs::remove(Path("text/small.test.txt"));
  TrainWell(Small("lstm", {"--max-epochs", "1"}));
  ExpectRefused({"lm", "evaluate", Path("run")}, "", "has no test set; --split validation has");
  EXPECT_EQ(Run({"lm", "evaluate", Path("run"), "--split", "validation"}).exit_code, 0);
}

TEST_F(LmMistakesTest, ScoringARunOfStringsPointsToWhatThereIs) {
  const Arguments strings =
      Joined(kTask, {"--model", "lstm", "--max-epochs", "1", "--out", Path("strings")});
  ASSERT_EQ(Run(Joined({"train"}, strings)).exit_code, 0);
  ExpectRefused(
      {"lm", "score", Path("strings")}, "0 # 0\n",
      "is a run of `pushdown train`; `pushdown evaluate` has its cross-entropy by length, "
      "and `pushdown score` the exact probabilities of strings of its language");
}

TEST_F(LmMistakesTest, UnknownWordsHaveSuggestions) {
  WriteFile("text/small.train.txt", "a cat sees the dog\nthe dog chases a mouse\n");
  WriteFile("text/small.valid.txt", "a dog sees the cat\n");
  WriteFile("text/small.test.txt", "the cat sees a dog\n");
  TrainWell(Small("lstm", {"--max-epochs", "1"}));
  ExpectRefused({"lm", "score", Path("run")}, "a dog\na mosue sees the zebra\n",
                "the first on line 2: \"mosue\" (did you mean mouse?), \"zebra\"; put <unk>");
  const ProgramResult prompt =
      ExpectRefused({"lm", "generate", Path("run"), "--prompt", "the mosue"}, "",
                    "--prompt: \"mosue\" is not in the model's vocabulary (did you mean mouse?)");
  EXPECT_EQ(prompt.err.find("line 1"), std::string::npos) << prompt.err;
  ExpectRefused({"lm", "generate", Path("run"), "--prompt", "the <eos>"}, "",
                "--prompt: \"<eos>\" ends a sentence");
  const ProgramResult result =
      Run({"lm", "generate", Path("run"), "--prompt", " the  mouse ", "--count", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const std::string& line : Lines(result.out))
    EXPECT_EQ(line.rfind("the mouse", 0), 0u) << line;
}

TEST_F(LmMistakesTest, BothKindsOfModelsGenerateAsManyByDefault) {
  TrainWell(Small("lstm", {"--max-epochs", "1"}));
  ASSERT_EQ(Run(Joined({"train", "--out", Path("strings"), "--model", "lstm", "--max-epochs", "1"},
                       kTask))
                .exit_code,
            0);
  EXPECT_EQ(Lines(Run({"lm", "generate", Path("run")}).out).size(), 10u);
  EXPECT_EQ(Lines(Run({"generate", Path("strings")}).out).size(), 10u);
}

}  // namespace
}  // namespace pushdown::testing_cli
