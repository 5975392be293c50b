// Trainings that are killed and stopped again and again, at any moment, end with the results of one
// that was left alone.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "pushdown/random.h"
#include "tests/cli/lm_fixture.h"
#include "tests/faults/attack.h"

namespace pushdown::testing_faults {
namespace {

using testing_cli::Arguments;
using testing_cli::Joined;
using testing_cli::ProgramResult;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::array<int, 4> kSignals = {SIGKILL, SIGTERM, SIGUSR1, SIGHUP};

// The same for the runs of an experiment, with their results on the test sets.
FileTexts ResultsOfExperiment(const FileTexts& files) {
  FileTexts results = Results(files);
  for (const auto& [name, text] : files) {
    if (name.ends_with("test.json")) results[name] = text;
  }
  return results;
}

class KillTest : public testing_cli::LmTest {
 protected:
  KillTest() { LimitTime(kHangSeconds); }
  void SetUp() override {
    if (kSanitized && !TryAll()) GTEST_SKIP() << "too slow with sanitizers for a sample";
  }

  void ClearPlace() const {
    fs::remove_all(Path("place"));
    fs::create_directory(Path("place"));
  }

  // Starts the training in place/run, or goes on with it, and sends a signal after a part of the
  // time; true if the training was faster.
  bool Disturb(const Arguments& train, const Arguments& options, Clock::duration longest,
               int signal) {
    const Arguments out = {"--out", Path("place/run"), "--checkpoint-interval", "0.005s"};
    const bool resume = fs::exists(Path("place/run/config.json"));
    const pid_t child =
        Start(Joined(Joined(train, out), resume ? Arguments{"--resume", "--jobs", "2"} : options));
    std::this_thread::sleep_for(longest * random_.Uniform());
    kill(child, signal);
    const ProgramResult result = Finish(child);
    if (result.exit_code == 0) return true;
    ++kills_;
    // Signals may come before main can catch them.
    const int code = signal == SIGUSR1 ? 75 : 128 + signal;
    EXPECT_TRUE(result.signal == signal || result.exit_code == code)
        << "signal " << signal << ", exit code " << result.exit_code << ": " << result.err;
    return false;
  }

  // Kills trainings so many times, of which as many are finished as there is time for.
  void ExpectNothingIsLost(const Arguments& train, const Arguments& options, int kills) {
    const Clock::time_point start = Clock::now();
    ClearPlace();
    const ProgramResult whole = Run(Joined(Joined(train, {"--out", Path("whole")}), options));
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    const Clock::duration time = Clock::now() - start;
    const FileTexts expected = Results(Contents("whole"));
    int finished = 0;
    while (kills_ < kills || finished == 0) {
      // After the last kill, it is left alone.
      const int signal = kills_ < kills ? kSignals[random_.Below(kSignals.size())] : 0;
      if (!Disturb(train, options, time * 2 / 3, signal)) continue;
      ++finished;
      ASSERT_TRUE(Results(Contents("place/run")) == expected) << "after " << kills_ << " kills";
      EXPECT_EQ(Leftovers(Path("place")), "") << "after " << kills_ << " kills";
      ClearPlace();
    }
    std::cout << kills_ << " kills, " << finished << " finished\n";
  }

  Random random_{1};
  int kills_ = 0;
};

TEST_F(KillTest, RestartsLoseNothing) {
  Arguments options = testing_cli::kLongTask;
  options.insert(options.end(), {"--restarts", "2", "--jobs", "2", "--threads", "1"});
  ExpectNothingIsLost({"train"}, options, TryAll() ? 300 : 12);
}

TEST_F(KillTest, TrainingsOfTextLoseNothing) {
  ExpectNothingIsLost({"lm", "train"}, Joined(Long(), {"--threads", "1"}), TryAll() ? 300 : 12);
}

// Two processes share an experiment half of the time, and one of them is killed or stopped.
TEST_F(KillTest, ExperimentsLoseNothing) {
  const std::string file = WriteFile("experiment.toml", R"(
task = "marked-reversal"
model = ["lstm", "rns-1-2"]
lengths = "9:15"
test-lengths = "9:19"
training-size = 100
validation-size = 20
test-size = 2
max-epochs = 25
patience = 25
restarts = 3
)");
  const Arguments command = {"experiment", "run", file, "--jobs", "2", "--threads", "1"};
  const Arguments disturbed =
      Joined(command, {"--out", Path("place/run"), "--checkpoint-interval", "0.005s"});
  const Clock::time_point start = Clock::now();
  ClearPlace();
  const ProgramResult whole = Run(Joined(command, {"--out", Path("whole")}));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const Clock::duration time = Clock::now() - start;
  const FileTexts expected = ResultsOfExperiment(Contents("whole"));
  ASSERT_EQ(expected.size(), 6u * 3);
  const int kills = TryAll() ? 300 : 15;
  int finished = 0;
  while (kills_ < kills || finished == 0) {
    const int signal = kills_ < kills ? kSignals[random_.Below(kSignals.size())] : 0;
    const pid_t child = Start(disturbed);
    const pid_t other = random_.Below(2) == 0 ? Start(disturbed) : 0;
    std::this_thread::sleep_for(time * random_.Uniform() / 2);
    kill(child, signal);
    const ProgramResult result = Finish(child);
    // 75: the other one is still training some of the runs.
    const int code = signal == SIGUSR1 ? 75 : 128 + signal;
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 75 || result.signal == signal ||
                result.exit_code == code)
        << "signal " << signal << ", exit code " << result.exit_code << ": " << result.err;
    if (result.exit_code != 0) ++kills_;
    if (other != 0) {
      const ProgramResult undisturbed = Finish(other);
      EXPECT_TRUE(undisturbed.exit_code == 0 || undisturbed.exit_code == 75)
          << undisturbed.exit_code << undisturbed.err;
    }
    if (Run({"experiment", "is-finished", Path("place/run")}).exit_code != 0) continue;
    ++finished;
    ASSERT_TRUE(ResultsOfExperiment(Contents("place/run")) == expected)
        << "after " << kills_ << " kills";
    ClearPlace();
  }
  std::cout << kills_ << " kills, " << finished << " finished\n";
}

// Killed while it makes its directory, a training leaves nothing that the next one does not remove.
TEST_F(KillTest, NothingRemainsOfADirectoryThatWasBegun) {
  const Arguments command =
      Joined({"train", "--out", Path("place/run"), "--model", "lstm", "--max-epochs", "1"},
             testing_cli::kTask);
  ClearPlace();
  int left = 0;
  const int kills = TryAll() ? 200 : 10;
  for (int n = 0; n < kills; ++n) {
    const pid_t child = Start(command);
    const Clock::time_point deadline = Clock::now() + std::chrono::seconds(kHangSeconds);
    while (fs::is_empty(Path("place")) && Clock::now() < deadline) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random_.Below(1000)));
    kill(child, SIGKILL);
    Finish(child);
    if (!Leftovers(Path("place")).empty()) ++left;
    const bool begun = fs::exists(Path("place/run/config.json"));
    const ProgramResult again = Run(begun ? Joined(command, {"--resume"}) : command);
    ASSERT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(Leftovers(Path("place")), "") << "after " << n + 1 << " kills";
    ClearPlace();
  }
  std::cout << kills << " kills, " << left << " of which left something half made\n";
}

}  // namespace
}  // namespace pushdown::testing_faults
