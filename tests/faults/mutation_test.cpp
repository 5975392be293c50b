// Whatever file of a run or of its data is damaged: commands that take the run refuse it, warn, or
// answer as if nothing had happened. They never crash, hang, or answer something else silently.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/random.h"
#include "tests/cli/lm_fixture.h"
#include "tests/faults/attack.h"
#include "tests/mutation.h"

namespace pushdown::testing_faults {
namespace {

using testing_cli::Arguments;
using testing_cli::Joined;
using testing_cli::kTask;
using testing_cli::ProgramResult;
namespace fs = std::filesystem;

const std::vector<std::string> kRunFiles = {
    "config.json",       "metrics.jsonl",          "timing.jsonl",
    "model.safetensors", "checkpoint.safetensors", "summary.json"};

// A run and what it needs, all of which is in one place.
struct Victim {
  const char* name;
  std::vector<std::string> files;  // that are damaged, in the place
  Arguments options = {};          // of its training, beside those of all
  int sessions = 0;                // it is stopped after so many batches; 0: it is finished
  bool text = false;               // a run of `pushdown lm`
};
void PrintTo(const Victim& victim, std::ostream* out) { *out << victim.name; }

std::vector<std::string> In(const std::string& directory, std::vector<std::string> files) {
  for (std::string& file : files) file = directory + "/" + file;
  return files;
}

std::vector<Victim> Victims() {
  std::vector<std::string> without_summary = kRunFiles;
  without_summary.pop_back();
  std::vector<std::string> of_restarts = In("run", {"config.json", "summary.json"});
  for (const char* restart : {"run/restart-1", "run/restart-2"}) {
    const std::vector<std::string> files = In(restart, kRunFiles);
    of_restarts.insert(of_restarts.end(), files.begin(), files.end());
  }
  return {{.name = "Finished", .files = In("run", kRunFiles), .options = kTask},
          {.name = "Stopped", .files = In("run", without_summary), .options = kTask, .sessions = 8},
          {.name = "Restarts", .files = of_restarts, .options = Joined(kTask, {"--restarts", "2"})},
          {.name = "Data",
           .files =
               In("data", {"main.tok", "main.vocab", "task.json", "datasets/validation/main.tok"})},
          {.name = "Text", .files = In("run", kRunFiles), .text = true}};
}

// What is done to a file, and what to call it.
struct Damage {
  const char* name;
  std::function<void(const std::string& path)> apply;
};

class MutationTest : public testing_cli::LmTest, public ::testing::WithParamInterface<Victim> {
 protected:
  void SetUp() override {
    LimitTime(kHangSeconds);
    fs::create_directory(Path("place"));
    const Arguments train = victim().text ? Arguments{"lm", "train"} : Arguments{"train"};
    const Arguments out = {"--out", Path("place/run"), "--threads", "1"};
    const Arguments limit = {"--time-limit", "0.000001s"};  // a batch each session
    const Arguments resume = Joined(Joined(train, {"--resume"}), out);
    Arguments options = victim().text
                            ? Small("lstm")
                            : Joined(victim().options, {"--model", "lstm", "--max-epochs", "2"});
    if (IsOfData()) {
      ASSERT_EQ(Run(Joined({"data", "--out", Path("place/data")}, kTask)).exit_code, 0);
      options = Joined(options, {"--data", Path("place/data")});
    }
    if (victim().sessions > 0) options = Joined(options, limit);
    ASSERT_EQ(Run(Joined(Joined(train, out), options)).exit_code, victim().sessions > 0 ? 75 : 0);
    for (int session = 1; session < victim().sessions; ++session) Run(Joined(resume, limit));
    fs::rename(Path("place"), Path("intact"));

    const std::string run = Path("place/run");
    commands_ = victim().text ? std::vector<Arguments>{{"lm", "evaluate", run, "--json"},
                                                       {"lm", "score", run, "--tokens"}}
                              : std::vector<Arguments>{{"evaluate", run, "--json"},
                                                       {"generate", run, "--count", "20"}};
    commands_.push_back(resume);
    for (const Arguments& command : commands_) {
      Restore();
      const ProgramResult result = RunCommand(command);
      ASSERT_EQ(result.exit_code, 0) << result.err;
      ASSERT_EQ(result.err.find("pushdown: warning: "), result.err.npos) << result.err;
      outputs_.push_back(result.out);
    }
    results_ = Results(Contents("place/run"));  // the last command was to resume
  }

  const Victim& victim() const { return GetParam(); }
  bool IsOfData() const { return victim().files.front().starts_with("data/"); }

  void Restore() const {
    fs::remove_all(Path("place"));
    fs::copy(Path("intact"), Path("place"), fs::copy_options::recursive);
  }
  ProgramResult RunCommand(const Arguments& command) const {
    return Run(command, "a cat sees the dog\nthe mouse\n");
  }

