// Whatever call of the system fails, or is the last before the process is killed: a training ends
// with an exit code and a message, and repeating the command gives the result that it would have
// had. See fault_shim.cpp for what can fail.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "pushdown/random.h"
#include "tests/cli/train_fixture.h"
#include "tests/faults/attack.h"

namespace pushdown::testing_faults {
namespace {

using testing_cli::Arguments;
using testing_cli::Joined;
using testing_cli::ProgramResult;
namespace fs = std::filesystem;

struct Training {
  const char* name;
  Arguments arguments;
  bool resumed = false;  // the faults are in a --resume after the first batches
};

const std::vector<Training>& Trainings() {
  static const std::vector<Training> trainings = {
      {"Lstm", {"--model", "lstm"}},
      {"Stack", {"--model", "rns-1-2"}},
      {"Restarts", {"--model", "lstm", "--restarts", "2", "--jobs", "1"}},
      {"Resumed", {"--model", "rns-1-2"}, true}};
  return trainings;
}

// Calls of which each is tried, in [1, calls]: all, or as many as there is time for, one in each of
// equal parts.
std::vector<long> CallsToTry(long calls, long most) {
  most = std::min(calls, most);
  Random random(1);
  std::vector<long> chosen;
  for (long n = 0; n < most; ++n) {
    const long begin = calls * n / most;
    const long end = calls * (n + 1) / most;
    chosen.push_back(begin + 1 +
                     static_cast<long>(random.Below(static_cast<std::uint64_t>(end - begin))));
  }
  return chosen;
}

// Each number becomes a mark.
std::string WithoutNumbers(const std::string& text) {
  std::string result;
  for (std::size_t n = 0; n < text.size();) {
    const bool number = '0' <= text[n] && text[n] <= '9';
    result += number ? '#' : text[n];
    n = number ? std::min(text.find_first_not_of("0123456789.e+-", n), text.size()) : n + 1;
  }
  return result;
}

class FaultsTest : public testing_cli::TrainTest,
                   public ::testing::WithParamInterface<std::tuple<std::size_t, std::string>> {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers have a malloc of their own, and come first";
    LimitTime(kHangSeconds);
    arguments_ = Joined(Joined(testing_cli::kTask, training().arguments),
                        {"--max-epochs", "2", "--threads", "1"});
    TrainWell(arguments_, "whole");
    expected_ = Results(Contents("whole"));
    if (!training().resumed) return;
    // Each session gets a batch further, the first ones through the first epoch.
    Train(Joined(arguments_, {"--time-limit", "0.000001s"}), "stopped");
    for (int session = 2; session <= 8; ++session) Resume({"--time-limit", "0.000001s"}, "stopped");
    ASSERT_EQ(Metrics("stopped").size(), 1u);
    ASSERT_FALSE(fs::exists(Path("stopped/summary.json")));
  }

  const Training& training() const { return Trainings()[std::get<0>(GetParam())]; }
  std::string kind() const { return std::get<1>(GetParam()); }

  // The training in a place of its own, with a fault ("" for none).
  ProgramResult TrainWith(const std::string& fault) {
    fs::remove_all(Path("place"));
    fs::create_directory(Path("place"));
    if (training().resumed) fs::copy(Path("stopped"), Path("place/run"));
    SetEnvironment("PUSHDOWN_FAULT", fault);
    SetEnvironment("LD_PRELOAD", PUSHDOWN_FAULT_SHIM);
    const ProgramResult result = Again();
    SetEnvironment("LD_PRELOAD", "");
    return result;
  }

  ProgramResult Again() {
    return fs::exists(Path("place/run/config.json")) ? Resume({"--threads", "1"}, "place/run")
                                                     : Train(arguments_, "place/run");
  }

  // How often an undisturbed training calls the functions of the kind.
  long CountCalls() {
    SetEnvironment("PUSHDOWN_FAULT_COUNTS", Path("counts"));
    EXPECT_EQ(TrainWith("").exit_code, 0);
    SetEnvironment("PUSHDOWN_FAULT_COUNTS", Path("ignored"));
    std::istringstream counts(Text("counts"));
    std::string name;
    for (long calls = 0; counts >> name >> calls;) {
      if (name == kind()) return calls;
    }
    ADD_FAILURE() << "the library was not loaded: " << Text("counts");
    return 0;
  }

  // Of so many calls, how many are tried. There are more than ten thousand allocations, and nearly
  // all are like those beside them.
  long Most(long calls, const std::string& mode) const {
    if (!TryAll()) return 3;
    const bool every_allocation = std::string(training().name) == "Stack" && mode.empty();
    return kind() != "malloc" || every_allocation ? calls : 1000;
  }

  // Everything in the place, but for numbers that differ each time.
  FileTexts State() const {
    FileTexts state;
    for (const auto& entry : fs::recursive_directory_iterator(Path("place"))) {
      std::string name = fs::relative(entry.path(), Path("place")).string();
      std::string text = entry.is_directory() ? "" : testing_cli::ReadText(entry.path());
      if (name.find("timing.jsonl") != name.npos || name.find("summary.json") != name.npos) {
        text = WithoutNumbers(text);
      }
      // Of a temporary name, without the host and the process.
      const std::size_t mark = name.find(".tmp.");
      if (mark != name.npos) name.erase(mark, name.find('/', mark) - mark);
      state[name] = text;
    }
    return state;
  }

  void Try(const std::string& fault) {
    SCOPED_TRACE("LD_PRELOAD=" PUSHDOWN_FAULT_SHIM " PUSHDOWN_FAULT=" + fault);
    const ProgramResult result = TrainWith(fault);
    ++tries_;
    if (fault.ends_with('!')) {
      EXPECT_EQ(result.signal, SIGKILL) << result.err;
    } else {
      EXPECT_EQ(result.signal, 0) << result.err;
      EXPECT_LE(result.exit_code, 2) << result.err;
      if (result.exit_code != 0) ExpectComplaint(result);
    }
    if (result.exit_code != 0) {
      if (!repeated_.insert(State()).second) return;  // repeating it would show the same again
      ++repetitions_;
      const ProgramResult again = Again();
      EXPECT_EQ(again.exit_code, 0) << "after " << result.err << "this: " << again.err;
    }
    EXPECT_TRUE(Results(Contents("place/run")) == expected_) << "the results differ";
    EXPECT_EQ(Leftovers(Path("place")), "");
  }

  Arguments arguments_;
  FileTexts expected_;
  std::set<FileTexts> repeated_;
  int tries_ = 0;
  int repetitions_ = 0;
};

TEST_P(FaultsTest, RepeatingTheCommandGivesTheSameResult) {
  const long calls = CountCalls();
  for (const std::string mode : {"", "+", "!"}) {
    for (const long call : CallsToTry(calls, Most(calls, mode))) {
      Try(kind() + ":" + std::to_string(call) + mode);
    }
  }
  std::cout << calls << " calls, " << tries_ << " tries, " << repetitions_ << " repetitions\n";
}

INSTANTIATE_TEST_SUITE_P(All, FaultsTest,
                         ::testing::Combine(::testing::Range(std::size_t{0}, Trainings().size()),
                                            ::testing::Values("write", "rename", "fsync", "open",
                                                              "mkdir", "read", "stat", "malloc")),
                         [](const auto& test) {
                           return std::string(Trainings()[std::get<0>(test.param)].name) + "_" +
                                  std::get<1>(test.param);
                         });

}  // namespace
}  // namespace pushdown::testing_faults
