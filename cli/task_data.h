#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/train_settings.h"
#include "pushdown/data/string_distribution.h"
#include "pushdown/formal/language.h"

namespace pushdown::cli {

// The lower bound of strings, if their language is known: H(S, p_L).
struct LowerBound {
  LengthRange range;  // of p_L
  CrossEntropy all;
  std::map<int, CrossEntropy> by_length;
};

struct TaskSplit {
  std::vector<std::vector<int>> strings;
  std::optional<LowerBound> lower_bound;
};

struct TaskData {
  SymbolTable alphabet;
  TaskSplit training;
  TaskSplit validation;
  TaskSplit test;  // may be empty
};

// The language of a run, for strings of up to max_length symbols; null if it is not known. Shows a
// progress bar. Throws UsageError.
std::unique_ptr<Language> LanguageOf(const TrainSettings& settings, int max_length);

// The longest string that the sets of a run can have, if they are sampled.
int MaxLength(const TrainSettings& settings);

enum class TestSet { kNone, kIncluded };

// The sets of a run: sampled from the language, or read from the directory of --data. The language
// is null or LanguageOf(settings, at least MaxLength(settings)). Throws UsageError.
TaskData MakeTaskData(const TrainSettings& settings, const Language* language,
                      TestSet test_set = TestSet::kIncluded);

// Throws UsageError for sets that the machine cannot hold, so that a size with too many zeros is no
// trouble. There are `test_lengths` lengths in the test set.
void CheckSetMemory(const FormalDatasetOptions& options, const SymbolTable& alphabet,
                    std::size_t test_lengths);

// Tells training and validation sets from others.
std::string FingerprintOf(const SymbolTable& alphabet, std::span<const std::vector<int>> training,
                          std::span<const std::vector<int>> validation);
std::string FingerprintOf(const TaskData& data);

// A test set of `count` strings of each length in the range that the language has.
TaskSplit SampleEveryLength(const Language& language, LengthRange range, int count,
                            std::uint64_t seed);

}  // namespace pushdown::cli
