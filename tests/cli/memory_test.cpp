// That a small address space (ulimit -v) gives an error or a result, and never an endless loop.

#include "tests/cli/train_fixture.h"

namespace pushdown::testing_cli {
namespace {

class MemoryTest : public TrainTest {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer needs an address space of terabytes";
#endif
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

}  // namespace
}  // namespace pushdown::testing_cli
