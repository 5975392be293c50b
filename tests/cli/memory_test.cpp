// That a small address space (ulimit -v) gives an error or a result, and never an endless loop.

#include "tests/cli/train_fixture.h"
#include "tests/sanitized.h"

namespace pushdown::testing_cli {
namespace {

class MemoryTest : public TrainTest {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "a sanitizer needs an address space of terabytes";
  }
};

const Arguments kTraining = Joined(kTask, {"--model", "rns-1-2", "--max-epochs", "1"});

// OpenBLAS, if it is left alone, tries for ever to get its buffers.
TEST_F(MemoryTest, AnAddressSpaceWithoutRoomForOpenBlasIsRefused) {
  LimitAddressSpace(150 << 20);
  const ProgramResult one = Train(Joined(kTraining, {"--threads", "1"}));
  EXPECT_EQ(one.exit_code, 1);
  ExpectMessage(one, "OpenBLAS needs 134 MB of address space for each of 1 thread");
  LimitAddressSpace(450 << 20);
  const ProgramResult four = Train(Joined(kTraining, {"--threads", "4"}));
  EXPECT_EQ(four.exit_code, 1);
  ExpectMessage(four,
                "for each of 4 threads, which the system refuses; raise the limit (ulimit -v)");
  EXPECT_FALSE(fs::exists(Path("run")));
}

// Whatever the limit is, the program ends, and says what is wrong.
TEST_F(MemoryTest, EveryLimitGivesAResultOrAnError) {
  int refused = 0;
  int trained = 0;
  for (rlim_t megabytes = 150; megabytes <= 600; megabytes += 25) {
    LimitAddressSpace(megabytes << 20);
    fs::remove_all(Path("run"));
    const ProgramResult result = Train(Joined(kTraining, {"--threads", "2"}));
    ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 1 || result.exit_code == 2)
        << megabytes << " MB: " << result.exit_code << " " << result.err;
    if (result.exit_code != 0) {
      EXPECT_NE(result.err.find("pushdown: "), std::string::npos) << result.err;
    }
    (result.exit_code == 0 ? trained : refused) += 1;
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(trained, 0);
}

TEST_F(MemoryTest, AModelThatDoesNotFitIsRefusedBeforeItBegins) {
  LimitAddressSpace(700 << 20);
  const ProgramResult result =
      Train({"--task", "marked-reversal", "--lengths", "2001", "--test-lengths", "2001",
             "--training-size", "50", "--validation-size", "10", "--test-size", "1", "--model",
             "rns-3-3", "--threads", "1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("of memory, and "), std::string::npos) << result.err;
  EXPECT_FALSE(fs::exists(Path("run")));
}

// Each needs little to read a string, but more than the limit for all of them, or for the output.
TEST_F(MemoryTest, AnAnalysisThatDoesNotFitIsRefusedBeforeItBegins) {
  TrainWell(Joined(kTraining, {"--threads", "1"}));
  const std::string run = Path("run");
  const auto expect_refused = [&](const Arguments& arguments, const std::string& message,
                                  const std::string& advice) {
    const ProgramResult result = Run(Joined({"analyze"}, arguments));
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_EQ(result.out, "");
    ExpectMessage(result, message);
    ExpectMessage(result, advice);
  };
  const std::string fewer = "may be used; fewer or shorter ones need less";
  LimitAddressSpace(400 << 20);
  expect_refused({"pca", run, "--count", "400000", "--of", "hidden"},
                 "the analysis of 400000 strings of up to 9 symbols by rns-1-2 needs 0.", fewer);
  expect_refused({"readings", run, "--count", "100000", "--of", "hidden"},
                 "the analysis of 100000 strings of up to 9 symbols by rns-1-2 needs ", fewer);
  expect_refused({"readings", run, "--count", "40000", "-o", "vega-lite"},
                 "the analysis of 40000 strings", fewer + ", and csv needs less than json");
  expect_refused({"pca", run, "--count", "1000000", "--lengths", "9999"},
                 "a sample of 1000000 strings of 9999 symbols on average needs 40.0 GB of memory",
                 "may be used; fewer or shorter strings need less");
  EXPECT_EQ(Run({"analyze", "pca", run, "--count", "1000"}).exit_code, 0);
  EXPECT_EQ(Run({"analyze", "readings", run, "-o", "vega-lite"}).exit_code, 0);

  std::string text;
  for (int n = 0; n < 50'000; ++n) text += "a b\n";
  fs::create_directory(Path("text"));
  WriteFile("text/train.txt", text.substr(0, 400));
  WriteFile("text/valid.txt", "a b\n");
  WriteFile("text/test.txt", text);
  const ProgramResult trained =
      Run({"lm", "train", "--data", Path("text"), "--model", "sup-100", "--hidden-units", "4",
           "--batch-size", "2", "--chunk-length", "5", "--max-epochs", "1", "--threads", "1",
           "--out", Path("lm")});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  expect_refused({"pca", Path("lm"), "--file", Path("text/test.txt")},
                 "the analysis of a text of 150000 tokens by sup-100 needs ",
                 "may be used; a shorter one needs less");
}

}  // namespace
}  // namespace pushdown::testing_cli