  // Where a file of the place differs from what it was, with some characters of both around.
  std::string Difference(const std::string& file) const {
    if (!fs::is_regular_file(Path("place/" + file))) return "";
    const std::string before = Text("intact/" + file);
    const std::string after = Text("place/" + file);
    const auto [left, right] =
        std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    const auto begin = static_cast<std::size_t>(left - before.begin());
    const std::size_t from = begin - std::min<std::size_t>(begin, 20);
    return " at byte " + std::to_string(begin) + ": " +
           ::testing::PrintToString(before.substr(from, 60)) + " became " +
           ::testing::PrintToString(after.substr(from, 60));
  }

  // One command after one damage.
  void Try(const std::string& file, const Damage& damage, std::size_t command) {
    Restore();
    damage.apply(Path("place/" + file));
    SCOPED_TRACE(std::string(damage.name) + " " + file + Difference(file));
    const ProgramResult result = RunCommand(commands_[command]);
    ++tries_;
    const std::string line = ::testing::PrintToString(commands_[command]);
    ASSERT_NE(result.signal, SIGALRM) << "hangs: " << line;
    EXPECT_EQ(result.signal, 0) << line;
    if (result.exit_code != 0) {
      ++refusals_;
      EXPECT_LE(result.exit_code, 2) << line;
      ExpectComplaint(result);
      return;
    }
    if (result.err.find("pushdown: warning: ") != result.err.npos) return;
    const bool resumed = command + 1 == commands_.size();
    const bool same =
        resumed ? Results(Contents("place/run")) == results_ : result.out == outputs_[command];
    EXPECT_TRUE(same) << "silently another answer: " << line;
  }

  // Every command after this damage of every file.
  void TryAllFiles(const Damage& damage) {
    for (const std::string& file : victim().files) {
      for (std::size_t command = 0; command < commands_.size(); ++command) {
        Try(file, damage, command);
        if (HasFatalFailure()) return;
      }
    }
  }

  void Report() const {
    EXPECT_GT(refusals_, 0);
    EXPECT_LT(refusals_, tries_);
    std::cout << tries_ << " tries, " << refusals_ << " refusals\n";
  }

  std::vector<Arguments> commands_;   // the last one resumes the training
  std::vector<std::string> outputs_;  // of these commands, if nothing is damaged
  FileTexts results_;                 // of the run, if it is resumed and nothing is damaged
  int tries_ = 0;
  int refusals_ = 0;
};

TEST_P(MutationTest, LostAndExchangedFilesAreNoticedOrNotNeeded) {
  if (kSanitized && !TryAll()) GTEST_SKIP() << "too slow with sanitizers for a sample";
  TryAllFiles({"empty", [](const std::string& path) { fs::resize_file(path, 0); }});
  TryAllFiles({"missing", [](const std::string& path) { fs::remove(path); }});
  const bool has_restarts = victim().files.back().find("restart-") != std::string::npos;
  const Damage exchange = {"another restart's", [](const std::string& path) {
                             const std::size_t name = path.find("restart-");
                             if (name == path.npos) return;
                             std::string other = path;
                             char& number = other[name + std::string_view("restart-").size()];
                             number = number == '1' ? '2' : '1';
                             fs::copy_file(other, path, fs::copy_options::overwrite_existing);
                           }};
  if (has_restarts) TryAllFiles(exchange);
  Report();
}

TEST_P(MutationTest, NobodyWaitsForAFifo) {
  if (kSanitized && !TryAll()) GTEST_SKIP() << "too slow with sanitizers for a sample";
  TryAllFiles({"a FIFO instead of", [](const std::string& path) {
                 fs::remove(path);
                 ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
               }});
}

TEST_P(MutationTest, ChangedFilesAreNoticedOrNotNeeded) {
  Random random(1);
  const int rounds = TryAll() ? 50 : kSanitized ? 1 : 2;
  for (int round = 0; round < rounds; ++round) {
    TryAllFiles({"changes of", [&random](const std::string& path) {
                   const std::vector<std::string> corpus = {testing_cli::ReadText(path)};
                   std::ofstream(path, std::ios::binary)
                       << testing_mutation::Mutated(corpus, "0129.-e{}[]\",: \n", random);
                 }});
    // The file stays as it should be but for a number, which is the hardest to notice.
    TryAllFiles({"another digit in", [&random](const std::string& path) {
                   std::string text = testing_cli::ReadText(path);
                   std::vector<std::size_t> digits;
                   for (std::size_t n = 0; n < text.size(); ++n) {
                     if (text[n] >= '0' && text[n] <= '9') digits.push_back(n);
                   }
                   if (digits.empty()) return;
                   char& digit = text[digits[random.Below(digits.size())]];
                   const int by = 1 + static_cast<int>(random.Below(9));
                   digit = static_cast<char>('0' + (digit - '0' + by) % 10);
                   std::ofstream(path, std::ios::binary) << text;
                 }});
  }
  Report();
}

INSTANTIATE_TEST_SUITE_P(Runs, MutationTest, ::testing::ValuesIn(Victims()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace pushdown::testing_faults
