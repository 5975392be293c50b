#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/run/language_choice.h"
#include "pushdown/run/settings.h"

namespace pushdown {

// What is known of a run of an experiment, or of any other run.

enum class RunState {
  kToDo,     // has not begun
  kBegun,    // has begun, and was stopped or killed
  kRunning,  // another process is training it
  kFinished,
  kFailed,
};
const char* StateName(RunState state);  // such as "finished"

// The test set, evaluated with the parameters of the best epoch.
struct TestRecord {
  struct Length {
    int length = 0;
    long long strings = 0;
    double cross_entropy = 0;
    std::optional<double> lower_bound = {};  // for a model that is told the length
  };

  double cross_entropy = 0;                // in nats a symbol, or a token of text
  std::optional<double> lower_bound = {};  // as that of Length
  std::vector<Length> by_length = {};      // strings only
};

// The learning rate from an epoch on.
struct RateChange {
  int epoch = 1;
  double learning_rate = 0;

  bool operator==(const RateChange&) const = default;
};

struct RunRecord {
  RunState state = RunState::kToDo;
  std::string directory = {};  // of a run that belongs to no experiment
  std::string failure = {};    // why it failed
  int epochs = 0;
  int best_epoch = 0;                                   // 0: no epoch has ended
  std::optional<double> validation_cross_entropy = {};  // of the best epoch
  std::optional<double> difference = {};                // from the lower bound
  double learning_rate = 0;                             // the initial one; 0: not known
  std::optional<double> clipping = {};                  // text only
  double seconds = 0;
  std::string stopped_by = {};
  std::optional<TestRecord> test = {};

  // What ReadRunDetails adds, as far as it is known. What the run began with:
  std::string machine = {};   // the CPU and the kernels
  std::string version = {};   // of the program
  std::string revision = {};  // that the program was built from
  std::string begun = {};     // when, in UTC, such as "2026-11-18T03:10:00Z"
  std::optional<std::uint64_t> seed = {};
  // And its epochs:
  std::vector<RateChange> rates = {};  // the first epoch's, and each that differs from that before
  std::vector<double> curve = {};      // the measure after each epoch; NaN where it is not finite
};

// What runs are compared by, the smaller the better: the difference from the lower bound in nats a
// symbol, the cross-entropy if there is no bound, or the perplexity of a text.
enum class Measure { kDifference, kCrossEntropy, kPerplexity };
const char* MeasureName(Measure measure);
Measure ParseMeasure(const std::string& name);  // throws Error

std::optional<double> ScoreOf(const RunRecord& record, Measure measure);
// The same on the test set. The difference is that from the bound of a model that is told the
// lengths. There is none if it is not finite.
std::optional<double> TestScoreOf(const RunRecord& record, Measure measure);

// Reads the files of a run directory. It may be that of a run which has not begun; a file that is
// being written by another process counts as missing. Throws Error for a file that is broken.
RunRecord ReadRunRecord(const std::string& directory);
// Reads the rest, which takes longer; nothing if the directory holds no run. Throws Error for a
// config.json that is broken.
void ReadRunDetails(const std::string& directory, Measure measure, RunRecord& record);

// Evaluates the test set of a finished run and writes test.json, which says so if there is no test
// set. Throws Error.
void WriteTestRecord(const std::string& directory, const RunSettings& settings, int threads,
                     const StageProgress& progress = {});

}  // namespace pushdown
